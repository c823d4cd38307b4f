package seen

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/webquarry/quarry/internal/durable"
)

// small makes tables of 512 keys.
var small = Options{Memory: 1}

func openSet(t testing.TB, path string, hook ...durable.Hook) *Set {
	t.Helper()
	s, err := tryOpen(t, path, hook...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tryOpen(t testing.TB, path string, hook ...durable.Hook) (*Set, error) {
	t.Helper()
	dir, err := durable.Open(path, hook...)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { dir.Close() })
	s, err := Open(dir, small)
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

// model is the slow twin of a set.
type model map[uint64]bool

// add adds to both and compares.
func (m model) add(t testing.TB, s *Set, fps []uint64) {
	t.Helper()
	isNew := make([]bool, len(fps))
	added, err := s.Add(t.Context(), fps, isNew)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for i, fp := range fps {
		if isNew[i] == m[fp] {
			t.Fatalf("fingerprint %x: new is %v", fp, isNew[i])
		}
		if !m[fp] {
			want++
		}
		m[fp] = true
	}
	if added != want {
		t.Fatalf("%d added, want %d", added, want)
	}
}

// compare looks for all that the model has and for some that it does not have.
func (m model) compare(t testing.TB, s *Set) {
	t.Helper()
	if s.Len() != len(m) {
		t.Fatalf("%d in the set, want %d", s.Len(), len(m))
	}
	fps := slices.Collect(maps.Keys(m))
	for range 1000 {
		fps = append(fps, rand.Uint64())
	}
	known := make([]bool, len(fps))
	for range 2 { // the second time blocks are read
		if err := s.Has(fps, known); err != nil {
			t.Fatal(err)
		}
		for i, fp := range fps {
			if known[i] != m[fp] {
				t.Fatalf("fingerprint %x: known is %v", fp, known[i])
			}
		}
		unmap(t, s)
	}
}

// unmap makes all runs such as large ones are of which nothing was found yet.
func unmap(t testing.TB, s *Set) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tier.lately)
	for _, r := range s.tier.runs {
		if r.blocks == nil {
			continue
		}
		if err := r.blocks.Unmap(); err != nil {
			t.Fatal(err)
		}
	}
}

// some are fingerprints of which many come again, and some twice at once.
func some(rng *rand.Rand, n int) []uint64 {
	fps := make([]uint64, n)
	for i := range fps {
		switch rng.IntN(4) {
		case 0:
			fps[i] = rng.Uint64()
		case 1:
			fps[i] = fps[rng.IntN(i+1)]
		default:
			fps[i] = rng.Uint64N(20_000)
		}
	}
	return fps
}

// TestMapped makes a set of which not all may be mapped: the small runs are, and all is
// found.
func TestMapped(t *testing.T) {
	t.Parallel()
	for _, most := range []int{-1, 1, 20_000, 100_000, 0} {
		dir, err := durable.Open(scratch(t))
		if err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir, Options{Memory: 1, Mapped: most})
		if err != nil {
			t.Fatal(err)
		}
		m := model{}
		for n := range uint64(12) {
			fps := make([]uint64, 700)
			for i := range fps {
				fps[i] = n*500 + uint64(i)
			}
			m.add(t, s, fps)
			m.compare(t, s)
		}
		s.mu.Lock()
		s.mapRuns() // compare has unmapped all
		mapped, size, all := 0, 0, 0
		for _, r := range slices.Backward(s.tier.runs) {
			if mapped < all && len(r.blocks) > 0 {
				t.Error("a larger run is mapped instead of a smaller one")
			}
			if r.keys < size {
				t.Error("a larger run comes later")
			}
			mapped, size, all = mapped+len(r.blocks), r.keys, all+len(r.fences)*blockSize
		}
		if want := min((Options{Mapped: most}).mapped(), all); mapped > want || mapped <= want-blockSize {
			t.Errorf("of %d bytes %d are mapped, want %d", all, mapped, want)
		}
		s.mu.Unlock()
		if err := errors.Join(s.Close(), dir.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestRandom does random things to a set and to a map; what was not committed is
// gone when the set is opened again.
func TestRandom(t *testing.T) {
	t.Parallel()
	seeds := uint64(4)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 3))
		path := scratch(t)
		s := openSet(t, path)
		now, frozen, committed := model{}, model{}, model{}
		var mark, pending uint64
		for range 400 {
			switch x := rng.IntN(100); {
			case x < 80:
				now.add(t, s, some(rng, rng.IntN(600)))
			case x < 88:
				pending = rng.Uint64()
				s.Freeze(pending)
				frozen = maps.Clone(now)
			case x < 94:
				if err := s.Commit(t.Context()); err != nil {
					t.Fatal(err)
				}
				mark, committed = pending, maps.Clone(frozen)
			case x < 97:
				now.compare(t, s)
			default:
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				s = openSet(t, path)
				now, frozen, pending = maps.Clone(committed), maps.Clone(committed), mark
			}
			if s.Mark() != mark {
				t.Fatalf("mark %d, want %d", s.Mark(), mark)
			}
		}
		now.compare(t, s)
	}
}

// TestMemoryOnly is a set without a folder.
func TestMemoryOnly(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 4))
	s, m := New(), model{}
	for range 500 {
		m.add(t, s, some(rng, 300))
	}
	s.Freeze(5)
	if err := s.Commit(t.Context()); err != nil || s.Mark() != 0 {
		t.Error(err, s.Mark())
	}
	m.compare(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestOne adds and finds one at a time.
func TestOne(t *testing.T) {
	t.Parallel()
	s := openSet(t, t.TempDir())
	for _, fp := range []uint64{0, 1, 1 << 63} {
		if known, err := s.HasOne(fp); known || err != nil {
			t.Errorf("%x is known before: %v", fp, err)
		}
		for _, want := range []bool{true, false} {
			if added, err := s.AddOne(t.Context(), fp); added != want || err != nil {
				t.Errorf("%x: added is %v, %v", fp, added, err)
			}
		}
		if known, err := s.HasOne(fp); !known || err != nil {
			t.Errorf("%x is not known: %v", fp, err)
		}
	}
}

// settle waits until nothing goes on in the background.
func (s *Set) settle() {
	for {
		s.running.Wait()
		s.mu.RLock()
		busy := s.state.freezing || s.state.merging
		s.mu.RUnlock()
		if !busy {
			return
		}
	}
}

// TestMergeKeepsFewRuns counts the files when all is written.
func TestMergeKeepsFewRuns(t *testing.T) {
	t.Parallel()
	path := scratch(t)
	s, m := openSet(t, path), model{}
	rng := rand.New(rand.NewPCG(1, 5))
	for i := range uint64(100) {
		fps := make([]uint64, 512)
		for i := range fps {
			fps[i] = rng.Uint64()
		}
		m.add(t, s, fps)
		s.Freeze(i)
		if err := s.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.settle()
	u := s.Usage()
	if u.Runs > 3*4 {
		t.Errorf("%d runs", u.Runs)
	}
	m.compare(t, s)
	names, err := filepath.Glob(filepath.Join(path, "*"))
	if err != nil || len(names) != u.Runs+1 {
		t.Errorf("%d runs and the files %v, %v", u.Runs, names, err)
	}
	var disk int64
	for _, name := range names {
		if st, err := os.Stat(name); err == nil && filepath.Base(name) != manifestName {
			disk += st.Size()
		}
	}
	if disk != u.Disk {
		t.Errorf("%d bytes on disk, the set says %d", disk, u.Disk)
	}
}

// TestManyAtOnce adds and asks from many goroutines while files are written and
// merged and freezes committed. Each fingerprint is new to exactly one.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	path := scratch(t)
	s := openSet(t, path)
	const workers, each = 4, 20_000
	firsts := make([]int, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 6))
			fps, isNew, known := make([]uint64, 100), make([]bool, 100), make([]bool, 100)
			for n := 0; n < each; n += len(fps) {
				for i := range fps {
					fps[i] = rng.Uint64N(30_000)
				}
				added, err := s.Add(t.Context(), fps, isNew)
				if err == nil {
					err = s.Has(fps, known)
				}
				if err != nil || slices.Contains(known, false) {
					t.Error("added and not known, or", err)
					return
				}
				firsts[w] += added
				if n%5000 == 0 {
					s.Freeze(uint64(n))
					if err := s.Commit(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	total := 0
	for _, n := range firsts {
		total += n
	}
	if total != s.Len() {
		t.Errorf("%d were new, %d are in the set", total, s.Len())
	}
	s.Freeze(1)
	if err := errors.Join(s.Commit(t.Context()), s.Close()); err != nil {
		t.Fatal(err)
	}
	if n := openSet(t, path).Len(); n != total {
		t.Errorf("%d in the set that was opened again, want %d", n, total)
	}
}

// TestManyCommits freezes and commits from many goroutines: the mark never goes
// back, and the last freeze is what is found again.
func TestManyCommits(t *testing.T) {
	t.Parallel()
	path := scratch(t)
	s := openSet(t, path)
	var mu sync.Mutex // the owner's
	var mark uint64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				mu.Lock()
				mark++
				mine := mark
				_, err := s.AddOne(t.Context(), mine)
				s.Freeze(mine)
				mu.Unlock()
				if err := errors.Join(err, s.Commit(t.Context())); err != nil || s.Mark() < mine {
					t.Errorf("mark %d after the commit of %d: %v", s.Mark(), mine, err)
				}
			}
		})
	}
	wg.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if s = openSet(t, path); s.Len() != 80 || s.Mark() != 80 {
		t.Errorf("%d in the set, mark %d, want 80", s.Len(), s.Mark())
	}
}

// TestClosed calls everything after Close.
func TestClosed(t *testing.T) {
	t.Parallel()
	s := openSet(t, t.TempDir())
	model{}.add(t, s, some(rand.New(rand.NewPCG(1, 7)), 5000))
	s.Freeze(1)
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	s.Freeze(2)
	_, add := s.AddOne(t.Context(), 1)
	_, has := s.HasOne(1)
	for _, err := range []error{add, has, s.Commit(t.Context())} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%v, want ErrClosed", err)
		}
	}
}

// TestWaitsForRoom holds up the disk: adding goes on until memory is full, and
// then waits for as long as its context lets it.
func TestWaitsForRoom(t *testing.T) {
	t.Parallel()
	free := make(chan struct{})
	s := openSet(t, t.TempDir(), func(op durable.Op) error {
		if op.Kind == "create" && isRun(op.Name) {
			<-free
		}
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	m := model{}
	var fps []uint64
	for fp := range uint64(2 * 512) {
		fps = append(fps, fp)
	}
	m.add(t, s, fps) // one table being written, one full
	m.compare(t, s)
	cancel()
	if _, err := s.AddOne(ctx, 5000); !errors.Is(err, context.Canceled) {
		t.Errorf("no room: %v", err)
	}
	s.Freeze(1)
	if err := s.Commit(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("commit that waits: %v", err)
	}
	m.compare(t, s)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if added, err := s.Add(t.Context(), []uint64{5000, 5001}, nil); added != 2 || err != nil {
			t.Error("while room is made:", added, err)
		}
	}()
	close(free)
	<-done
	m[5000], m[5001] = true, true
	m.compare(t, s)
}
