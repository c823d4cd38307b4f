package seen

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/webquarry/quarry/internal/durable"
	"github.com/webquarry/quarry/internal/faultfs"
)

// past is what the set on a disk may be: as the last Commit that succeeded left
// it, or as one that failed would have.
type past struct {
	committed, tried model
	mark, trying     uint64
}

// life fills a set, commits, merges, and goes on after errors as an owner would
// who does not look.
func (p *past) life(t *testing.T, path string, hook durable.Hook) {
	dir, err := durable.Open(path, hook)
	if err != nil {
		return
	}
	defer dir.Close()
	s, err := Open(dir, small)
	if err != nil {
		return
	}
	defer s.Close()
	p.check(t, s)
	now := maps.Clone(p.committed)
	if s.Mark() != p.mark {
		now = maps.Clone(p.tried)
		p.committed, p.mark = now, s.Mark()
	}
	for i := range uint64(5) {
		fps := make([]uint64, 400)
		for j := range fps {
			fps[j] = p.mark<<32 + i*1000 + uint64(j)
		}
		if _, err := s.Add(t.Context(), fps, nil); err != nil {
			return
		}
		for _, fp := range fps {
			now[fp] = true
		}
		if i%3 == 1 { // others are written because the table is full
			continue
		}
		s.Freeze(s.Mark() + 1)
		p.tried, p.trying = maps.Clone(now), s.Mark()+1
		if err := s.Commit(t.Context()); err != nil {
			return
		}
		p.committed, p.mark = p.tried, p.trying
		s.settle()
	}
}

// check holds a set that was opened to what it may be.
func (p *past) check(t *testing.T, s *Set) {
	t.Helper()
	want := p.committed
	if s.Mark() != p.mark {
		if s.Mark() != p.trying {
			t.Errorf("mark %d, want %d or %d", s.Mark(), p.mark, p.trying)
		}
		want = p.tried
	}
	if s.Len() != len(want) {
		t.Errorf("%d in the set at mark %d, want %d", s.Len(), s.Mark(), len(want))
	}
	for fp := range want {
		if known, err := s.HasOne(fp); !known || err != nil {
			t.Errorf("%x is not known at mark %d: %v", fp, s.Mark(), err)
			return
		}
	}
}

// TestFaultAtEveryOperation lets every operation of two lives fail, once or with
// all that follow.
func TestFaultAtEveryOperation(t *testing.T) {
	t.Parallel()
	for kind, fault := range map[string]func(int) *faultfs.Fault{"fail": faultfs.Fail, "crash": faultfs.Crash} {
		until(t, func(n int) bool {
			f := fault(n)
			t.Run(fmt.Sprintf("%s/%d", kind, n), func(t *testing.T) { lives(t, f) })
			return f.Fired()
		})
	}
}

// TestFullDisk fills the disk after any number of bytes, in steps.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	until(t, func(n int) bool {
		f := faultfs.Full(n * 911)
		lives(t, f)
		return f.Fired()
	})
}

// lives looks at what two lives leave, and goes on with it.
func lives(t *testing.T, f *faultfs.Fault) {
	path := scratch(t)
	p := &past{committed: model{}, tried: model{}}
	p.life(t, path, f.Hook)
	p.life(t, path, f.Hook)
	s := openSet(t, path)
	p.check(t, s)
	if added, err := s.AddOne(t.Context(), 1<<60); !added || err != nil {
		t.Error(added, err)
	}
	s.Freeze(1000)
	if err := s.Commit(t.Context()); err != nil || s.Mark() != 1000 {
		t.Errorf("mark %d after a commit without faults: %v", s.Mark(), err)
	}
}

// until calls do with growing numbers, some at once, until it says no. The steps are
// longer with -short.
func until(t *testing.T, do func(n int) bool) {
	var over atomic.Bool
	step := 1
	if testing.Short() {
		step = 7
	}
	for n := 1; !over.Load() && !t.Failed(); {
		var wg sync.WaitGroup
		for range 8 {
			at := n
			n += step
			wg.Go(func() {
				if !do(at) {
					over.Store(true)
				}
			})
		}
		wg.Wait()
	}
}

// TestFullDiskIsSaid wants the reason in the errors of all that come later.
func TestFullDiskIsSaid(t *testing.T) {
	t.Parallel()
	s := openSet(t, t.TempDir(), faultfs.Full(10_000).Hook)
	var err error
	for fp := uint64(0); err == nil && fp < 100_000; fp++ {
		_, err = s.AddOne(t.Context(), fp)
	}
	s.Freeze(1)
	for _, err := range []error{err, s.Commit(t.Context())} {
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%v, want ENOSPC", err)
		}
	}
}
