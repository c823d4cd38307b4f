package sink

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/internal/durable"
)

// JSONLOptions are the settings of a JSONL. The zero value is sound.
type JSONLOptions struct {
	// Record makes what becomes a line, or nil, for no line, of a Result: with a Page, or
	// without, where that is gone, has moved or has not changed. Nil: NewRecord of the Page.
	Record func(r *crawler.Result) any

	MaxFile int64 // a file that has as many bytes takes no more, and names get a number: pages-00001.jsonl; 0: one file
	NoSync  bool  // do not wait for the disk: lines survive the process, but not a power cut
	Anew    bool  // begin with an empty file
}

// JSONL is a [crawler.Sink] that writes each page as a line of JSON to a file,
// or to several, one after the other. Put returns when the line is on the disk.
//
// A file that is there already is gone on with. After a crash, what is not whole
// of its last line is cut off, and new pages that the crawl puts once more, because it
// did not come to note that they were done, are not written twice: they are known
// by the field "url" of the last lines. What is told of a page that was put before may
// be: a second change of it must not be taken for the first. Methods may be called from many
// goroutines; one JSONL writes a file at a time.
type JSONL struct {
	dir  *durable.Dir
	base string
	opt  JSONLOptions

	syncing sync.Mutex // held while a file is synced or changed; taken before mu
	mu      sync.Mutex // guards what follows
	file    *durable.File
	serial  int   // of the file, when there are several
	size    int64 // of the file
	done    lineCount
	tail    map[string]bool // URLs of the last lines before a crash

	whole func(*os.File) (size int64, lines int, err error) // of a file that is no JSON; nil: it is
}

// lineCount is how far a JSONL has come.
type lineCount struct {
	earlier         int   // lines of earlier runs
	written, synced int64 // bytes of this run
	failed          error
}

var _ crawler.Sink = (*JSONL)(nil)

// OpenJSONL opens a file to write to, and creates it when it is absent.
func OpenJSONL(name string, opt JSONLOptions) (*JSONL, error) { return openJSONL(name, opt) }

func openJSONL(name string, opt JSONLOptions, hook ...durable.Hook) (*JSONL, error) {
	d, err := durable.Open(filepath.Dir(name), hook...)
	if err != nil {
		return nil, err
	}
	j := &JSONL{dir: d, base: filepath.Base(name), opt: opt}
	if err := j.resume(); err != nil {
		d.Close()
		return nil, err
	}
	return j, nil
}

// name is the name of the present file.
func (j *JSONL) name() string {
	if j.opt.MaxFile <= 0 {
		return j.base
	}
	ext := filepath.Ext(j.base)
	return fmt.Sprintf("%s-%05d%s", strings.TrimSuffix(j.base, ext), j.serial, ext)
}

// Earlier returns how many lines there were when the file was opened.
func (j *JSONL) Earlier() int { return j.done.earlier }

// Put writes a line, if there is to be one.
func (j *JSONL) Put(_ context.Context, r *crawler.Result) error {
	var record any
	switch {
	case j.opt.Record != nil:
		record = j.opt.Record(r)
	case r.Page != nil:
		record = NewRecord(r.Page)
	}
	if record == nil {
		return nil
	}
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(record); err != nil {
		return err
	}
	url := r.URL
	if r.Kind != crawler.New {
		url = "" // the page has a line already, and this one is another
	}
	n, err := j.write(url, line.Bytes())
	if err != nil || n == 0 || j.opt.NoSync {
		return err
	}
	return j.sync(n)
}

// write appends a line and returns how many bytes have to be synced for it; 0:
// it is there already.
func (j *JSONL) write(url string, line []byte) (int64, error) {
	if err := j.rotate(); err != nil {
		return 0, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.tail[url] {
		delete(j.tail, url)
		return 0, nil
	}
	switch {
	case j.done.failed != nil:
		return 0, j.done.failed
	case j.file == nil:
		return 0, os.ErrClosed
	}
	if _, err := j.file.Write(line); err != nil {
		if cut := j.file.Truncate(j.size); cut != nil {
			j.done.failed = cut
		}
		return 0, err
	}
	j.size += int64(len(line))
	j.done.written += int64(len(line))
	return j.done.written, nil
}

// sync returns when the first n bytes of this run are on the disk.
func (j *JSONL) sync(n int64) error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	file, done := j.file, j.done
	j.mu.Unlock()
	switch {
	case done.synced >= n:
		return nil
	case done.failed != nil:
		return done.failed
	case file == nil:
		return os.ErrClosed
	}
	err := file.Sync()
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		j.done.failed = err
		return err
	}
	j.done.synced = max(j.done.synced, done.written)
	return nil
}

// rotate begins the next file when this one is full.
func (j *JSONL) rotate() error {
	full := func() bool { return j.opt.MaxFile > 0 && j.file != nil && j.size >= j.opt.MaxFile }
	j.mu.Lock()
	wanted := full()
	j.mu.Unlock()
	if !wanted {
		return nil
	}
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if !full() {
		return nil
	}
	if err := j.end(); err != nil {
		j.done.failed = err
		return err
	}
	j.serial++
	return j.begin()
}

// begin opens the file named now.
func (j *JSONL) begin() error {
	f, err := j.dir.OpenAppend(j.name())
	if err == nil {
		err = j.dir.Sync()
	}
	if err != nil {
		j.done.failed = err
		return err
	}
	j.file, j.size = f, 0
	return nil
}

// end syncs and closes the file.
func (j *JSONL) end() error {
	err := j.file.Sync()
	if cerr := j.file.Close(); err == nil {
		err = cerr
	}
	if j.file = nil; err == nil {
		j.done.synced = j.done.written
	}
	return err
}

// Close syncs and closes the file.
func (j *JSONL) Close() error {
	j.syncing.Lock()
	defer j.syncing.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return j.dir.Close()
	}
	err := j.done.failed
	if e := j.end(); err == nil {
		err = e
	}
	if err == nil {
		err = j.dir.Remove(j.base + mark)
	}
	if e := j.dir.Close(); err == nil {
		err = e
	}
	return err
}
