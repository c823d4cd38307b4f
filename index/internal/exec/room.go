package exec

import (
	"sync"

	"github.com/webquarry/quarry/index/internal/postings"
)

// shared is what the searches of a commit share.
type shared struct {
	shapes shapes
	rooms  sync.Pool // of *room
	Above  sync.Pool // of those who collect what searches find
}

// room is memory that a search works in, kept for the next one.
type room struct {
	cursors Pool[postings.Cursor]
	terms   Pool[TermIterator]
	ratings Pool[Ratings]
	bits    []uint64 // all 0
	entries []postings.Entry
	steps   *steps
}

// Pool hands out values that are in use until the segment is done.
type Pool[T any] struct {
	all  []*T
	used int // those before are in use
}

// Next returns a value that is not in use, as the last user left it.
func (p *Pool[T]) Next() *T {
	if p.used == len(p.all) {
		p.all = append(p.all, new(T))
	}
	p.used++
	return p.all[p.used-1]
}

// inUse returns those that were handed out.
func (p *Pool[T]) inUse() []*T { return p.all[:p.used] }

// Release takes back all that was handed out.
func (p *Pool[T]) Release() { p.used = 0 }

// Shrink keeps no more than are worth keeping for the next search.
func (p *Pool[T]) Shrink() {
	if p.used = 0; len(p.all) > mostPooled {
		clear(p.all[mostPooled:])
		p.all = p.all[:mostPooled]
	}
}

// mostPooled is how many values of a kind are kept, mostEntries how many entries of
// terms.
const (
	mostPooled  = 64
	mostEntries = 1 << 14
)

// space returns the room of the search.
func (r *Run) space() *room {
	if r.Room == nil && r.shared != nil {
		r.Room, _ = r.shared.rooms.Get().(*room)
	}
	if r.Room == nil {
		r.Room = new(room)
	}
	return r.Room
}

// Leave gives the room back. No iterator is used after that.
func (r *Run) Leave() {
	if r.Room == nil || r.shared == nil {
		return
	}
	r.Room.cursors.Shrink()
	r.Room.terms.Shrink()
	r.Room.ratings.Shrink()
	if cap(r.Room.entries) > mostEntries {
		r.Room.entries = nil
	}
	r.shared.rooms.Put(r.Room)
	r.Room = nil
}

// release takes back what the iterators of a segment were made of.
func (m *room) release() {
	m.cursors.Release()
	m.terms.Release()
	m.ratings.Release()
}

// marks hands out room for one document.
func (m *room) marks() *steps {
	if m.steps == nil {
		m.steps = new(steps)
	}
	return m.steps
}

// takeMarks hands out n words of bits, all 0. They may come back with giveMarks.
func (m *room) takeMarks(n int) []uint64 {
	marks := m.bits
	if m.bits = nil; cap(marks) < n {
		return make([]uint64, n)
	}
	return marks[:n]
}

// giveMarks takes bits back.
func (m *room) giveMarks(marks []uint64) {
	clear(marks)
	m.bits = marks
}
