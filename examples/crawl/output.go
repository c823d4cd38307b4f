package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
)

// record is a page as a line of the output.
type record struct {
	URL     string    `json:"url"`
	Status  int       `json:"status"`
	Title   string    `json:"title"`
	Text    string    `json:"text"`
	Links   []string  `json:"links"`
	Depth   int       `json:"depth"`
	Fetched time.Time `json:"fetched"`
	Records []any     `json:"records,omitempty"`
	Flaws   []string  `json:"flaws,omitempty"` // of the records
	Group   string    `json:"group,omitempty"` // with -dedup: the page that was there first of those that say the same
}

func newRecord(p *crawler.Page) record {
	links := make([]string, 0, len(p.Links))
	seen := make(map[string]bool, len(p.Links))
	for _, l := range p.Links {
		if !l.NoFollow && !seen[l.URL] {
			seen[l.URL] = true
			links = append(links, l.URL)
		}
	}
	r := p.Response
	return record{p.URL, r.Status, p.Title, p.Text, links, r.Request.Depth, r.Fetched.UTC().Truncate(time.Millisecond), p.Records, flaws(p), ""}
}

// flaws are what went wrong with the records of a page.
func flaws(p *crawler.Page) (all []string) {
	for _, f := range p.Flaws {
		if strings.Contains(f, "extract: ") {
			all = append(all, f)
		}
	}
	return all
}

// rawRecord is a page that was not read.
type rawRecord struct {
	URL     string    `json:"url"`
	Status  int       `json:"status"`
	Type    string    `json:"type"`
	Body    []byte    `json:"body"`
	Depth   int       `json:"depth"`
	Fetched time.Time `json:"fetched"`
}

func newRawRecord(p *crawler.Page) rawRecord {
	r := p.Response
	return rawRecord{p.URL, r.Status, r.Header.Get("Content-Type"), r.Body, r.Request.Depth, r.Fetched.UTC().Truncate(time.Millisecond)}
}

// lines is the output file as the Sink of the crawl.
//
// The frontier forgets a page once Put returns. So a line goes to the file as
// a whole before, and where the frontier is on disk, to the disk: what the
// frontier remembers as done is in the file, whether the process is killed or
// the machine loses power. Those who put at the same time share a sync.
type lines struct {
	file    io.Writer // an *os.File, or standard output
	durable bool
	raw     bool // pages were not read

	mu      sync.Mutex
	before        // its size is that of the file by now
	written int64 // lines written in this run
	err     error // the first to go wrong, and nothing is written after it

	turn   sync.Mutex // held while syncing
	synced int64      // lines that are on disk for sure
}

// openLines opens the output file, which may be a pipe unless it has to be
// durable, or takes standard output where there is no name. It begins anew, unless the crawl is a resumed one: then a line that
// was cut off by a crash is removed, and what follows is appended.
func openLines(name string, stdout io.Writer, durable, resumed bool) (*lines, error) {
	if name == "" {
		return &lines{file: stdout}, nil
	}
	mode := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if resumed {
		mode = os.O_RDWR
	}
	f, err := os.OpenFile(name, mode, 0o644)
	if resumed && errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("-out: %s is gone, but -dir remembers pages that were written to it; put it back, or begin with another -dir", name)
	}
	if err != nil {
		return nil, fmt.Errorf("-out: %w", err)
	}
	l := &lines{file: f, durable: durable}
	fi, err := f.Stat()
	switch {
	case err == nil && durable && !fi.Mode().IsRegular():
		err = fmt.Errorf("%s is no file, and -dir needs one to go on with", name)
	case err == nil && resumed:
		if err = toLastLine(f); err == nil {
			err = l.read(f)
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("-out: %w", err)
	}
	return l, nil
}

// toLastLine cuts off what follows the last line of a file, and goes there.
func toLastLine(f *os.File) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return err
	}
	block := make([]byte, 64<<10)
	end := size
	for end > 0 {
		start := max(end-int64(len(block)), 0)
		part := block[:end-start]
		if _, err := f.ReadAt(part, start); err != nil {
			return err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			end = start + int64(i) + 1
			break
		}
		end = start
	}
	if end < size {
		if err := f.Truncate(end); err != nil {
			return err
		}
	}
	_, err = f.Seek(end, io.SeekStart)
	return err
}

// before is what earlier runs wrote.
type before struct {
	earlier int // lines
	size    int64
	seed    maphash.Seed
	urls    map[uint64]bool // hashes of those of the pages
}

// read takes stock of a file of whole lines.
func (b *before) read(f io.ReaderAt) error {
	b.seed, b.urls = maphash.MakeSeed(), make(map[uint64]bool)
	in := bufio.NewReaderSize(io.NewSectionReader(f, 0, math.MaxInt64), 256<<10)
	for begins := true; ; {
		part, err := in.ReadSlice('\n')
		if b.size += int64(len(part)); begins && len(part) > 0 {
			b.urls[maphash.String(b.seed, urlOf(part))] = true
		}
		if begins = err == nil; begins {
			b.earlier++
		}
		switch err {
		case nil, bufio.ErrBufferFull:
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// urlOf is the URL of a line, which comes first.
func urlOf(line []byte) (url string) {
	rest, _ := bytes.CutPrefix(line, []byte(`{"url":`))
	_ = json.NewDecoder(bytes.NewReader(rest)).Decode(&url) // a line of somebody else's has none
	return url
}

// has reports whether the page of a URL was written.
func (b *before) has(url string) bool {
	return len(b.urls) > 0 && b.urls[maphash.String(b.seed, url)]
}

// Put writes a page.
func (l *lines) Put(_ context.Context, r *crawler.Result) error {
	page := r.Page
	if page == nil {
		return nil
	}
	if l.raw {
		return l.put(page.URL, newRawRecord(page))
	}
	return l.put(page.URL, newRecord(page))
}

// put writes a record, or a rawRecord, unless an earlier run has: it was killed
// after that, and before the frontier knew.
func (l *lines) put(url string, r any) error {
	if l.has(url) {
		return nil
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return err
	}
	n, err := l.write(line.Bytes())
	if err != nil || !l.durable {
		return err
	}
	return l.sync(n)
}

// Size is how many bytes the file has.
func (l *lines) Size() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size
}

// write appends a line and returns its number in this run.
func (l *lines) write(line []byte) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		var n int
		n, l.err = l.file.Write(line)
		l.size += int64(n)
	}
	if l.err != nil {
		return 0, l.err
	}
	l.written++
	return l.written, nil
}

// sync returns when line n is on disk.
func (l *lines) sync(n int64) error {
	l.turn.Lock()
	defer l.turn.Unlock()
	if l.synced >= n { // whoever had the turn before did it
		return nil
	}
	l.mu.Lock()
	upTo := l.written
	l.mu.Unlock()
	if err := l.file.(*os.File).Sync(); err != nil {
		return err
	}
	l.synced = upTo
	return nil
}

// Close closes the file.
func (l *lines) Close() error {
	if f, ok := l.file.(*os.File); ok && f != os.Stdout {
		if err := f.Close(); err != nil {
			return fmt.Errorf("-out: %w", err)
		}
	}
	return nil
}
