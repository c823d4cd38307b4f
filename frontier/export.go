package frontier

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/webquarry/quarry/frontier/internal/store"
	"github.com/webquarry/quarry/frontier/internal/wal"
	"github.com/webquarry/quarry/internal/durable"
)

// An export is the files of a folder, one after the other (docs/formats/frontier-export.md):
//
//	magic    [8]   "QFRONTEX"
//	version  [4]   1
//	files          any number of
//	  length [1]   of the name, 1 to 255
//	  name
//	  size   [8]   of what follows, little-endian
//	  bytes
//	  sum    [4]   CRC-32C of all of the file, from its length on
//	end      [1]   0
//	count    [4]   of files
//	sum      [4]   CRC-32C of all before
//
// The files are the state, the runs that it names, the set of known URLs, and the logs since, the
// last of them as far as it was written at the moment that the export is of. Logs and
// manifests have sums of their own besides, which are looked at when the folder is opened.
const (
	exportMagic   = "QFRONTEX"
	exportVersion = 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// LogPart is records that a [Disk] wrote down, in the order in which they were written. Parts are
// told apart by Generation and First, so that one that [Import] gets twice does no harm, and one
// that is missing is noticed.
type LogPart struct {
	Generation uint64   // of the log: a greater one is newer
	First      int      // how many records of that log were before these
	Prior      int      // where First is 0: how many records the log of the generation before has
	Records    [][]byte // what they hold is described in docs/formats/frontier-state.md; not to be changed
}

// send is what the journal calls for Copy.
func (o *Options) send() func(wal.Part) error {
	if o.Copy == nil {
		return nil
	}
	give := o.Copy
	return func(p wal.Part) error { return give(LogPart(p)) }
}

// exported is a file that is written to an export.
type exported struct {
	name string
	size int64
	f    *os.File
}

// Export implements [Exporter].
func (d *Disk) Export(ctx context.Context, w io.Writer) error {
	files, err := d.openAll(ctx)
	defer func() {
		for _, x := range files {
			x.f.Close()
		}
	}()
	if err != nil {
		return err
	}
	e := exporter{w: w, all: crc32.New(castagnoli)}
	e.write(binary.LittleEndian.AppendUint32([]byte(exportMagic), exportVersion))
	for _, x := range files {
		e.file(ctx, x)
	}
	e.write(binary.LittleEndian.AppendUint32([]byte{0}, uint32(len(files))))
	e.write(e.all.Sum(nil))
	return e.err
}

// openAll opens all files of an export as they are at one moment. Once they are open they may be
// removed.
func (d *Disk) openAll(ctx context.Context) (files []exported, err error) {
	for !d.compaction.TryLock() { // files do not come and go meanwhile, but for those of the set
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
	defer d.compacted()
	d.mu.Lock()
	stopped := d.stopped
	if stopped == nil {
		d.journal.Begin(d.tick())
		d.journal.End()
	}
	d.mu.Unlock()
	if stopped != nil {
		return nil, stopped
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := d.keep(d.journal.Last()); err != nil {
		return nil, err
	}
	size := d.journal.Size()
	open := func(name string, size int64) error {
		f, err := d.dir.OpenFile(name)
		if err != nil {
			return diskError(err)
		}
		files = append(files, exported{name, size, f})
		if size < 0 {
			var st os.FileInfo
			if st, err = f.Stat(); err == nil {
				files[len(files)-1].size = st.Size()
			}
		}
		return err
	}
	list, err := wal.Survey(d.dir)
	if err != nil {
		return files, diskError(err)
	}
	if list.State > 0 {
		err = open(wal.FileName(wal.StateName, list.State), -1)
	}
	for _, number := range d.named {
		err = errors.Join(err, open(store.RunFile(number), -1))
	}
	err = errors.Join(err, d.seen.Hold(func(name string) error { return open(name, -1) }))
	for _, g := range list.Logs {
		if g == d.generation {
			err = errors.Join(err, open(wal.FileName(wal.LogName, g), size))
		} else {
			err = errors.Join(err, open(wal.FileName(wal.LogName, g), -1))
		}
	}
	return files, err
}

// exporter writes an export. After an error its methods do nothing.
type exporter struct {
	w   io.Writer
	all hash.Hash32 // of all that was written
	err error
}

func (e *exporter) write(b []byte) {
	if e.err == nil {
		e.all.Write(b)
		_, e.err = e.w.Write(b)
	}
}

func (e *exporter) file(ctx context.Context, x exported) {
	head := append([]byte{byte(len(x.name))}, x.name...)
	head = binary.LittleEndian.AppendUint64(head, uint64(x.size))
	sum := crc32.New(castagnoli)
	sum.Write(head)
	e.write(head)
	buf := make([]byte, 256<<10)
	for left := x.size; left > 0 && e.err == nil; {
		if ctx.Err() != nil {
			e.err = context.Cause(ctx)
			return
		}
		b := buf[:min(left, int64(len(buf)))]
		if _, err := io.ReadFull(x.f, b); err != nil {
			e.err = fmt.Errorf("frontier: export: %s: %w", x.f.Name(), err)
			return
		}
		sum.Write(b)
		e.write(b)
		left -= int64(len(b))
	}
	e.write(sum.Sum(nil))
}

// Import makes a folder out of an export and of what was written down since, for [Open]. The
// folder must be empty or not exist. The export may be nil: then log is all that was ever
// written down, from the first part on; and log may be nil. Parts that the export has
// already are passed over.
//
// If the export is damaged or cut short, or a part is missing, the error matches [ErrCorrupt]
// and the folder is as it was; so it is with any other error. What was leased when the last
// part was written is offered again after Open.
func Import(dir string, export io.Reader, log iter.Seq2[LogPart, error]) (err error) {
	if left, err := os.ReadDir(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("frontier: import: %w", err)
	} else if len(left) > 0 {
		return fmt.Errorf("frontier: import: %s: the folder is not empty", dir)
	}
	temporary := filepath.Clean(dir) + ".importing"
	if err := os.RemoveAll(temporary); err != nil {
		return fmt.Errorf("frontier: import: %w", err)
	}
	if err := importTo(temporary, export, log); err != nil {
		return errors.Join(diskError(err), os.RemoveAll(temporary))
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("frontier: import: %w", err)
	}
	if err := os.Rename(temporary, dir); err != nil {
		return fmt.Errorf("frontier: import: %w", err)
	}
	parent, err := durable.Open(filepath.Dir(filepath.Clean(dir)))
	if err != nil {
		return diskError(err)
	}
	return diskError(errors.Join(parent.Sync(), parent.Close()))
}

func importTo(dir string, export io.Reader, log iter.Seq2[LogPart, error]) (err error) {
	root, err := durable.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if export != nil {
		r := &importer{r: export, dir: root, all: crc32.New(castagnoli)}
		if err := errors.Join(r.run(), r.close()); err != nil {
			return err
		}
	}
	c := wal.Continue{Dir: root}
	files, err := wal.Survey(root)
	if err != nil {
		return err
	}
	if len(files.Logs) > 0 {
		c.Generation = files.Logs[len(files.Logs)-1]
	}
	if log != nil {
		for p, err := range log {
			if err == nil {
				err = c.Append(wal.Part(p))
			}
			if err != nil {
				return errors.Join(err, c.Close())
			}
		}
	}
	return errors.Join(c.Close(), root.Sync())
}

// importer reads an export.
type importer struct {
	r   io.Reader
	dir *durable.Dir
	all hash.Hash32 // of all that was read
	at  int64

	files []*durable.File // that were made, synced when all is known to be good
}

// close closes the files.
func (r *importer) close() (err error) {
	for _, f := range r.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

func (r *importer) read(b []byte) error {
	n, err := io.ReadFull(r.r, b)
	r.at += int64(n)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.damaged(io.ErrUnexpectedEOF)
	}
	r.all.Write(b)
	return err
}

func (r *importer) damaged(err error) error {
	return &durable.CorruptError{File: "export", Offset: r.at, Err: err}
}

var errExportSum = errors.New("checksum does not match")

func (r *importer) run() error {
	var head [len(exportMagic) + 4]byte
	if err := r.read(head[:]); err != nil {
		return err
	}
	if string(head[:len(exportMagic)]) != exportMagic {
		return r.damaged(errors.New("this is no export of a frontier"))
	}
	if v := binary.LittleEndian.Uint32(head[len(exportMagic):]); v != exportVersion {
		return &durable.CorruptError{File: "export", Err: ErrVersion}
	}
	for n := uint32(0); ; n++ {
		var length [1]byte
		if err := r.read(length[:]); err != nil {
			return err
		}
		if length[0] == 0 {
			return r.end(n)
		}
		if err := r.file(length[0]); err != nil {
			return err
		}
	}
}

// end reads what follows the last file.
func (r *importer) end(files uint32) error {
	var b [4]byte
	if err := r.read(b[:]); err != nil {
		return err
	}
	if n := binary.LittleEndian.Uint32(b[:]); n != files {
		return r.damaged(fmt.Errorf("%d files, and it says %d", files, n))
	}
	want := r.all.Sum32()
	if err := r.read(b[:]); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(b[:]) != want {
		return r.damaged(errExportSum)
	}
	if n, err := io.ReadFull(r.r, b[:1]); n > 0 {
		return r.damaged(errors.New("something follows the end"))
	} else if err != io.EOF {
		return err
	}
	for _, f := range r.files {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// file reads a file, its name having that length.
func (r *importer) file(length byte) error {
	head := make([]byte, 1+int(length)+8)
	head[0] = length
	if err := r.read(head[1:]); err != nil {
		return err
	}
	name := string(head[1 : 1+int(length)])
	left := binary.LittleEndian.Uint64(head[1+int(length):])
	if !wal.IsFile(name) || left > 1<<62 {
		return r.damaged(fmt.Errorf("a file %q of %d bytes", name, left))
	}
	sum := crc32.New(castagnoli)
	sum.Write(head)
	f, err := r.dir.Create(name)
	if err != nil {
		return err
	}
	r.files = append(r.files, f)
	for buf := make([]byte, 256<<10); left > 0; {
		b := buf[:min(left, uint64(len(buf)))]
		if err := r.read(b); err != nil {
			return err
		}
		sum.Write(b)
		if _, err := f.Write(b); err != nil {
			return err
		}
		left -= uint64(len(b))
	}
	var b [4]byte
	if err := r.read(b[:]); err != nil {
		return err
	}
	if binary.BigEndian.Uint32(b[:]) != sum.Sum32() {
		return r.damaged(fmt.Errorf("%s: %w", name, errExportSum))
	}
	return nil
}
