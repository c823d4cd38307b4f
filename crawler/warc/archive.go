package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// Archive is a set of files to find captures in by URL. It goes by the CDXJ index
// beside a file, and makes one in memory, by reading the whole file, where there
// is none. Its methods may be called from many goroutines.
type Archive struct {
	MaxBody int64 // bytes of a decoded body in a Response, as in crawler.HTTP; 8 MiB. To be set before use

	files   []string
	indexes []*index
}

// OpenArchive takes files, and folders with all archives and indexes in them.
// A CDXJ index may also be given alone; its files are looked for beside it.
func OpenArchive(paths ...string) (*Archive, error) {
	a := &Archive{}
	for _, p := range paths {
		st, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		names := []string{p}
		if st.IsDir() {
			if names, err = inFolder(p); err != nil {
				return nil, err
			}
		}
		for _, name := range names {
			a.add(name)
		}
	}
	if len(a.files) == 0 && len(a.indexes) == 0 {
		return nil, fmt.Errorf("%w: no archive in %s", ErrNoCapture, strings.Join(paths, ", "))
	}
	return a, nil
}

// inFolder lists the archives of a folder, in the order of their names, and so
// those of a Writer in that of their time.
func inFolder(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() && isArchive(e.Name()) {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names, nil
}

func (a *Archive) add(name string) {
	if strings.HasSuffix(name, indexSuffix) {
		a.indexes = append(a.indexes, &index{path: name})
		return
	}
	a.files = append(a.files, name)
	ix := &index{archive: name}
	if beside := filepath.Join(filepath.Dir(name), indexOf(filepath.Base(name))); isFile(beside) {
		ix.path = beside
	}
	a.indexes = append(a.indexes, ix)
}

func isFile(name string) bool {
	st, err := os.Stat(name)
	return err == nil && st.Mode().IsRegular()
}

// Records walks the records of all files in order, as [Reader.Records] does.
func (a *Archive) Records() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for _, name := range a.files {
			if !recordsOf(name, yield) {
				return
			}
		}
	}
}

func recordsOf(name string, yield func(*Record, error) bool) bool {
	r, err := Open(name)
	if err != nil {
		return yield(nil, err)
	}
	defer r.Close()
	for rec, err := range r.Records() {
		if !yield(rec, err) {
			return false
		}
	}
	return true
}

// Find returns the captures of a URL, oldest first: those whose URL is the same
// after package canon, not all that share a SURT.
func (a *Archive) Find(url string) ([]Entry, error) {
	key, same := urlnorm.SURT(url), canonical(url)
	var found []Entry
	for _, ix := range a.indexes {
		entries, err := ix.find(key)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.URL == url || canonical(e.URL) == same {
				found = append(found, e)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Entry) int { return a.Time.Compare(b.Time) })
	return found, nil
}

func canonical(url string) string {
	if u, err := urlnorm.URL("", url); err == nil {
		return u
	}
	return url
}

// Load opens the record of a capture. It is to be closed after it was read.
func (a *Archive) Load(e Entry) (rec *Record, done io.Closer, err error) {
	if st, err := os.Stat(e.File); err == nil && !st.Mode().IsRegular() { // a pipe would never open, a device never end
		return nil, nil, &Error{File: e.File, Err: fmt.Errorf("%w: it is no regular file", ErrHeader)}
	}
	f, err := os.Open(e.File)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	if _, err := f.Seek(e.Offset, io.SeekStart); err != nil {
		return nil, nil, err
	}
	r := NewReader(struct{ io.Reader }{f}, e.File)
	r.s.read = e.Offset
	for {
		rec, err := r.Next()
		switch {
		case err == io.EOF || rec != nil && rec.Offset > e.Offset:
			return nil, nil, fmt.Errorf("%w: %s at offset %d of %s", ErrNoCapture, e.URL, e.Offset, e.File)
		case err != nil:
			return nil, nil, err
		case rec.URL == e.URL && (e.Time.IsZero() || rec.Date.Format(cdxTime) == e.Time.Format(cdxTime)):
			return rec, f, nil
		}
	}
}

// index is a CDXJ on disk, or what stands in for it.
type index struct {
	path    string // of the CDXJ; empty: none
	archive string // the file that it is of; empty: several, that it names

	once    sync.Once
	entries []Entry // where there is no CDXJ
	err     error
}

// find returns the entries of a key.
func (ix *index) find(key string) (found []Entry, err error) {
	if ix.path == "" {
		ix.once.Do(ix.make)
		at, _ := slices.BinarySearchFunc(ix.entries, key, func(e Entry, key string) int { return strings.Compare(e.Key, key) })
		for ; at < len(ix.entries) && ix.entries[at].Key == key; at++ {
			found = append(found, ix.entries[at])
		}
		return found, ix.err
	}
	f, err := os.Open(ix.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines, err := search(f, key+" ")
	for _, line := range lines {
		e, err := ParseEntry(line)
		if err != nil {
			return nil, &Error{File: ix.path, Err: err}
		}
		if e.File, err = ix.file(e.File); err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	return found, err
}

// file is the path of the file that an entry names: beside the index or below
// its folder, whatever the index says.
func (ix *index) file(name string) (string, error) {
	if ix.archive != "" {
		return ix.archive, nil
	}
	local := filepath.FromSlash(name)
	if !filepath.IsLocal(local) {
		return "", &Error{File: ix.path, Err: fmt.Errorf("%w: it names %.200q, which is not below its folder", ErrHeader, name)}
	}
	return filepath.Join(filepath.Dir(ix.path), local), nil
}

// make reads the archive. Of a damaged one there are the captures that can be
// read.
func (ix *index) make() {
	r, err := Open(ix.archive)
	if err != nil {
		ix.err = err
		return
	}
	defer r.Close()
	for e, err := range r.Index(ix.archive) {
		switch {
		case err == nil:
			ix.entries = append(ix.entries, e)
		case !isDamage(err):
			ix.err = err
			return
		}
	}
	slices.SortStableFunc(ix.entries, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
}

// search returns the lines of a sorted file that begin with a prefix.
func search(f *os.File, prefix string) (lines []string, err error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	low, high := int64(0), st.Size() // the first such line begins between them
	for low < high {
		mid := (low + high) / 2
		line, at, err := lineBehind(f, mid)
		if err != nil {
			return nil, err
		}
		if line != "" && line < prefix {
			low = at + int64(len(line)) + 1
		} else {
			high = mid
		}
	}
	for at := low; ; {
		line, begins, err := lineBehind(f, at)
		if err != nil || !strings.HasPrefix(line, prefix) {
			return lines, err
		}
		lines = append(lines, line)
		at = begins + int64(len(line)) + 1
	}
}

// lineBehind reads the first line that begins at an offset or behind it, and
// says where it begins. At the end of the file it is empty.
func lineBehind(f *os.File, offset int64) (line string, at int64, err error) {
	at = offset
	if offset > 0 {
		offset-- // a line may begin right here
	}
	var got []byte
	block := make([]byte, 4096)
	inside := at > 0 // before the line that is wanted
	for {
		n, err := f.ReadAt(block, offset)
		if err != nil && !errors.Is(err, io.EOF) {
			return "", 0, err
		}
		part := block[:n]
		if inside {
			if end := bytes.IndexByte(part, '\n'); end >= 0 {
				inside, at, part = false, offset+int64(end)+1, part[end+1:]
			} else {
				part = nil
			}
		}
		offset += int64(n)
		if !inside {
			end := bytes.IndexByte(part, '\n')
			if end >= 0 {
				return string(append(got, part[:end]...)), at, nil
			}
			got = append(got, part...)
		}
		if n == 0 || err != nil || len(got) > maxHeader {
			return string(got), at, nil
		}
	}
}
