package index

import (
	"slices"
	"sync"

	"github.com/webquarry/quarry/index/internal/postings"
)

// shared is what the searches of a commit share.
type shared struct {
	shapes shapes
	rooms  sync.Pool // of *room
}

// room is memory that a search works in, kept for the next one.
type room struct {
	cursors  pool[postings.Cursor]
	terms    pool[termWalk]
	summands pool[summand]
	ratings  pool[ratings]
	sums     []float64 // all 0
	matches  []uint64  // all 0
	windows  []listed
	bits     []uint64 // all 0
	entries  []postings.Entry
	steps    *steps
	keys     []byte
	ends     []int // of keys
	best     []found
	blocks   byBound
}

// pool hands out values that are in use until the segment is done.
type pool[T any] struct {
	all  []*T
	used int // those before are in use
}

// next returns a value that is not in use, as the last user left it.
func (p *pool[T]) next() *T {
	if p.used == len(p.all) {
		p.all = append(p.all, new(T))
	}
	p.used++
	return p.all[p.used-1]
}

// inUse returns those that were handed out.
func (p *pool[T]) inUse() []*T { return p.all[:p.used] }

// release takes back all that was handed out.
func (p *pool[T]) release() { p.used = 0 }

// shrink keeps no more than are worth keeping for the next search.
func (p *pool[T]) shrink() {
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

// listed is the documents of a word in a window of maxScore.
type listed struct {
	docs, tfs []uint32
	at        int // place of the document that was looked up last
}

// tf returns how often a document, which never falls, holds the word; 0: it does
// not.
func (l *listed) tf(doc uint32) uint32 {
	rest, step := l.docs[l.at:], 1
	for step < len(rest) && rest[step] < doc {
		step *= 2
	}
	i, ok := slices.BinarySearch(rest[step/2:min(step+1, len(rest))], doc)
	if l.at += step/2 + i; !ok {
		return 0
	}
	return l.tfs[l.at]
}

// space returns the room of the search.
func (r *run) space() *room {
	if r.room == nil && r.shared != nil {
		r.room, _ = r.shared.rooms.Get().(*room)
	}
	if r.room == nil {
		r.room = new(room)
	}
	return r.room
}

// leave gives the room back. No walk is used after that.
func (r *run) leave() {
	if r.room == nil || r.shared == nil {
		return
	}
	r.room.cursors.shrink()
	r.room.terms.shrink()
	r.room.summands.shrink()
	r.room.ratings.shrink()
	if cap(r.room.entries) > mostEntries {
		r.room.entries = nil
	}
	r.shared.rooms.Put(r.room)
	r.room = nil
}

// release takes back what the walks of a segment were made of.
func (m *room) release() {
	m.cursors.release()
	m.terms.release()
	m.summands.release()
	m.ratings.release()
}

// takeSums hands out sums and matches for a window of n documents, all 0. They
// come back with giveSums, all 0 again, or not at all.
func (m *room) takeSums(n uint32) (sums []float64, matches []uint64) {
	sums, matches = m.sums, m.matches
	m.sums, m.matches = nil, nil
	if len(sums) != int(n) {
		return make([]float64, n), make([]uint64, (n+63)/64)
	}
	return sums, matches
}

func (m *room) giveSums(sums []float64, matches []uint64) { m.sums, m.matches = sums, matches }

// marks hands out room for one document.
func (m *room) marks() *steps {
	if m.steps == nil {
		m.steps = new(steps)
	}
	return m.steps
}

// window hands out the i-th window, as long as no other i-th is in use.
func (m *room) window(i int) *listed {
	for i >= len(m.windows) {
		m.windows = append(m.windows, listed{})
	}
	return &m.windows[i]
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
