package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	file    *os.File
	durable bool
	raw     bool // pages were not read
	earlier int  // lines of earlier runs

	mu      sync.Mutex
	written int64 // lines written in this run
	size    int64 // bytes in the file
	err     error // the first to go wrong, and nothing is written after it

	turn   sync.Mutex // held while syncing
	synced int64      // lines that are on disk for sure
}

// openLines opens the output file, which may be a pipe unless it has to be
// durable. It begins anew, unless the crawl is a resumed one: then a line that
// was cut off by a crash is removed, and what follows is appended.
func openLines(name string, durable, resumed bool) (*lines, error) {
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
			l.earlier, l.size, err = count(f)
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

// count returns how many lines and bytes a file has.
func count(f *os.File) (n int, size int64, err error) {
	block := make([]byte, 256<<10)
	for {
		k, err := f.ReadAt(block, size)
		n += bytes.Count(block[:k], []byte{'\n'})
		size += int64(k)
		if err == io.EOF {
			return n, size, nil
		}
		if err != nil {
			return n, size, err
		}
	}
}

// Put writes a page.
func (l *lines) Put(_ context.Context, page *crawler.Page) error {
	if l.raw {
		return l.put(newRawRecord(page))
	}
	return l.put(newRecord(page))
}

// put writes a record, or a rawRecord.
func (l *lines) put(r any) error {
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
	if err := l.file.Sync(); err != nil {
		return err
	}
	l.synced = upTo
	return nil
}

// Close closes the file.
func (l *lines) Close() error {
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	return nil
}
