package frontier

// order is what a heap of numbers is sorted by. The numbers stand for requests,
// hosts or groups, which know their place in the heap if they can be moved or
// removed while they are in it.
type order interface {
	before(a, b uint32) bool
	placed(x uint32, at int) // x is now h[at]
}

// push adds x to a heap.
func push[O order](o O, h []uint32, x uint32) []uint32 {
	h = append(h, x)
	o.placed(x, len(h)-1)
	up(o, h, len(h)-1)
	return h
}

// remove takes out h[at].
func remove[O order](o O, h []uint32, at int) []uint32 {
	last := len(h) - 1
	h[at] = h[last]
	h = h[:last]
	if at < last {
		o.placed(h[at], at)
		fix(o, h, at)
	}
	return h
}

// fix puts h[at] where it belongs after it has changed.
func fix[O order](o O, h []uint32, at int) {
	if !up(o, h, at) {
		down(o, h, at)
	}
}

func up[O order](o O, h []uint32, at int) (moved bool) {
	for at > 0 {
		parent := (at - 1) / 2
		if !o.before(h[at], h[parent]) {
			return moved
		}
		swap(o, h, at, parent)
		at, moved = parent, true
	}
	return moved
}

func down[O order](o O, h []uint32, at int) {
	for {
		first := 2*at + 1
		if first >= len(h) {
			return
		}
		if second := first + 1; second < len(h) && o.before(h[second], h[first]) {
			first = second
		}
		if !o.before(h[first], h[at]) {
			return
		}
		swap(o, h, at, first)
		at = first
	}
}

func swap[O order](o O, h []uint32, a, b int) {
	h[a], h[b] = h[b], h[a]
	o.placed(h[a], a)
	o.placed(h[b], b)
}
