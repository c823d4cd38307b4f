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
	cursors []*postings.Cursor // those before used are in use
	used    int
	sums    []float64 // all 0
	matches []uint64  // all 0
	windows []listed
	bits    []uint64 // all 0
	steps   *steps
	keys    []byte
	ends    []int // of keys
	best    []found
	blocks  byBound
}

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

// mostCursors is how many cursors are kept.
const mostCursors = 64

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
	if n := len(r.room.cursors); n > mostCursors {
		clear(r.room.cursors[mostCursors:])
		r.room.cursors = r.room.cursors[:mostCursors]
	}
	r.room.used = 0
	r.shared.rooms.Put(r.room)
	r.room = nil
}

// cursor returns one that is not in use.
func (m *room) cursor() *postings.Cursor {
	if m.used == len(m.cursors) {
		m.cursors = append(m.cursors, new(postings.Cursor))
	}
	m.used++
	return m.cursors[m.used-1]
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
