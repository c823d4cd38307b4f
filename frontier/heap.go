package frontier

// A heap of entries, the least first. What it is sorted by stands in the entries,
// so that hosts and groups need not be looked at to compare them; they are told
// their place when it changes.
type entry struct {
	sortKey
	x uint32
}

// at is the first field as a time.
func (e *entry) at() int64 { return int64(e.first) }

// sortKey is compared field by field.
type sortKey struct{ first, second, third uint64 }

func (k sortKey) before(o sortKey) bool {
	if k.first != o.first {
		return k.first < o.first
	}
	if k.second != o.second {
		return k.second < o.second
	}
	return k.third < o.third
}

// placer is told the places of entries.
type placer interface {
	placed(x uint32, at int) // x is now h[at]
}

// push adds x to a heap.
func push[P placer](p P, h []entry, x uint32, k sortKey) []entry {
	h = append(h, entry{k, x})
	up(p, h, len(h)-1)
	return h
}

// remove takes out h[at]. What a long heap took is given back.
func remove[P placer](p P, h []entry, at int) []entry {
	last := len(h) - 1
	x := h[last]
	h = h[:last]
	if at < last {
		h[at] = x
		settleAt(p, h, at)
	}
	if cap(h) > 64 && len(h) < cap(h)/4 {
		h = append(make([]entry, 0, cap(h)/2), h...)
	}
	return h
}

// fix puts h[at] where it belongs by a new key.
func fix[P placer](p P, h []entry, at int, k sortKey) {
	if h[at].sortKey != k {
		h[at].sortKey = k
		settleAt(p, h, at)
	}
}

func settleAt[P placer](p P, h []entry, at int) {
	if at > 0 && h[at].before(h[(at-1)/2].sortKey) {
		up(p, h, at)
	} else {
		down(p, h, at)
	}
}

func up[P placer](p P, h []entry, at int) {
	x := h[at]
	for at > 0 {
		parent := (at - 1) / 2
		if !x.before(h[parent].sortKey) {
			break
		}
		h[at] = h[parent]
		p.placed(h[at].x, at)
		at = parent
	}
	h[at] = x
	p.placed(x.x, at)
}

func down[P placer](p P, h []entry, at int) {
	x := h[at]
	for {
		first := 2*at + 1
		if first >= len(h) {
			break
		}
		if second := first + 1; second < len(h) && h[second].before(h[first].sortKey) {
			first = second
		}
		if !h[first].before(x.sortKey) {
			break
		}
		h[at] = h[first]
		p.placed(h[at].x, at)
		at = first
	}
	h[at] = x
	p.placed(x.x, at)
}
