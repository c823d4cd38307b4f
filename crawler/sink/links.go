package sink

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/internal/durable"
)

// Links is a [crawler.Sink] that keeps who links to whom. Nodes are URLs and have
// numbers from 0 on, in the order in which they were met; a page is a node, and
// so is each URL that one links to and that may be followed. A page that is put
// again replaces its links.
//
// The file is a log in the sense of docs/formats/log.md, with the records that
// docs/formats/links.md describes. Memory is some 40 bytes a node. Put returns
// when the links are on the disk. Read them with [ReadLinks].
type Links struct {
	log  *durable.Log
	dir  *durable.Dir
	lock *durable.Lock

	mu    sync.Mutex
	nodes map[xxh3.Uint128]uint32
}

var _ crawler.Sink = (*Links)(nil)

const (
	linksFile  = "links.log"
	linksLock  = "links.lock"
	kindNodes  = 'N'
	kindLinks  = 'L'
	maxPerPage = 1 << 20 // links of a page that are kept
)

// OpenLinks opens a folder to write to, and goes on with what is there.
func OpenLinks(dir string) (*Links, error) { return openLinks(dir) }

func openLinks(path string, hook ...durable.Hook) (*Links, error) {
	d, err := durable.Open(path, hook...)
	if err != nil {
		return nil, err
	}
	l := &Links{dir: d, nodes: map[xxh3.Uint128]uint32{}}
	if l.lock, err = d.Lock(linksLock); err != nil {
		d.Close()
		return nil, err
	}
	read := graphReader{node: func(name []byte) { l.nodes[xxh3.Hash128(name)] = uint32(len(l.nodes)) }}
	if l.log, err = durable.OpenLog(d, linksFile, read.record); err != nil {
		l.lock.Unlock()
		d.Close()
		return nil, err
	}
	return l, nil
}

// Put notes the links of a page, and of one that is gone or has moved that it has none.
func (l *Links) Put(_ context.Context, r *crawler.Result) error {
	page := r.Page
	switch {
	case r.Kind == crawler.Gone || r.Kind == crawler.Moved:
		page = &crawler.Page{URL: r.URL}
	case page == nil:
		return nil
	}
	if err := l.append(page); err != nil {
		return err
	}
	return l.log.Sync()
}

func (l *Links) append(page *crawler.Page) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var fresh []string
	node := func(url string) uint32 {
		key := xxh3.HashString128(url)
		n, known := l.nodes[key]
		if !known {
			n = uint32(len(l.nodes))
			l.nodes[key] = n
			fresh = append(fresh, url)
		}
		return n
	}
	from := node(page.URL)
	to := follow(page)
	targets := make([]uint32, 0, len(to))
	for _, url := range to[:min(len(to), maxPerPage)] {
		if url != page.URL {
			targets = append(targets, node(url))
		}
	}
	slices.Sort(targets)
	var recs [][]byte
	if len(fresh) > 0 {
		recs = append(recs, appendNodes(nil, len(l.nodes)-len(fresh), fresh))
	}
	recs = append(recs, appendLinks(nil, from, targets))
	if err := l.log.Append(recs...); err != nil {
		for _, url := range fresh { // they are not in the file
			delete(l.nodes, xxh3.HashString128(url))
		}
		return fmt.Errorf("sink: links: %w", err)
	}
	return nil
}

// appendNodes names nodes, from the first on: how many bytes a name shares with
// the one before, and the rest.
func appendNodes(b []byte, first int, names []string) []byte {
	b = binary.AppendUvarint(append(b, kindNodes), uint64(first))
	before := ""
	for _, name := range names {
		same := 0
		for same < len(name) && same < len(before) && name[same] == before[same] {
			same++
		}
		b = binary.AppendUvarint(b, uint64(same))
		b = binary.AppendUvarint(b, uint64(len(name)-same))
		b = append(b, name[same:]...)
		before = name
	}
	return b
}

// appendLinks gives the targets of a node, sorted, by their gaps.
func appendLinks(b []byte, from uint32, targets []uint32) []byte {
	b = binary.AppendUvarint(append(b, kindLinks), uint64(from))
	before := uint32(0)
	for _, to := range targets {
		b = binary.AppendUvarint(b, uint64(to-before))
		before = to
	}
	return b
}

// Close closes the file.
func (l *Links) Close() error {
	err := l.log.Close()
	l.lock.Unlock()
	if e := l.dir.Close(); err == nil {
		err = e
	}
	return err
}
