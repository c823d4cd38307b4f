package dedup

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webquarry/quarry/internal/durable"
)

// The folder of an Index:
//
//	pages-G   what is kept of each page
//	merges-G  a log of the leaders whose groups became part of another, 16 bytes each
//	run-G-N   tables of the pages up to some offset, or of several such runs
//	manifest  the generation G that counts, which of its runs do, and up to where in pages
//	          they reach: the CRC-32C of the rest in hexadecimal, a space, JSON; replaced in one step
//	lock      who has the folder open
//
// A compaction writes the files of the next generation beside those that are in use, and the
// manifest makes them count. After a crash the pages behind those in runs are read once more,
// and files that no manifest names are removed.
const (
	manifestFile = "manifest"
	lockFile     = "lock"
	version      = 1
)

func isRunOf(name string, generation int) bool {
	return strings.HasPrefix(name, fmt.Sprintf("run-%d-", generation))
}

var perGeneration = []string{"pages-", "merges-", "run-"}

func (x *Index) pagesName() string    { return fmt.Sprintf("pages-%d", x.generation) }
func (x *Index) mergesName() string   { return fmt.Sprintf("merges-%d", x.generation) }
func (x *Index) runName(n int) string { return fmt.Sprintf("run-%d-%08d", x.generation, n) }
func (x *Index) counts(name string) bool {
	return name == x.pagesName() || name == x.mergesName() ||
		slices.ContainsFunc(x.runs, func(r leveled) bool { return r.Name == name })
}

// folder is where an Index on disk lies.
type folder struct {
	dir      *durable.Dir // nil: in memory
	lock     *durable.Lock
	runs     []leveled
	serial   int   // of the last run
	covered  int64 // the pages before this offset are in runs
	inMemory int   // pages that are not

	coveredCount, coveredStale int // of the records before covered
	generation                 int
	draft                      bool // of a compaction: it has no manifest yet
	readers                    int  // of Groups, under way
	retired                    []*os.File
}

// leveled is a run of 8^Level times Memory pages.
type leveled struct {
	*run
	handle *os.File
	Name   string
	Level  int
}

type manifest struct {
	Version    int
	Generation int
	Bands      int
	Covered    int64
	Count      int
	Stale      int
	Serial     int
	Runs       []leveledName
	Mirrors    []seenPair `json:",omitempty"`
}

type leveledName struct {
	Name  string
	Level int
}

// Open opens the Index in a folder, or makes one. With another Distance than
// before the tables are made anew, with another Resemblance old pages keep what
// they have. Where another opener has the folder it is [ErrLocked].
func Open(path string, opt Options) (*Index, error) { return openHooked(path, opt) }

func openHooked(path string, opt Options, hooks ...durable.Hook) (*Index, error) {
	d, err := durable.Open(path, hooks...)
	if err != nil {
		return nil, ours(err)
	}
	x := &Index{opt: opt, folder: folder{dir: d}}
	x.prepare()
	if err := x.open(); err != nil {
		x.release()
		if _, ok := errors.AsType[*CorruptError](err); ok {
			return nil, err
		}
		return nil, ours(err)
	}
	return x, nil
}

func (x *Index) open() (err error) {
	if x.lock, err = x.dir.Lock(lockFile); err != nil {
		return err
	}
	m, err := x.readManifest()
	if err != nil {
		return err
	}
	x.generation = m.Generation
	if err := x.openGeneration(); err != nil {
		return err
	}
	if err := x.take(m); err != nil {
		return err
	}
	if err := x.sweep(); err != nil {
		return err
	}
	err = x.pages.replay(x.covered, func(at uint64, r pageRecord) error {
		_, _, known, err := x.latest(r.url)
		if err != nil {
			return err
		}
		x.note(at, r, false, known && !r.former)
		if x.inMemory < x.opt.Memory {
			return nil
		}
		return x.flush()
	})
	if err == nil {
		x.compactIfStale()
	}
	return err
}

// openGeneration opens the files that records are appended to, and makes those that are not there.
func (x *Index) openGeneration() (err error) {
	x.merges.log, err = durable.OpenLog(x.dir, x.mergesName(), func(rec []byte) error {
		if len(rec) != 16 {
			return &durable.CorruptError{Err: errors.New("no pair of leaders")}
		}
		x.merges.to[binary.LittleEndian.Uint64(rec)] = binary.LittleEndian.Uint64(rec[8:])
		return nil
	})
	if err != nil {
		return err
	}
	if x.pages.out, err = x.dir.OpenAppend(x.pagesName()); err != nil {
		return err
	}
	if x.pages.file, err = x.dir.OpenFile(x.pagesName()); err != nil {
		return err
	}
	x.covered = int64(len(pagesMagic))
	x.pages.size = x.covered
	head := make([]byte, len(pagesMagic))
	switch n, err := x.pages.file.ReadAt(head, 0); {
	case err == io.EOF && n < len(head): // new, or it never got further
		if err := x.pages.out.Truncate(0); err != nil {
			return err
		}
		if _, err := x.pages.out.Write([]byte(pagesMagic)); err != nil {
			return err
		}
		return errors.Join(x.pages.out.Sync(), x.dir.Sync())
	case err != nil:
		return err
	case string(head) != pagesMagic:
		return &CorruptError{x.pages.out.Path(), 0, errors.New("no file of pages, or of another version")}
	}
	return nil
}

// readManifest returns the manifest of the folder; that of a new folder is zero.
func (x *Index) readManifest() (m manifest, err error) {
	b, err := x.dir.ReadFile(manifestFile)
	name := filepath.Join(x.dir.Path(), manifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		names, err := x.dir.List()
		for _, n := range names {
			if strings.HasPrefix(n, "pages-") && n != x.pagesName() {
				return m, &CorruptError{name, 0, fmt.Errorf("there is none, but there is %s", n)}
			}
		}
		return m, err
	}
	if err != nil {
		return m, err
	}
	if sum, rest, _ := bytes.Cut(b, []byte(" ")); string(sum) != fmt.Sprintf("%08x", crc32.Checksum(rest, castagnoli)) {
		return m, &CorruptError{name, 0, errors.New("checksum does not match")}
	} else if err := json.Unmarshal(rest, &m); err != nil {
		return m, &CorruptError{name, 9, err}
	}
	if m.Version != version {
		return m, &CorruptError{name, 0, fmt.Errorf("version %d", m.Version)}
	}
	return m, nil
}

// take takes in what a manifest says.
func (x *Index) take(m manifest) error {
	if m.Version == 0 {
		return nil
	}
	name := filepath.Join(x.dir.Path(), manifestFile)
	st, err := x.pages.file.Stat()
	if err != nil {
		return err
	}
	if m.Covered < x.covered || m.Covered > st.Size() {
		return &CorruptError{name, 0, fmt.Errorf("%d bytes of pages, and there are %d", m.Covered, st.Size())}
	}
	x.serial = m.Serial
	x.mirrors.restore(m.Mirrors)
	if m.Bands != x.bands()+x.titleBands() {
		return nil // the tables are for another distance
	}
	for _, l := range m.Runs {
		r, err := x.openLeveled(l.Name, l.Level)
		if errors.Is(err, fs.ErrNotExist) {
			return &CorruptError{name, 0, err}
		}
		if err != nil {
			return err
		}
		x.runs = append(x.runs, r)
	}
	x.covered, x.count, x.stale = m.Covered, m.Count, m.Stale
	x.coveredCount, x.coveredStale = m.Count, m.Stale
	return nil
}

// openLeveled opens the run of a name.
func (x *Index) openLeveled(name string, level int) (leveled, error) {
	f, err := x.dir.OpenFile(name)
	if err != nil {
		return leveled{}, err
	}
	st, err := f.Stat()
	if err == nil {
		var r *run
		if r, err = openRun(f, st.Size(), f.Name()); err == nil && len(r.tables) != len(x.recent) {
			err = &CorruptError{f.Name(), st.Size(), fmt.Errorf("has %d tables", len(r.tables))}
		}
		if err == nil {
			return leveled{r, f, name, level}, nil
		}
	}
	f.Close()
	return leveled{}, err
}

// writeManifest makes the runs count, and the generation.
func (x *Index) writeManifest() error {
	if x.draft {
		return nil
	}
	if err := x.dir.Sync(); err != nil { // the names of the files come before that of the manifest
		return err
	}
	m := manifest{
		Version: version, Generation: x.generation, Bands: x.bands() + x.titleBands(), Covered: x.covered,
		Count: x.coveredCount, Stale: x.coveredStale, Serial: x.serial, Mirrors: x.mirrors.saved(),
	}
	for _, r := range x.runs {
		m.Runs = append(m.Runs, leveledName{r.Name, r.Level})
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return x.dir.Replace(manifestFile, fmt.Appendf(nil, "%08x %s", crc32.Checksum(b, castagnoli), b))
}

// sweep removes files that do not count.
func (x *Index) sweep() error {
	names, err := x.dir.List()
	if err != nil {
		return err
	}
	for _, name := range names {
		of := func(kind string) bool { return strings.HasPrefix(name, kind) }
		if slices.ContainsFunc(perGeneration, of) && !x.counts(name) {
			if err := x.dir.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// retire closes the file of a run once nobody reads it.
func (x *Index) retire(f *os.File) {
	x.retired = append(x.retired, f)
	x.closeRetired()
}

func (x *Index) closeRetired() {
	if x.readers > 0 {
		return
	}
	for _, f := range x.retired {
		f.Close()
	}
	x.retired = nil
}

// closeFiles closes the files of the generation.
func (x *Index) closeFiles() (err error) {
	x.readers = 0
	x.closeRetired()
	for _, r := range x.runs {
		r.handle.Close()
	}
	x.runs = nil
	if x.pages.file != nil {
		x.pages.file.Close()
	}
	if x.pages.out != nil {
		err = x.pages.out.Close()
	}
	if x.merges.log != nil {
		err = errors.Join(err, x.merges.log.Close())
	}
	return err
}

// release closes all files and lets go of the folder.
func (x *Index) release() (err error) {
	err = x.closeFiles()
	if x.lock != nil {
		err = errors.Join(err, x.lock.Unlock())
	}
	return errors.Join(err, x.dir.Close())
}
