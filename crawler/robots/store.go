package robots

import (
	"bytes"
	"compress/flate"
	"container/heap"
	"container/list"
	"crypto/sha256"
	"io"
	"sync"
	"time"
)

// slot is what is kept of the robots.txt of one origin. It is not changed once it
// is in a store, but for its place.
type slot struct {
	origin           string
	text             *text // nil: never had, or too old to go by
	fetched, expires time.Time
	failures         int
	err              error

	worth float64 // see store
	turn  uint64  // when it was used last
	place int     // in the heap
}

// fresh reports whether what is known need not be loaded anew.
func (s *slot) fresh() bool { return s != nil && time.Now().Before(s.expires) }

// text is a robots.txt, compressed.
type text struct {
	sum    [sha256.Size]byte // of the file
	packed []byte
	slots  int           // that have it
	hot    *list.Element // while it is kept parsed, with a *hotRules
}

type hotRules struct {
	text  *text
	rules *Rules
	size  int64
}

// slotSize is roughly what a slot takes beside its text, with its share of the maps.
const slotSize = 400

// hotShare is the part of the memory that is for files as they are parsed.
const hotShare = 4

// store keeps slots within a bound. What goes first is decided as Greedy-Dual-Size
// does (Cao and Irani, 1997): a slot is worth one request for each of its bytes, on
// top of what the last one that had to go was worth. So of slots that were used at
// the same time the largest goes first, and a host cannot take the place of many
// others by a large file; and any goes in the end that is not used.
type store struct {
	slots map[string]*slot
	order byWorth
	texts map[[sha256.Size]byte]*text
	used  int64 // by slots and texts
	floor float64
	turns uint64
	hot   list.List // of *hotRules, the latest used first
	warm  int64     // used by those
}

// find returns the slot of an origin, nil for none, and notes that it was used.
func (st *store) find(origin string) *slot {
	s := st.slots[origin]
	if s != nil {
		st.value(s)
		heap.Fix(&st.order, s.place)
	}
	return s
}

// value sets what a slot is worth now.
func (st *store) value(s *slot) {
	size := float64(slotSize + len(s.origin))
	if s.text != nil {
		size += float64(len(s.text.packed)) / float64(max(s.text.slots, 1))
	}
	st.turns++
	s.worth, s.turn = st.floor+1/size, st.turns
}

// put keeps a slot in place of that of the same origin, and lets others go where
// there is no room.
func (st *store) put(s *slot, limit int64) {
	if st.slots == nil {
		st.slots, st.texts = make(map[string]*slot), make(map[[sha256.Size]byte]*text)
	}
	if s.text != nil {
		if same := st.texts[s.text.sum]; same != nil {
			s.text = same
		} else {
			st.texts[s.text.sum] = s.text
			st.used += int64(len(s.text.packed))
		}
		s.text.slots++
	}
	if old := st.slots[s.origin]; old != nil {
		st.remove(old)
	}
	st.slots[s.origin] = s
	st.used += int64(slotSize + len(s.origin))
	st.value(s)
	heap.Push(&st.order, s)
	for st.used > limit-limit/hotShare && len(st.order) > 1 {
		least := st.order[0]
		if least == s { // the newest is to be of use once
			least = st.order[st.order.second()]
		}
		st.floor = max(st.floor, least.worth)
		st.remove(least)
	}
}

// remove lets a slot go, and its text if nobody else has it.
func (st *store) remove(s *slot) {
	heap.Remove(&st.order, s.place)
	delete(st.slots, s.origin)
	st.used -= int64(slotSize + len(s.origin))
	t := s.text
	if t == nil {
		return
	}
	if t.slots--; t.slots == 0 {
		delete(st.texts, t.sum)
		st.used -= int64(len(t.packed))
		st.cool(t)
	}
}

// parsed returns the rules of a text if they are kept; nil if not.
func (st *store) parsed(t *text) *Rules {
	if t.hot == nil {
		return nil
	}
	st.hot.MoveToFront(t.hot)
	return t.hot.Value.(*hotRules).rules
}

// setParsed keeps the rules of a text, and lets those go that were not used for
// longest where there is no room.
func (st *store) setParsed(t *text, rules *Rules, limit int64) {
	if st.texts[t.sum] != t || t.hot != nil {
		return // it was forgotten, or another was quicker
	}
	h := &hotRules{t, rules, int64(rules.memory())}
	t.hot = st.hot.PushFront(h)
	st.warm += h.size
	for st.warm > limit/hotShare && st.hot.Len() > 1 {
		st.cool(st.hot.Back().Value.(*hotRules).text)
	}
}

func (st *store) cool(t *text) {
	if t.hot == nil {
		return
	}
	st.warm -= st.hot.Remove(t.hot).(*hotRules).size
	t.hot = nil
}

// byWorth is a heap of slots, the one that goes next first.
type byWorth []*slot

func (h byWorth) Len() int { return len(h) }

func (h byWorth) Less(i, j int) bool {
	if h[i].worth != h[j].worth {
		return h[i].worth < h[j].worth
	}
	return h[i].turn < h[j].turn
}

func (h byWorth) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *byWorth) Push(x any) {
	s := x.(*slot)
	s.place = len(*h)
	*h = append(*h, s)
}

func (h *byWorth) Pop() any {
	last := len(*h) - 1
	s := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return s
}

// second is the place of the one that goes after the next, of two and more.
func (h byWorth) second() int {
	if len(h) > 2 && h.Less(2, 1) {
		return 2
	}
	return 1
}

var (
	packers   = sync.Pool{New: func() any { w, _ := flate.NewWriter(nil, flate.BestSpeed); return w }}
	unpackers = sync.Pool{New: func() any { return flate.NewReader(nil) }}
)

// newText compresses a file as far as it is read.
func newText(body []byte) *text {
	body = body[:min(len(body), maxBody+1)] // one byte more, so that Parse sees that it was longer
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	var b bytes.Buffer
	w.Reset(&b)
	w.Write(body) // to memory, which never fails
	w.Close()
	return &text{sum: sha256.Sum256(body), packed: bytes.Clone(b.Bytes())}
}

func (t *text) body() []byte {
	r := unpackers.Get().(io.ReadCloser)
	defer unpackers.Put(r)
	r.(flate.Resetter).Reset(bytes.NewReader(t.packed), nil)
	body, _ := io.ReadAll(r) // of what newText wrote
	return body
}
