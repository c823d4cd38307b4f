package frontier

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/frontier/internal/seen"
	"github.com/webquarry/quarry/internal/durable"
)

// A URL is known by a fingerprint of 64 bits. With [Options].Wide there is a second
// one, in a set of its own, and a URL is known only if both are. One whose first
// fingerprint belongs to another URL, though it is new, is a twin: what is in memory
// goes by its second fingerprint instead. Twins are so rare that all of them are kept.

// wideFolder holds the second set.
const wideFolder = "wide"

// secondSeed makes the second fingerprint another than the first.
const secondSeed = 0x9e3779b97f4a7c15

// wide is the set of second fingerprints.
type wide struct {
	set   *seen.Set    // nil: there are none
	dir   *durable.Dir // nil: in memory
	fps   []uint64     // of a batch
	fresh []bool       // of those, which are new
}

// twins are the URLs that go by their second fingerprint.
type twins struct {
	seconds map[uint64]map[uint64]struct{} // by the first
	pairs   int
	mask    uint64 // cuts first fingerprints, for tests; 0: it does not
}

// second is the other fingerprint of a URL.
func (u *urls) second(url string) uint64 { return fingerprint(url, u.seed^secondSeed) }

// cut is a first fingerprint as it is stored.
func (t *twins) cut(fp uint64) uint64 {
	if t.mask != 0 {
		return fp & t.mask
	}
	return fp
}

// key is what a URL goes by in memory.
func (u *urls) key(url string) uint64 { return u.keyOf(fingerprint(url, u.seed), url) }

// keyOf is the same for who knows the first fingerprint.
func (u *urls) keyOf(fp uint64, url string) uint64 {
	if fp = u.cut(fp); u.pairs > 0 {
		second := u.second(url)
		if _, ok := u.seconds[fp][second]; ok {
			return second
		}
	}
	return fp
}

// keyBytes is key of bytes.
func (u *urls) keyBytes(url []byte) uint64 {
	fp := xxh3.HashSeed(url, u.seed)
	if u.pairs == 0 {
		return u.cut(fp)
	}
	return u.keyOf(fp, string(url))
}

// twin notes that a URL goes by its second fingerprint.
func (t *twins) twin(fp, second uint64) {
	if t.seconds == nil {
		t.seconds = map[uint64]map[uint64]struct{}{}
	}
	if t.seconds[fp] == nil {
		t.seconds[fp] = map[uint64]struct{}{}
	}
	if _, ok := t.seconds[fp][second]; !ok {
		t.seconds[fp][second] = struct{}{}
		t.pairs++
	}
}

// sift says which of the candidates in f.fps are new, in f.fresh, and gives each
// what it goes by.
func (f *front) sift(cs []candidate) error {
	w := &f.wide
	if w.set != nil {
		w.fps = w.fps[:0]
		for i := range cs {
			f.fps[i] = f.sched.cut(f.fps[i])
			w.fps = append(w.fps, f.sched.second(cs[i].URL))
		}
		w.fresh = append(w.fresh[:0], f.fresh...)
		if _, err := w.set.Add(context.Background(), w.fps, w.fresh); err != nil {
			return err
		}
	}
	// Whatever becomes of a context: what is in the set must be queued.
	if _, err := f.seen.Add(context.Background(), f.fps, f.fresh); err != nil || w.set == nil {
		return err
	}
	for i := range cs {
		if !f.fresh[i] && w.fresh[i] {
			f.sched.twin(f.fps[i], w.fps[i])
			f.journal.twin(f.fps[i], w.fps[i])
			f.fresh[i] = true
		}
		cs[i].fp = f.sched.keyOf(f.fps[i], cs[i].URL)
	}
	return nil
}

// known says whether a URL was ever added.
func (f *front) known(url string) (bool, error) {
	ok, err := f.seen.HasOne(f.sched.cut(fingerprint(url, f.sched.seed)))
	if ok && err == nil && f.wide.set != nil {
		ok, err = f.wide.set.HasOne(f.sched.second(url))
	}
	return ok, err
}

// sure says whether a URL that seems to be in memory is. With 64 bits nothing tells
// it from one that only looks like it.
func (f *front) sure(url string) bool {
	if f.wide.set == nil {
		return true
	}
	ok, _ := f.known(url)
	return ok
}

func (j *journal) twin(fp, second uint64) {
	if j != nil {
		j.steps.twin(fp, second)
	}
}

// openWide opens the set of second fingerprints of a folder that has one, or is new
// and is to have one.
func (d *Disk) openWide(make bool, state, last uint64, hook []durable.Hook) error {
	path := filepath.Join(d.dir.Path(), wideFolder)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !make {
		return nil
	}
	dir, err := durable.Open(path, hook...)
	if err != nil {
		return err
	}
	d.wide.dir = dir
	if d.wide.set, err = seen.Open(dir, seen.Options{}); err != nil {
		return err
	}
	return checkMark(d.wide.set, path, state, last)
}

// freeze and commit are those of the set, if there is one.
func (w *wide) freeze(mark uint64) {
	if w.set != nil {
		w.set.Freeze(mark)
	}
}

func (w *wide) commit() error {
	if w.set == nil {
		return nil
	}
	return w.set.Commit(context.Background())
}

func (w *wide) close() error {
	var errs []error
	if w.set != nil {
		errs = append(errs, w.set.Close())
	}
	if w.dir != nil {
		errs = append(errs, w.dir.Close())
	}
	return errors.Join(errs...)
}
