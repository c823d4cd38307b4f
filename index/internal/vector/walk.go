package vector

import "slices"

// scored is a vector and how near it is to another.
type scored struct {
	near float32
	id   uint32
}

// before orders vectors: the nearest first, equal ones by number.
func (a scored) before(b scored) bool { return a.near > b.near || a.near == b.near && a.id < b.id }

func compareScored(a, b scored) int {
	switch {
	case a.before(b):
		return -1
	case b.before(a):
		return 1
	}
	return 0
}

// graph is what a walk goes over: a graph that is being built, or one in a file.
type graph interface {
	// near says how near a vector is to the one that is looked for.
	near(id uint32) (float32, error)
	// links returns the neighbours of a vector at a level, as the section of links has
	// them, without their number. All of them are vectors of the graph.
	links(level int, id uint32) ([]byte, error)
}

// walk searches a graph. It may be used again.
type walk struct {
	seen    []uint64
	next    []scored // a heap of those whose neighbours were not looked at: the nearest on top
	best    []scored // a heap of the best: the farthest on top
	compare int      // how many vectors were compared in the last search
}

func (w *walk) begin(n int) {
	if words := (n + 63) / 64; len(w.seen) < words {
		w.seen = make([]uint64, words)
	} else {
		clear(w.seen)
	}
	w.compare = 0
}

// visit reports whether a vector was not seen before.
func (w *walk) visit(id uint32) bool {
	word, bit := &w.seen[id/64], uint64(1)<<(id%64)
	fresh := *word&bit == 0
	*word |= bit
	return fresh
}

// descend goes from a vector to ever nearer ones, at one level, until there is none.
func (w *walk) descend(g graph, level int, at scored) (scored, error) {
	for {
		links, err := g.links(level, at.id)
		if err != nil {
			return at, err
		}
		from := at
		for ; len(links) >= 4; links = links[4:] {
			id := linkAt(links)
			near, err := g.near(id)
			if err != nil {
				return at, err
			}
			if near > at.near {
				at = scored{near, id}
			}
		}
		if at == from || !(at.near > from.near) {
			return at, nil
		}
	}
}

// search finds about the ef nearest vectors at one level, of those that accept takes,
// from some on. It gives up, and returns false, when it has compared more than most. The best
// are in no order.
func (w *walk) search(g graph, level int, from []scored, ef, most int, accept func(uint32) bool) (complete bool, err error) {
	w.next, w.best = w.next[:0], w.best[:0]
	for _, s := range from {
		if w.visit(s.id) {
			w.take(s, ef, accept)
		}
	}
	for len(w.next) > 0 {
		at := pop(&w.next, scored.before)
		if len(w.best) >= ef && w.best[0].near > at.near {
			break
		}
		links, err := g.links(level, at.id)
		if err != nil {
			return false, err
		}
		for ; len(links) >= 4; links = links[4:] {
			id := linkAt(links)
			if !w.visit(id) {
				continue
			}
			if w.compare++; w.compare > most {
				return false, nil
			}
			near, err := g.near(id)
			if err != nil {
				return false, err
			}
			if s := (scored{near, id}); len(w.best) < ef || s.before(w.best[0]) {
				w.take(s, ef, accept)
			}
		}
	}
	return true, nil
}

func (w *walk) take(s scored, ef int, accept func(uint32) bool) {
	push(&w.next, s, scored.before)
	if accept != nil && !accept(s.id) {
		return
	}
	push(&w.best, s, farther)
	if len(w.best) > ef {
		pop(&w.best, farther)
	}
}

func farther(a, b scored) bool { return b.before(a) }

// sorted returns the best, the nearest first.
func (w *walk) sorted() []scored {
	slices.SortFunc(w.best, compareScored)
	return w.best
}

// push adds to a heap, whose top is before all others.
func push[T any](heap *[]T, s T, before func(a, b T) bool) {
	h := append(*heap, s)
	*heap = h
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !before(h[i], h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

// pop takes the top from a heap.
func pop[T any](heap *[]T, before func(a, b T) bool) T {
	h := *heap
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	*heap = h
	for i := 0; ; {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if before(h[child], h[first]) {
				first = child
			}
		}
		if first == i {
			return top
		}
		h[i], h[first] = h[first], h[i]
		i = first
	}
}
