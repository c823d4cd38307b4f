package exec

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// Sieves makes the sieves of dictionaries that searches have walked, one at a time
// and beside the searches, for which nobody waits.
type Sieves struct {
	mu     sync.Mutex
	due    []dueSieve
	busy   bool // a goroutine makes them
	closed atomic.Bool
	maker  sync.WaitGroup
}

// dueSieve is a sieve to make, and what holds its file open until then.
type dueSieve struct {
	commit *Collection
	of     *segment.FieldReader
}

// want has the sieve of a field made.
func (s *Sieves) want(c *Collection, of *segment.FieldReader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() || !c.Retain() {
		return
	}
	s.due = append(s.due, dueSieve{c, of})
	if !s.busy {
		s.busy = true
		s.maker.Go(s.make)
	}
}

// beside calls f on a goroutine of its own, which close waits for and which has the use
// of the commit; false: the index or the commit is closed.
func (s *Sieves) beside(c *Collection, f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() || !c.Retain() {
		return false
	}
	s.maker.Go(func() {
		f()
		c.Release()
	})
	return true
}

func (s *Sieves) make() {
	for {
		s.mu.Lock()
		if s.busy = len(s.due) > 0; !s.busy {
			s.mu.Unlock()
			return
		}
		d := s.due[0]
		s.due = slices.Delete(s.due, 0, 1) // nothing of it is kept from the collector
		s.mu.Unlock()
		// Searches that meet what is wrong here tell of it.
		_ = fault.Guard("sieve", func() error {
			d.of.Sieve.Make(&aside{Terms: d.of.Dict.Iter(), closed: &s.closed}, d.of.Terms)
			return nil
		})
		d.commit.Release()
	}
}

// Close ends what is being made; snapshots that are open do without.
func (s *Sieves) Close() {
	s.mu.Lock()
	s.closed.Store(true)
	s.mu.Unlock()
	s.Wait()
}

// Wait returns when nothing is being made.
func (s *Sieves) Wait() { s.maker.Wait() }

// aside is a walk over a dictionary that lets others go first.
type aside struct {
	*postings.Terms
	closed *atomic.Bool // ends it
	steps  int
}

func (a *aside) Next() bool {
	if a.steps++; a.steps%checkEvery == 0 {
		if a.closed.Load() {
			return false
		}
		runtime.Gosched()
	}
	return a.Terms.Next()
}
