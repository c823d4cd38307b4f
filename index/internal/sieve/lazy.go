package sieve

import (
	"sync"
	"sync/atomic"
)

// Lazy makes the sieve of a dictionary when searches without it have cost about
// as much as making it.
type Lazy struct {
	looks atomic.Int64 // at strings, of searches without it
	made  atomic.Pointer[Sieve]
	mu    sync.Mutex
}

// Looked tells of a search that had to look at so many strings.
func (l *Lazy) Looked(at int) { l.looks.Add(int64(at)) }

// Made returns the sieve if there is one already.
func (l *Lazy) Made() *Sieve { return l.made.Load() }

// Get returns the sieve of a dictionary of so many strings; nil: search without
// it. Nobody waits for another who makes it. It is not made of a walk that ends
// early.
func (l *Lazy) Get(strings int, walk Dictionary) *Sieve {
	if s := l.made.Load(); s != nil || l.looks.Load() < int64(strings) || !l.mu.TryLock() {
		return s
	}
	defer l.mu.Unlock()
	if s := l.made.Load(); s != nil {
		return s
	}
	if s := New(walk); s.size() == strings {
		l.made.Store(s)
	}
	return l.made.Load()
}

func (s *Sieve) size() (n int) {
	for i := range s.groups {
		n += len(s.groups[i].places)
	}
	return n
}
