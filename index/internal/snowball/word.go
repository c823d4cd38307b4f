package snowball

import (
	"slices"
	"sync"
	"unicode/utf8"
)

// word is a word that is being stemmed: the state of a Snowball program.
type word struct {
	text     []rune
	cursor   int
	limit    int // where the text ends for now
	back     int // the limit of going backwards
	bra, ket int // the slice: text[bra:ket]

	check func(condition int) bool // of an entry; nil: there are no conditions
	plain bool                     // letters have lost their accents
}

// either returns a string of the program, or what it is without accents.
func (w *word) either(s, plain string) string {
	if w.plain {
		return plain
	}
	return s
}

func (w *word) set(s string) {
	w.text = w.text[:0]
	for _, r := range s {
		w.text = append(w.text, r)
	}
	w.cursor, w.limit, w.back = 0, len(w.text), 0
	w.bra, w.ket = 0, w.limit
}

// is reports whether the text is s.
func (w *word) is(s string) bool {
	i := 0
	for _, r := range s {
		if i == len(w.text) || w.text[i] != r {
			return false
		}
		i++
	}
	return i == len(w.text)
}

// group is a set of runes: bit i of bits stands for the rune least+i.
type group struct {
	least rune
	bits  string
}

func (g *group) has(r rune) bool {
	i := uint32(r - g.least)
	return i>>3 < uint32(len(g.bits)) && g.bits[i>>3]>>(i&7)&1 != 0
}

func (w *word) in(g *group) bool {
	if w.cursor >= w.limit || !g.has(w.text[w.cursor]) {
		return false
	}
	w.cursor++
	return true
}

func (w *word) inBack(g *group) bool {
	if w.cursor <= w.back || !g.has(w.text[w.cursor-1]) {
		return false
	}
	w.cursor--
	return true
}

func (w *word) out(g *group) bool {
	if w.cursor >= w.limit || g.has(w.text[w.cursor]) {
		return false
	}
	w.cursor++
	return true
}

func (w *word) outBack(g *group) bool {
	if w.cursor <= w.back || g.has(w.text[w.cursor-1]) {
		return false
	}
	w.cursor--
	return true
}

// goIn goes to the first rune that is not in g, and reports whether there is one.
func (w *word) goIn(g *group) bool {
	for ; w.cursor < w.limit; w.cursor++ {
		if !g.has(w.text[w.cursor]) {
			return true
		}
	}
	return false
}

func (w *word) goInBack(g *group) bool {
	for ; w.cursor > w.back; w.cursor-- {
		if !g.has(w.text[w.cursor-1]) {
			return true
		}
	}
	return false
}

// goOut goes to the first rune that is in g, and reports whether there is one.
func (w *word) goOut(g *group) bool {
	for ; w.cursor < w.limit; w.cursor++ {
		if g.has(w.text[w.cursor]) {
			return true
		}
	}
	return false
}

func (w *word) goOutBack(g *group) bool {
	for ; w.cursor > w.back; w.cursor-- {
		if g.has(w.text[w.cursor-1]) {
			return true
		}
	}
	return false
}

// eq goes over s.
func (w *word) eq(s string) bool {
	c := w.cursor
	for _, r := range s {
		if c >= w.limit || w.text[c] != r {
			return false
		}
		c++
	}
	w.cursor = c
	return true
}

// eqBack goes back over s.
func (w *word) eqBack(s string) bool {
	c := w.cursor
	for len(s) > 0 {
		r, n := utf8.DecodeLastRuneInString(s)
		if c <= w.back || w.text[c-1] != r {
			return false
		}
		s = s[:len(s)-n]
		c--
	}
	w.cursor = c
	return true
}

// slice returns the slice.
func (w *word) slice() string { return string(w.text[w.bra:w.ket]) }

func (w *word) remove() { w.replace("") }

// replace puts s in place of the slice.
func (w *word) replace(s string) { w.ket = w.bra + w.exchange(w.bra, w.ket, s) }

// insert puts s in place of text[from:to].
func (w *word) insert(from, to int, s string) {
	more := w.exchange(from, to, s) - (to - from)
	if from <= w.bra {
		w.bra += more
	}
	if from <= w.ket {
		w.ket += more
	}
}

// exchange puts s in place of text[from:to] and returns its length.
func (w *word) exchange(from, to int, s string) int {
	n := utf8.RuneCountInString(s)
	more := n - (to - from)
	if more > 0 {
		w.text = slices.Grow(w.text, more)
	}
	rest := w.text[to:]
	w.text = w.text[:len(w.text)+more]
	copy(w.text[from+n:], rest)
	i := from
	for _, r := range s {
		w.text[i] = r
		i++
	}
	w.limit += more
	if w.cursor >= to {
		w.cursor += more
	} else if w.cursor > from {
		w.cursor = from
	}
	return n
}

// entry is a string to look for.
type entry struct {
	s         string
	shorter   int // the longest other entry that s begins or ends with; -1: none
	result    int
	condition int // what holds only if it does; 0: nothing
}

// among is a set of strings, of which the longest that stands at the cursor is
// looked for. It becomes a trie on first use; an among is used in one direction
// only.
type among struct {
	entries []entry
	plain   *among // the same without accents; nil: there are none
	once    sync.Once
	nodes   []node // the first one is the root; children of one stand together
	lengths []int  // of the entries, in runes
}

type node struct {
	r        rune
	entry    int32 // that ends here; -1: none
	from, to int32 // the children
}

// build makes the trie, of the entries from their ends if back.
func (a *among) build(back bool) {
	keys := make([][]rune, len(a.entries))
	a.lengths = make([]int, len(a.entries))
	order := make([]int32, len(a.entries))
	for i, e := range a.entries {
		keys[i] = []rune(e.s)
		if back {
			slices.Reverse(keys[i])
		}
		a.lengths[i], order[i] = len(keys[i]), int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int { return slices.Compare(keys[i], keys[j]) })
	a.nodes = []node{{entry: -1}}
	type span struct{ from, to, depth int } // the entries below a node
	spans := []span{{0, len(order), 0}}
	for i := 0; i < len(a.nodes); i++ {
		s := spans[i]
		if s.from < s.to && len(keys[order[s.from]]) == s.depth {
			a.nodes[i].entry = order[s.from]
			s.from++
		}
		a.nodes[i].from = int32(len(a.nodes))
		for s.from < s.to {
			r, to := keys[order[s.from]][s.depth], s.from+1
			for to < s.to && keys[order[to]][s.depth] == r {
				to++
			}
			a.nodes = append(a.nodes, node{r: r, entry: -1})
			spans = append(spans, span{s.from, to, s.depth + 1})
			s.from = to
		}
		a.nodes[i].to = int32(len(a.nodes))
	}
}

// child returns the child of n for r; nil: there is none.
func (a *among) child(n *node, r rune) *node {
	children := a.nodes[n.from:n.to]
	for len(children) > 8 {
		if half := len(children) / 2; children[half].r <= r {
			children = children[half:]
		} else {
			children = children[:half]
		}
	}
	for i := range children {
		if children[i].r == r {
			return &children[i]
		}
	}
	return nil
}

// find goes over the longest entry that stands at the cursor and returns its
// result; 0: there is none.
func (w *word) find(a *among) int {
	if w.plain && a.plain != nil {
		a = a.plain
	}
	a.once.Do(func() { a.build(false) })
	n := &a.nodes[0]
	best := n.entry
	for c := w.cursor; c < w.limit; c++ {
		if n = a.child(n, w.text[c]); n == nil {
			break
		}
		if n.entry >= 0 {
			best = n.entry
		}
	}
	return w.choose(a, int(best), 1)
}

// findBack goes back over the longest entry that ends at the cursor.
func (w *word) findBack(a *among) int {
	if w.plain && a.plain != nil {
		a = a.plain
	}
	a.once.Do(func() { a.build(true) })
	n := &a.nodes[0]
	best := n.entry
	for c := w.cursor; c > w.back; c-- {
		if n = a.child(n, w.text[c-1]); n == nil {
			break
		}
		if n.entry >= 0 {
			best = n.entry
		}
	}
	return w.choose(a, int(best), -1)
}

// choose goes over the entry, or over the longest shorter one whose condition holds.
func (w *word) choose(a *among, i, direction int) int {
	start := w.cursor
	for i >= 0 {
		e := &a.entries[i]
		end := start + direction*a.lengths[i]
		w.cursor = end
		if e.condition == 0 || w.check(e.condition) {
			w.cursor = end
			return e.result
		}
		i = e.shorter
	}
	return 0
}
