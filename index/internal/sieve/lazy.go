package sieve

import "sync/atomic"

// Lazy is the sieve of a dictionary, if it was asked for often enough.
type Lazy struct {
	looks atomic.Int64 // at strings, of searches without it
	made  atomic.Pointer[Sieve]
}

const (
	fewLooks = 1024 // less than a millisecond
	partLook = 256  // of so many strings, one look
)

// Looked tells of a search that had to look at so many strings of a dictionary, and
// reports, once, that it is time to make a sieve of it.
func (l *Lazy) Looked(at, of int) (due bool) {
	worth := int64(fewLooks + of/partLook)
	looks := l.looks.Add(int64(at))
	return looks >= worth && looks-int64(at) < worth
}

// Made returns the sieve; nil: there is none.
func (l *Lazy) Made() *Sieve { return l.made.Load() }

// Make makes the sieve of a dictionary of so many strings. None is made of a walk
// that ends early.
func (l *Lazy) Make(dict Dictionary, strings int) {
	if s := New(dict, strings); s.size() == strings {
		l.made.Store(s)
	}
}

func (s *Sieve) size() (n int) {
	for i := range s.groups {
		n += len(s.groups[i].places)
	}
	return n
}

// Bytes is the memory that the sieve takes, about; of none, nothing.
func (s *Sieve) Bytes() int64 {
	if s == nil {
		return 0
	}
	return int64(8*s.size() + 8*s.size()/blockLen)
}
