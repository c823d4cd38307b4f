package warc

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/internal/durable"
)

// Options are the settings of a Writer. The zero value is sound.
type Options struct {
	Prefix  string // of file names; "quarry"
	MaxFile int64  // a file that has as many bytes takes no more; 1 GiB
	Info    Header // more fields for the warcinfo record of each file: operator, robots, isPartOf, ...
	SHA256  bool   // digests by SHA-256; SHA-1, which other tools expect
	Plain   bool   // no compression
	NoSync  bool   // do not wait for the disk: what was written survives the process, but not a power cut
	Secrets bool   // keep Authorization, Cookie, Set-Cookie and bodies of requests; left out of the archive otherwise
}

// Writer writes an archive to a folder: files of WARC 1.1 with a gzip member for
// each record, and beside each a CDXJ index. A file is called
// prefix-time-serial.warc.gz, and has .open behind that until it is complete.
//
// It takes exchanges as the [crawler.Middleware] [Writer.Capture], or pages as a
// [crawler.Sink]. What it has taken is on the disk. A payload that was written
// already becomes a revisit record, as does a 304 of a page that was.
//
// A process that is killed leaves at most one torn record, at the end of the
// open file. OpenWriter cuts it off. All methods may be called from many
// goroutines.
type Writer struct {
	dir  *durable.Dir
	lock *durable.Lock
	opt  Options
	gzip sync.Pool // of *gzip.Writer

	syncing sync.Mutex // held while a file is synced or changed; taken before mu
	mu      sync.Mutex // guards what follows
	now     *open      // nil: the next record begins a file
	serial  int
	seen    seen
	state   progress
}

// progress is how far a Writer has come, in bytes over all files.
type progress struct {
	written, synced int64
	failed          error
	closed          bool
}

// open is the file that is being written.
type open struct {
	file    *durable.File
	name    string // once it is complete
	size    int64
	entries []Entry
}

var _ crawler.Sink = (*Writer)(nil)

const (
	defaultMaxFile = 1 << 30
	openSuffix     = ".open"
	indexSuffix    = ".cdxj"
	lockName       = "warc.lock"
	seenName       = "warc.seen"
)

// OpenWriter opens a folder to write to, and creates it when it is absent. Files
// that a crash has left open are completed first, and what is not whole of
// their last record is cut off. One Writer has a folder at a time: for another
// the error matches durable's ErrLocked, and says who holds it.
func OpenWriter(dir string, opt Options) (*Writer, error) { return openWriter(dir, opt) }

func openWriter(path string, opt Options, hook ...durable.Hook) (*Writer, error) {
	if opt.Prefix == "" {
		opt.Prefix = "quarry"
	}
	if strings.ContainsAny(opt.Prefix, `/\ `) {
		return nil, fmt.Errorf("warc: prefix %q: want a part of a file name", opt.Prefix)
	}
	if opt.MaxFile <= 0 {
		opt.MaxFile = defaultMaxFile
	}
	d, err := durable.Open(path, hook...)
	if err != nil {
		return nil, err
	}
	w := &Writer{dir: d, opt: opt}
	if w.lock, err = d.Lock(lockName); err != nil {
		d.Close()
		return nil, err
	}
	if err := w.recover(); err != nil {
		w.lock.Unlock()
		d.Close()
		return nil, err
	}
	return w, nil
}

// write writes records that belong together, side by side, and returns when
// they are on the disk.
func (w *Writer) write(drafts ...*draft) error {
	var out spool
	defer out.close()
	if err := w.encode(&out, drafts); err != nil {
		return w.fail(err)
	}
	n, err := w.append(&out, drafts)
	if err != nil || w.opt.NoSync {
		return w.fail(err)
	}
	return w.fail(w.sync(n))
}

// Size is how many bytes of records this Writer has written, headers of files not
// counted, so that a crawl can end at a size ([crawler.Budget].Output).
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.written
}

func (w *Writer) fail(err error) error {
	if err == nil {
		return nil
	}
	return &WriteError{w.dir.Path(), err}
}

func (w *Writer) encode(to *spool, drafts []*draft) error {
	var z *gzip.Writer
	if !w.opt.Plain {
		z, _ = w.gzip.Get().(*gzip.Writer)
		if z == nil {
			z = gzip.NewWriter(nil)
		}
		defer w.gzip.Put(z)
	}
	sum := newHash(w.opt.SHA256)
	for _, d := range drafts {
		if err := d.encode(to, z, sum); err != nil {
			return err
		}
	}
	return nil
}

// append puts encoded records at the end of the file, and returns how many
// bytes have to be synced for them.
func (w *Writer) append(from *spool, drafts []*draft) (int64, error) {
	if err := w.rotate(); err != nil {
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return 0, err
	}
	if w.now == nil {
		if err := w.begin(); err != nil {
			return 0, err
		}
	}
	o := w.now
	if _, err := io.Copy(o.file, from.reader()); err != nil {
		if cut := o.file.Truncate(o.size); cut != nil {
			w.state.failed = cut
		}
		return 0, err
	}
	for _, d := range drafts {
		if d.entry != nil {
			d.entry.Offset, d.entry.Length, d.entry.File = o.size, d.size, o.name
			o.entries = append(o.entries, *d.entry)
		}
		o.size += d.size
	}
	w.state.written += from.n
	return w.state.written, nil
}

func (w *Writer) usable() error {
	if w.state.closed {
		return os.ErrClosed
	}
	return w.state.failed
}

// begin begins a file with its warcinfo record.
func (w *Writer) begin() error {
	w.serial++
	name := fmt.Sprintf("%s-%s-%05d.warc", w.opt.Prefix, strings.Replace(time.Now().UTC().Format("20060102150405.000"), ".", "", 1), w.serial)
	if !w.opt.Plain {
		name += ".gz"
	}
	info := newDraft(Warcinfo, newID(), "", time.Now())
	info.add("WARC-Filename", name)
	info.add("Content-Type", fieldsType)
	fields := append(Header{{"software", "Quarry (https://github.com/webquarry/quarry)"}, {"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"}}, w.opt.Info...)
	info.head = fields.bytes()
	var out spool
	if err := w.encode(&out, []*draft{info}); err != nil {
		return err
	}
	f, err := w.dir.Create(name + openSuffix)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, out.reader())
	if err == nil && !w.opt.NoSync {
		err = w.dir.Sync()
	}
	if err != nil {
		f.Close()
		w.dir.Remove(name + openSuffix)
		return err
	}
	w.now = &open{file: f, name: name, size: out.n}
	return nil
}

// bytes is the fields as a block of type application/warc-fields.
func (h Header) bytes() []byte {
	var b []byte
	for _, f := range h {
		b = append(b, oneLine(f.Name)+": "+oneLine(f.Value)+"\r\n"...)
	}
	return b
}

// oneLine keeps what came from outside from beginning a line. All other bytes stay
// as they are, also those that are no UTF-8.
func oneLine(s string) string { return lineEnds.Replace(s) }

var lineEnds = strings.NewReplacer("\r", " ", "\n", " ")

// rotate completes a file that is full.
func (w *Writer) rotate() error {
	full := func() bool { return w.now != nil && w.now.size >= w.opt.MaxFile }
	w.mu.Lock()
	wanted := full()
	w.mu.Unlock()
	if !wanted {
		return nil
	}
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !full() { // another did it
		return nil
	}
	return w.complete()
}

// complete ends the file: it is synced, its index is written, and it gets its
// name. Whatever fails leaves the file open, as a crash does.
func (w *Writer) complete() error {
	o := w.now
	w.now = nil
	err := o.file.Sync()
	if cerr := o.file.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		w.state.synced = w.state.written
		err = w.finish(o.name, o.entries)
	}
	if err != nil {
		w.state.failed = err
	}
	return err
}

// finish writes the index of a file and gives the file its name.
func (w *Writer) finish(name string, entries []Entry) error {
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = e.String() + "\n"
	}
	slices.Sort(lines)
	if err := w.dir.Replace(indexOf(name), []byte(strings.Join(lines, ""))); err != nil {
		return err
	}
	if err := w.dir.Rename(name+openSuffix, name); err != nil {
		return err
	}
	return w.dir.Sync()
}

// indexOf is the name of the index of a file.
func indexOf(name string) string {
	for _, suffix := range [...]string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return strings.TrimSuffix(strings.TrimSuffix(name, ".warc"), ".arc") + indexSuffix
}

// sync returns when the first n bytes are on the disk. Those who come while the
// disk is busy share the next sync.
func (w *Writer) sync(n int64) error {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.mu.Lock()
	o, p := w.now, w.state
	w.mu.Unlock()
	switch {
	case p.synced >= n:
		return nil
	case p.failed != nil:
		return p.failed
	case o == nil:
		return os.ErrClosed
	}
	err := o.file.Sync()
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.state.failed = err // nobody knows what the system has dropped
		return err
	}
	w.state.synced = max(w.state.synced, p.written)
	return nil
}

// Close completes the open file and lets go of the folder.
func (w *Writer) Close() error {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state.closed {
		return nil
	}
	w.state.closed = true
	var err error
	if w.now != nil {
		if err = w.state.failed; err == nil {
			err = w.complete()
		} else {
			w.now.file.Close()
		}
		if err == nil {
			err = w.seen.save(w.dir, w.serial)
		}
	}
	w.lock.Unlock()
	if cerr := w.dir.Close(); err == nil {
		err = cerr
	}
	return w.fail(err)
}
