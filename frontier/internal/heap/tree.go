package heap

// A tree is a pairing heap (Fredman and others, 1986) of numbers that stand for
// requests, hosts or cells. Each keeps its links in its own record, so that a
// million heaps of a few requests take nothing else. Adding one takes a step,
// taking one out as many as the logarithm of how many there are, on the average.
// A tree is known by the number of its first; 0 is a tree with nothing in it.

// Links are the neighbours in a tree; 0: none.
type Links struct {
	Child uint32
	Next  uint32 // sibling
	prev  uint32 // sibling, or the parent of the first child
}

// Forest is trees of one kind.
type Forest interface {
	Before(a, b uint32) bool
	Links(x uint32) *Links
}

// meld makes one tree out of two.
func meld[F Forest](f F, a, b uint32) uint32 {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	case f.Before(b, a):
		a, b = b, a
	}
	top, sub := f.Links(a), f.Links(b)
	sub.Next, sub.prev = top.Child, a
	if top.Child != 0 {
		f.Links(top.Child).prev = b
	}
	top.Child = b
	return a
}

// Plant adds x, which is in no tree, and returns the first of all.
func Plant[F Forest](f F, root, x uint32) uint32 {
	*f.Links(x) = Links{}
	return meld(f, root, x)
}

// Pull takes x out of its tree and returns the first of what is left. It does
// not ask how x compares with others, which may have changed.
func Pull[F Forest](f F, root, x uint32) uint32 {
	l := *f.Links(x)
	*f.Links(x) = Links{}
	rest := pair(f, l.Child)
	if x == root {
		return rest
	}
	if p := f.Links(l.prev); p.Child == x {
		p.Child = l.Next
	} else {
		p.Next = l.Next
	}
	if l.Next != 0 {
		f.Links(l.Next).prev = l.prev
	}
	return meld(f, root, rest)
}

// Rename gives x, which has its links already, another number.
func Rename[F Forest](f F, from, x uint32) {
	l := f.Links(x)
	if l.Child != 0 {
		f.Links(l.Child).prev = x
	}
	if l.Next != 0 {
		f.Links(l.Next).prev = x
	}
	if l.prev == 0 {
		return
	}
	if p := f.Links(l.prev); p.Child == from {
		p.Child = x
	} else {
		p.Next = x
	}
}

// pair makes one tree of siblings.
func pair[F Forest](f F, x uint32) (root uint32) {
	last := uint32(0) // of the pairs, which form a list by next
	for x != 0 {
		a, b := x, f.Links(x).Next
		f.Links(a).Next, f.Links(a).prev = 0, 0
		x = 0
		if b != 0 {
			x = f.Links(b).Next
			f.Links(b).Next, f.Links(b).prev = 0, 0
		}
		a = meld(f, a, b)
		f.Links(a).Next = last
		last = a
	}
	for last != 0 {
		next := f.Links(last).Next
		f.Links(last).Next = 0
		root = meld(f, root, last)
		last = next
	}
	return root
}

// Walk calls do for all in a tree, in no order, until it says no. It must not
// change the tree.
func Walk[F Forest](f F, root uint32, do func(x uint32) bool) {
	for x := root; x != 0; {
		l := *f.Links(x)
		if !do(x) {
			return
		}
		next := l.Child
		for y := x; next == 0 && y != root; {
			if next = l.Next; next == 0 {
				y = parent(f, y)
				l = *f.Links(y)
			}
		}
		x = next
	}
}

func parent[F Forest](f F, x uint32) uint32 {
	p := f.Links(x).prev
	for f.Links(p).Child != x {
		x, p = p, f.Links(p).prev
	}
	return p
}
