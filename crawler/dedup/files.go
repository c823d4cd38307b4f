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
	"strings"

	"github.com/webquarry/quarry/internal/durable"
)

// The folder of an Index:
//
//	pages     what is kept of each page; it only grows
//	merges    a log of the leaders whose groups became part of another, 16 bytes each
//	run-N     tables of the pages up to some offset, or of several such runs
//	manifest  which runs count, and up to where in pages they reach:
//	          the CRC-32C of the rest in hexadecimal, a space, JSON; replaced in one step
//	lock      who has the folder open
//
// After a crash the pages behind those in runs are read once more, and runs
// that no manifest names are removed.
const (
	manifestFile = "manifest"
	mergesFile   = "merges"
	lockFile     = "lock"
	version      = 1
)

// folder is where an Index on disk lies.
type folder struct {
	dir      *durable.Dir // nil: in memory
	lock     *durable.Lock
	runs     []leveled
	serial   int   // of the last run
	covered  int64 // the pages before this offset are in runs
	inMemory int   // pages that are not
	readers  int   // of Groups, under way
	retired  []*os.File
}

// leveled is a run of 8^Level times Memory pages.
type leveled struct {
	*run
	handle *os.File
	Name   string
	Level  int
}

type manifest struct {
	Version int
	Bands   int
	Covered int64
	Serial  int
	Runs    []leveledName
	Mirrors []seenPair `json:",omitempty"`
}

type leveledName struct {
	Name  string
	Level int
}

// Open opens the Index in a folder, or makes one. With another Distance than
// before the tables are made anew, with another Resemblance old pages keep what
// they have. Where another opener has the folder it is [ErrLocked].
func Open(path string, opt Options) (*Index, error) {
	d, err := durable.Open(path)
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
	x.merges.log, err = durable.OpenLog(x.dir, mergesFile, func(rec []byte) error {
		if len(rec) != 16 {
			return &durable.CorruptError{Err: errors.New("no pair of leaders")}
		}
		x.merges.to[binary.LittleEndian.Uint64(rec)] = binary.LittleEndian.Uint64(rec[8:])
		return nil
	})
	if err != nil {
		return err
	}
	if err := x.openPages(); err != nil {
		return err
	}
	if err := x.readManifest(); err != nil {
		return err
	}
	if err := x.sweep(); err != nil {
		return err
	}
	return x.pages.replay(x.covered, func(at uint64, r pageRecord) error {
		x.note(at, r, false)
		if x.inMemory < x.opt.Memory {
			return nil
		}
		return x.flush()
	})
}

// openPages opens the file of pages and makes it when it is not there.
func (x *Index) openPages() error {
	name := filepath.Join(x.dir.Path(), pagesFile)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	x.pages.file = f
	x.covered = int64(len(pagesMagic))
	head := make([]byte, len(pagesMagic))
	switch n, err := f.ReadAt(head, 0); {
	case err == io.EOF && n < len(head): // new, or it never got further
		if _, err := f.WriteAt([]byte(pagesMagic), 0); err != nil {
			return err
		}
		return errors.Join(f.Sync(), x.dir.Sync())
	case err != nil:
		return err
	case string(head) == firstMagic: // without titles
		_, err := f.WriteAt([]byte(pagesMagic), 0)
		return err
	case string(head) != pagesMagic:
		return &CorruptError{name, 0, errors.New("no file of pages, or of another version")}
	}
	return nil
}

func (x *Index) readManifest() error {
	b, err := x.dir.ReadFile(manifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	name := filepath.Join(x.dir.Path(), manifestFile)
	var m manifest
	if sum, rest, _ := bytes.Cut(b, []byte(" ")); string(sum) != fmt.Sprintf("%08x", crc32.Checksum(rest, castagnoli)) {
		return &CorruptError{name, 0, errors.New("checksum does not match")}
	} else if err := json.Unmarshal(rest, &m); err != nil {
		return &CorruptError{name, 9, err}
	}
	st, err := x.pages.file.Stat()
	if err != nil {
		return err
	}
	if m.Version != version || m.Covered < x.covered || m.Covered > st.Size() {
		return &CorruptError{name, 0, fmt.Errorf("version %d, %d bytes of pages, and there are %d", m.Version, m.Covered, st.Size())}
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
	x.covered = m.Covered
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

func (x *Index) writeManifest() error {
	m := manifest{Version: version, Bands: x.bands() + x.titleBands(), Covered: x.covered, Serial: x.serial, Mirrors: x.mirrors.saved()}
	for _, r := range x.runs {
		m.Runs = append(m.Runs, leveledName{r.Name, r.Level})
	}
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return x.dir.Replace(manifestFile, fmt.Appendf(nil, "%08x %s", crc32.Checksum(b, castagnoli), b))
}

// sweep removes runs that do not count.
func (x *Index) sweep() error {
	names, err := x.dir.List()
	if err != nil {
		return err
	}
	for _, name := range names {
		counts := !strings.HasPrefix(name, "run-")
		for _, r := range x.runs {
			counts = counts || r.Name == name
		}
		if !counts {
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

// release closes all files.
func (x *Index) release() (err error) {
	x.readers = 0
	x.closeRetired()
	for _, r := range x.runs {
		r.handle.Close()
	}
	x.runs = nil
	if x.pages.file != nil {
		err = x.pages.file.Close()
	}
	if x.merges.log != nil {
		err = errors.Join(err, x.merges.log.Close())
	}
	if x.lock != nil {
		err = errors.Join(err, x.lock.Unlock())
	}
	return errors.Join(err, x.dir.Close())
}
