package frontier

// A tree is a pairing heap (Fredman and others, 1986) of numbers that stand for
// requests, hosts or cells. Each keeps its links in its own record, so that a
// million heaps of a few requests take nothing else. Adding one takes a step,
// taking one out as many as the logarithm of how many there are, on the average.
// A tree is known by the number of its first; 0 is a tree with nothing in it.

// links are the neighbours in a tree; 0: none.
type links struct {
	child uint32
	next  uint32 // sibling
	prev  uint32 // sibling, or the parent of the first child
}

// forest is trees of one kind.
type forest interface {
	before(a, b uint32) bool
	links(x uint32) *links
}

// meld makes one tree out of two.
func meld[F forest](f F, a, b uint32) uint32 {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	case f.before(b, a):
		a, b = b, a
	}
	top, sub := f.links(a), f.links(b)
	sub.next, sub.prev = top.child, a
	if top.child != 0 {
		f.links(top.child).prev = b
	}
	top.child = b
	return a
}

// plant adds x, which is in no tree, and returns the first of all.
func plant[F forest](f F, root, x uint32) uint32 {
	*f.links(x) = links{}
	return meld(f, root, x)
}

// pull takes x out of its tree and returns the first of what is left. It does
// not ask how x compares with others, which may have changed.
func pull[F forest](f F, root, x uint32) uint32 {
	l := *f.links(x)
	*f.links(x) = links{}
	rest := pair(f, l.child)
	if x == root {
		return rest
	}
	if p := f.links(l.prev); p.child == x {
		p.child = l.next
	} else {
		p.next = l.next
	}
	if l.next != 0 {
		f.links(l.next).prev = l.prev
	}
	return meld(f, root, rest)
}

// rename gives x, which has its links already, another number.
func rename[F forest](f F, from, x uint32) {
	l := f.links(x)
	if l.child != 0 {
		f.links(l.child).prev = x
	}
	if l.next != 0 {
		f.links(l.next).prev = x
	}
	if l.prev == 0 {
		return
	}
	if p := f.links(l.prev); p.child == from {
		p.child = x
	} else {
		p.next = x
	}
}

// pair makes one tree of siblings.
func pair[F forest](f F, x uint32) (root uint32) {
	last := uint32(0) // of the pairs, which form a list by next
	for x != 0 {
		a, b := x, f.links(x).next
		f.links(a).next, f.links(a).prev = 0, 0
		x = 0
		if b != 0 {
			x = f.links(b).next
			f.links(b).next, f.links(b).prev = 0, 0
		}
		a = meld(f, a, b)
		f.links(a).next = last
		last = a
	}
	for last != 0 {
		next := f.links(last).next
		f.links(last).next = 0
		root = meld(f, root, last)
		last = next
	}
	return root
}

// walk calls do for all in a tree, in no order, until it says no. It must not
// change the tree.
func walk[F forest](f F, root uint32, do func(x uint32) bool) {
	for x := root; x != 0; {
		l := *f.links(x)
		if !do(x) {
			return
		}
		next := l.child
		for y := x; next == 0 && y != root; {
			if next = l.next; next == 0 {
				y = parent(f, y)
				l = *f.links(y)
			}
		}
		x = next
	}
}

func parent[F forest](f F, x uint32) uint32 {
	p := f.links(x).prev
	for f.links(p).child != x {
		x, p = p, f.links(p).prev
	}
	return p
}
