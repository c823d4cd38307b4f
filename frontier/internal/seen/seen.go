package seen

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/webquarry/quarry/internal/durable"
)

// ErrClosed is returned by all methods that can fail after Close.
var ErrClosed = errors.New("frontier: seen set: closed")

// What Options are if they are not set.
const (
	defaultMemory = 64 << 20
	defaultMapped = 52 << 20
)

// Options says how a set is kept. The zero value is good for a hundred million
// URLs and more.
type Options struct {
	// Memory is how many bytes the URLs may take that are not in a file yet; 0:
	// 64 MiB, which is 3 million URLs waiting for others and as many being
	// written. Filters are not in it: they take 1.25 bytes a URL.
	Memory int

	// Mapped is how many bytes of the files are mapped, the small ones first: a known
	// URL is found there in a sixth of the time that a read takes. A page of them
	// counts as memory of the process once it was touched, with fifteen around it, so
	// that what is mapped is soon in it as a whole; 0: 52 MiB, which is nearly all of ten
	// million URLs, negative: none. A file takes some 6 bytes a URL.
	Mapped int
}

// mapped is Mapped with its default.
func (o Options) mapped() int { return max(cmp.Or(o.Mapped, defaultMapped), 0) }

// keys is how many keys a table may hold: there are two, of which three slots in
// four are used.
func (o Options) keys() int {
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	return max(o.Memory/2/8*3/4, 4*batch)
}

// Set is a set of fingerprints. All methods may be called from many goroutines.
// Nothing that happens in the background keeps those who read it waiting.
//
// After a failed operation on the disk the set takes no more: the methods that
// change it return the error, and the folder can be opened again.
type Set struct {
	dir   *durable.Dir // nil: in memory
	limit int          // keys of a table; 0: any number
	most  int          // bytes of runs that are mapped

	mu     sync.RWMutex // guards tier and state; readers hold it while they read
	tier   tier
	state  state
	halt   atomic.Bool   // the set is closed or has failed
	change chan struct{} // closed and replaced when a table was written, or never will be

	commit  sync.Mutex // held by who writes the manifest; taken before mu
	running sync.WaitGroup
}

// tier is where keys are: each in one place.
type tier struct {
	active *table
	frozen []frozen // waiting to be written, oldest first
	runs   []*run   // the largest first
	spare  *table   // empty, nil: none
	lately lately   // not empty if there are runs
}

// state is what is going on.
type state struct {
	mark      uint64 // committed
	pending   uint64 // the mark of the last freeze
	epoch     int    // of the active table, see freeze.go
	committed int    // all epochs before it are
	number    uint32 // of the last run
	freezing  bool
	merging   bool
	closed    bool
	left      int // keys of what was given back by Close
	failed    error
}

// New makes a set in memory. It grows as it must; Freeze and Commit do nothing.
func New() *Set {
	return &Set{tier: tier{active: newTable(0)}, change: make(chan struct{})}
}

// Open opens the set in a folder, and makes one where there is none. The folder
// must be locked by the caller and stay open until the set is closed; the set
// owns the names "seen", "seen.tmp" and "seen-" with digits in it. Damage is a
// *[durable.CorruptError], what another version wrote matches [ErrVersion].
//
// The set is what it was at the Freeze that was committed last, and Mark says
// which that was. Open reads 1.25 bytes for each URL.
func Open(dir *durable.Dir, opt Options) (*Set, error) {
	s := &Set{dir: dir, limit: opt.keys(), most: opt.mapped(), change: make(chan struct{})}
	s.tier.active = newTable(s.limit)
	s.state.epoch, s.state.committed = 1, 1
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	s.state.mark, s.state.pending = m.mark, m.mark
	if err := sweep(dir, m); err != nil {
		return nil, err
	}
	for _, e := range m.runs {
		r, err := openRun(dir, e)
		if err != nil {
			return nil, errors.Join(err, s.release())
		}
		s.place(r)
		s.state.number = e.number
	}
	s.mergeSoon()
	return s, nil
}

// readManifest reads the manifest, and writes the first one of a set.
func readManifest(dir *durable.Dir) (manifest, error) {
	b, err := dir.ReadFile(manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return begin(dir)
	}
	if err != nil {
		return manifest{}, err
	}
	m, err := decodeManifest(b)
	path := filepath.Join(dir.Path(), manifestName)
	if errors.Is(err, ErrVersion) {
		err = fmt.Errorf("%w: %s", err, path)
	} else if err != nil {
		err = &durable.CorruptError{File: path, Err: err}
	}
	return m, err
}

// begin writes the manifest of a new set. A set has one before it has a run, so
// that runs without one are what is left of a set that was damaged.
func begin(dir *durable.Dir) (manifest, error) {
	names, err := dir.List()
	if err != nil {
		return manifest{}, err
	}
	if i := slices.IndexFunc(names, isRun); i >= 0 {
		err := fmt.Errorf("it is missing, and there is %s", names[i])
		return manifest{}, &durable.CorruptError{File: filepath.Join(dir.Path(), manifestName), Err: err}
	}
	return manifest{}, dir.Replace(manifestName, manifest{}.encode())
}

// isRun says whether a name is that of a run.
func isRun(name string) bool {
	digits, ok := strings.CutPrefix(name, manifestName+"-")
	return ok && len(digits) >= 6 && strings.Trim(digits, "0123456789") == ""
}

// IsFile says whether a name is that of a file of a set.
func IsFile(name string) bool { return name == manifestName || isRun(name) }

// Hold calls open with the names of the files that hold what was committed, none of which is
// removed or replaced before it returns.
func (s *Set) Hold(open func(name string) error) error {
	if s.dir == nil {
		return nil
	}
	s.commit.Lock()
	defer s.commit.Unlock()
	s.mu.RLock()
	err := s.usable()
	s.mu.RUnlock()
	if err != nil {
		return err
	}
	m, err := readManifest(s.dir)
	if err == nil {
		err = open(manifestName)
	}
	for _, e := range m.runs {
		if err == nil {
			err = open(runName(e.number))
		}
	}
	return err
}

// sweep removes what was never committed, and what was merged.
func sweep(dir *durable.Dir, m manifest) error {
	names, err := dir.List()
	if err != nil {
		return err
	}
	named := map[string]bool{}
	for _, e := range m.runs {
		named[runName(e.number)] = true
	}
	for _, name := range names {
		if isRun(name) && !named[name] || name == manifestName+".tmp" {
			if err := dir.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// Len returns how many fingerprints are in the set, or were when it was closed.
func (s *Set) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.tier.len() + s.state.left
}

func (t *tier) len() int {
	n := t.active.n
	for _, f := range t.frozen {
		n += f.table.n
	}
	for _, r := range t.runs {
		n += r.keys
	}
	return n
}

// Mark returns the mark of the last Freeze that was committed, 0 before the
// first.
func (s *Set) Mark() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state.mark
}

// Usage is what a set takes.
type Usage struct {
	Runs   int   // files
	Memory int64 // bytes, without what the system keeps of the files
	Disk   int64 // bytes
}

// Usage returns what the set takes now.
func (s *Set) Usage() Usage {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := &s.tier
	u := Usage{Runs: len(t.runs), Memory: int64(t.active.bytes() + 8*len(t.lately))}
	if t.spare != nil {
		u.Memory += int64(t.spare.bytes())
	}
	for _, f := range t.frozen {
		u.Memory += int64(f.table.bytes())
	}
	for _, r := range t.runs {
		u.Memory += int64(len(r.filter.bits) + 8*len(r.fences) + 8*len(r.checked))
		u.Disk += r.size
	}
	return u
}

// Close ends what goes on in the background: what is being written is finished,
// a merge is given up. What was not committed is gone.
func (s *Set) Close() error {
	s.mu.Lock()
	if s.state.closed {
		s.mu.Unlock()
		return nil
	}
	s.state.closed = true
	s.halt.Store(true)
	s.changed()
	s.mu.Unlock()
	s.running.Wait()
	s.commit.Lock() // a Commit may be under way
	defer s.commit.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.release()
}

// release gives files and mappings back.
func (s *Set) release() error {
	var errs []error
	for _, r := range s.tier.runs {
		errs = append(errs, r.close())
	}
	s.state.left = s.tier.len() - s.tier.active.n
	s.tier.runs, s.tier.frozen = nil, nil
	return errors.Join(errs...)
}

// usable says why the set cannot be changed. The caller holds mu.
func (s *Set) usable() error {
	if s.state.closed {
		return ErrClosed
	}
	return s.state.failed
}

// fail makes the set take no more.
func (s *Set) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.failed == nil {
		s.state.failed = err
		s.halt.Store(true)
	}
	s.changed()
}

// changed wakes those who wait. The caller holds mu.
func (s *Set) changed() {
	close(s.change)
	s.change = make(chan struct{})
}
