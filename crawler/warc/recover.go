package warc

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/webquarry/quarry/internal/durable"
)

// recover completes the files that a crash has left open, learns which payloads
// are there already, and how the files are counted.
func (w *Writer) recover() error {
	names, err := w.dir.List()
	if err != nil {
		return err
	}
	for _, name := range names {
		if base, ok := strings.CutSuffix(name, openSuffix); ok && isArchive(base) {
			if err := w.mend(base); err != nil {
				return err
			}
		}
		w.serial = max(w.serial, serialOf(name))
	}
	return w.recall(names)
}

// recall learns which payloads are there: from what the last Writer has left, and from the
// indexes of files that it did not know. How many files there are makes no difference.
func (w *Writer) recall(names []string) error {
	var there []string
	for _, name := range names {
		if base := strings.TrimSuffix(name, openSuffix); isArchive(base) {
			there = append(there, base)
		}
	}
	until := w.seen.restore(w.dir, there)
	read := false
	for i := len(there) - 1; i >= 0 && !w.seen.full(); i-- {
		if until == 0 || serialOf(there[i]) > until {
			w.seen.load(w.dir, indexOf(there[i]))
			read = true
		}
	}
	if !read {
		return nil
	}
	return w.seen.save(w.dir, w.serial)
}

// serialOf is the number at the end of a file's name.
func serialOf(name string) int {
	name, _, _ = strings.Cut(name, ".")
	n, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
	if err != nil {
		return 0
	}
	return n
}

// mend cuts off what is not whole at the end of an open file and completes it.
// A file without a record is removed.
func (w *Writer) mend(name string) error {
	f, err := w.dir.OpenFile(name + openSuffix)
	if err != nil {
		return err
	}
	entries, end, err := survey(f, name)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if end == 0 {
		return w.dir.Remove(name + openSuffix)
	}
	if err := cut(w.dir, name+openSuffix, end); err != nil {
		return err
	}
	return w.finish(name, entries)
}

// cut leaves size bytes of a file.
func cut(d *durable.Dir, name string, size int64) error {
	f, err := d.OpenAppend(name)
	if err != nil {
		return err
	}
	err = f.Truncate(size)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// survey reads a file that was being written, up to the first record that is
// not whole, and returns where that begins.
func survey(f *os.File, name string) (entries []Entry, end int64, err error) {
	r := NewReader(f, name)
	for {
		rec, err := r.Next()
		if rec == nil && err != io.EOF && !isDamage(err) {
			return nil, 0, err
		}
		if rec == nil || err != nil || rec.Offset != end {
			return entries, end, nil
		}
		e, behind := rec.entry(name), r.behind
		if end, err = r.passed(f, behind, rec); err != nil || end == rec.Offset {
			return entries, rec.Offset, err
		}
		if e != nil {
			e.Length = end - rec.Offset
			entries = append(entries, *e)
		}
	}
}

// passed goes to the end of a record that was written by this package, with two
// line ends behind the block and a gzip member around it, and returns the offset
// there; where anything is amiss, that of the record.
func (r *Reader) passed(f io.ReaderAt, behind int64, rec *Record) (int64, error) {
	if err := r.finish(); err != nil {
		if isDamage(err) {
			return rec.Offset, nil
		}
		return 0, err
	}
	const ends = "\r\n\r\n"
	if !r.s.packed {
		var tail [len(ends)]byte
		if _, err := f.ReadAt(tail[:], behind+rec.Size); err != nil || string(tail[:]) != ends {
			return rec.Offset, nil
		}
		return behind + rec.Size + int64(len(ends)), nil
	}
	if tail, err := io.ReadAll(r.s.in); err != nil || string(tail) != ends {
		return rec.Offset, r.s.failed
	}
	return r.s.at(), nil
}

// isArchive reports whether a file is an archive by its name.
func isArchive(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".zst")
	for _, suffix := range [...]string{".warc", ".arc", ".wet", ".wat"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
