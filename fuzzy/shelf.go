package fuzzy

import (
	"cmp"
	"container/heap"
	"encoding/binary"
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// A shelf holds entries of a Completer in order. It does not change.
type shelf struct {
	entryList
	keys  string   // of all entries, each between zero bytes
	heads ordered  // where keys begin
	inner ordered  // where their other words begin
	words []uint32 // places of different words, in order
}

// completionKey is how text is compared: folded, words parted by one blank, and a
// blank at the end where it had something there that belongs to no word.
func completionKey(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range Fold(text) {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) && !unicode.IsSymbol(r) && r != '\'' {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(r)
	}
	if gap {
		b.WriteByte(' ')
	}
	return b.String()
}

// beginsWord reports whether a word begins with r behind before: after a blank, and
// with each character of scripts without blanks.
func beginsWord(before, r rune) bool {
	return before == ' ' && r != ' ' || isUnspaced(r)
}

func newShelf(entries []Entry) *shelf {
	s := &shelf{entryList: entryList{entries: make([]Entry, 0, len(entries))}}
	var keys strings.Builder
	var heads, inner []place
	keys.WriteByte(0)
	for _, e := range entries {
		key := strings.TrimSuffix(completionKey(e.Text), " ")
		if key == "" {
			continue // nothing can be typed that leads to it
		}
		i := len(s.entries)
		s.entries = append(s.entries, e)
		at := keys.Len()
		heads = append(heads, place{pos: uint32(at), entry: uint32(i)})
		before := rune(0)
		for k, r := range key {
			if k > 0 && beginsWord(before, r) {
				inner = append(inner, place{pos: uint32(at + k), entry: uint32(i)})
			}
			before = r
		}
		keys.WriteString(key)
		keys.WriteByte(0)
	}
	s.keys = keys.String()
	s.heads.fill(s.keys, heads, s.entries)
	s.inner.fill(s.keys, inner, s.entries)
	s.words = s.differentWords()
	return s
}

// differentWords is a place of each word that begins anywhere, in order.
func (s *shelf) differentWords() []uint32 {
	var words []uint32
	for _, places := range []*ordered{&s.heads, &s.inner} {
		var list []uint32
		for _, pos := range places.pos {
			if n := len(list); n == 0 || s.word(pos) != s.word(list[n-1]) {
				list = append(list, pos)
			}
		}
		words = append(words, list...)
	}
	slices.SortFunc(words, func(a, b uint32) int { return strings.Compare(s.word(a), s.word(b)) })
	return slices.CompactFunc(words, func(a, b uint32) bool { return s.word(a) == s.word(b) })
}

// word is the word that begins at pos.
func (s *shelf) word(pos uint32) string {
	rest := s.keys[pos:]
	return rest[:strings.IndexAny(rest, " \x00")]
}

func (s *shelf) without(texts iter.Seq[string]) (*shelf, bool) {
	list, any := s.drop(texts, s.lookup)
	if !any {
		return s, false
	}
	less := *s
	less.entryList = list
	return &less, true
}

// lookup is the number of the entry with that text.
func (s *shelf) lookup(text string) (int, bool) {
	key := strings.TrimSuffix(completionKey(text), " ")
	found := s.heads.find(s.keys, key+"\x00")
	for _, entry := range s.heads.entry[found.from:found.to] {
		if s.entries[entry].Text == text && !s.isGone(int(entry)) {
			return int(entry), true
		}
	}
	return 0, false
}

// place is where a word of an entry begins.
type place struct {
	begin      uint64 // its first bytes, so that most comparisons look no farther
	pos, entry uint32
}

// ordered is places in the order of the text that begins there, and who is heaviest.
type ordered struct {
	entries []Entry
	pos     []uint32
	entry   []uint32
	levels  [][]float64 // the greatest weight of 16 places, of 16 such, and so on
}

const fan = 16

func (o *ordered) fill(keys string, places []place, entries []Entry) {
	for i := range places {
		var begin [8]byte
		copy(begin[:], keys[places[i].pos:min(len(keys), int(places[i].pos)+8)])
		places[i].begin = binary.BigEndian.Uint64(begin[:])
	}
	slices.SortFunc(places, func(a, b place) int {
		if a.begin != b.begin {
			return cmp.Compare(a.begin, b.begin)
		}
		return cmp.Or(strings.Compare(rest(keys, a.pos), rest(keys, b.pos)), cmp.Compare(entries[a.entry].Text, entries[b.entry].Text))
	})
	o.entries = entries
	o.pos, o.entry = make([]uint32, len(places)), make([]uint32, len(places))
	level := make([]float64, (len(places)+fan-1)/fan)
	for i, p := range places {
		o.pos[i], o.entry[i] = p.pos, p.entry
		w := entries[p.entry].Weight
		if i%fan == 0 || w > level[i/fan] {
			level[i/fan] = w
		}
	}
	for o.levels = append(o.levels, level); len(level) > 1; o.levels = append(o.levels, level) {
		above := make([]float64, (len(level)+fan-1)/fan)
		for i, w := range level {
			if i%fan == 0 || w > above[i/fan] {
				above[i/fan] = w
			}
		}
		level = above
	}
}

// rest is the text from pos to the end of its key.
func rest(keys string, pos uint32) string {
	s := keys[pos:]
	return s[:strings.IndexByte(s, 0)+1]
}

// extent is a range of places.
type extent struct{ from, to int }

// find is the places where text begins with key.
func (o *ordered) find(keys, key string) extent {
	begin := func(i int) string { return keys[o.pos[i]:min(len(keys), int(o.pos[i])+len(key))] }
	from := sort.Search(len(o.pos), func(i int) bool { return begin(i) >= key })
	n := sort.Search(len(o.pos)-from, func(i int) bool { return begin(from+i) > key })
	return extent{from, from + n}
}

// node is a run of places, and no less than the weight of each.
type node struct {
	weight float64
	level  int // 0: one place
	i      int // in its level
	extent
}

func (n node) first() int {
	i := n.i
	for range n.level {
		i *= fan
	}
	return i
}

type nodes []node

func (h nodes) Len() int      { return len(h) }
func (h nodes) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h nodes) Less(i, j int) bool {
	a, b := h[i], h[j]
	if a.weight != b.weight {
		return a.weight > b.weight
	}
	if fa, fb := a.first(), b.first(); fa != fb {
		return fa < fb
	}
	return a.level > b.level
}
func (h *nodes) Push(x any) { *h = append(*h, x.(node)) }
func (h *nodes) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// heaviest yields the entries of some ranges, the heaviest first, equally heavy ones
// in order. It looks at some places for each that it yields, and at no others.
func (o *ordered) heaviest(ranges []extent, yield func(entry int) bool) {
	if len(o.pos) == 0 {
		return
	}
	var open nodes
	top := len(o.levels)
	for _, r := range ranges {
		if r.from < r.to {
			open = append(open, node{o.levels[top-1][0], top, 0, r})
		}
	}
	heap.Init(&open)
	for len(open) > 0 {
		n := heap.Pop(&open).(node)
		if n.level == 0 {
			if !yield(int(o.entry[n.i])) {
				return
			}
			continue
		}
		span := 1 // of places of a child
		for range n.level - 1 {
			span *= fan
		}
		size := len(o.pos)
		if n.level > 1 {
			size = len(o.levels[n.level-2])
		}
		for i := max(n.i*fan, n.from/span); i < min(n.i*fan+fan, size) && i*span < n.to; i++ {
			child := node{0, n.level - 1, i, n.extent}
			if n.level > 1 {
				child.weight = o.levels[n.level-2][i]
			} else {
				child.weight = o.entries[o.entry[i]].Weight
			}
			heap.Push(&open, child)
		}
	}
}
