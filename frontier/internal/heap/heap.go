package heap

// Entry is a number in a heap, which is a slice of entries, the least first. What they are
// sorted by stands in them, so that what the numbers stand for need not be looked at; it is
// told its place when that changes.
type Entry struct {
	Key
	X uint32
}

// At is the first field as a time.
func (e *Entry) At() int64 { return int64(e.First) }

// Key is compared field by field.
type Key struct{ First, Second, Third uint64 }

// Before says whether k is less than o.
func (k Key) Before(o Key) bool {
	if k.First != o.First {
		return k.First < o.First
	}
	if k.Second != o.Second {
		return k.Second < o.Second
	}
	return k.Third < o.Third
}

// Placer is told the places of entries.
type Placer interface {
	Placed(x uint32, at int) // x is now h[at]
}

// Push adds x to a heap.
func Push[P Placer](p P, h []Entry, x uint32, k Key) []Entry {
	h = append(h, Entry{k, x})
	up(p, h, len(h)-1)
	return h
}

// Remove takes out h[at]. What a long heap took is given back.
func Remove[P Placer](p P, h []Entry, at int) []Entry {
	last := len(h) - 1
	x := h[last]
	h = h[:last]
	if at < last {
		h[at] = x
		settleAt(p, h, at)
	}
	if cap(h) > 64 && len(h) < cap(h)/4 {
		h = append(make([]Entry, 0, cap(h)/2), h...)
	}
	return h
}

// Fix puts h[at] where it belongs by a new key.
func Fix[P Placer](p P, h []Entry, at int, k Key) {
	if h[at].Key != k {
		h[at].Key = k
		settleAt(p, h, at)
	}
}

func settleAt[P Placer](p P, h []Entry, at int) {
	if at > 0 && h[at].Before(h[(at-1)/2].Key) {
		up(p, h, at)
	} else {
		down(p, h, at)
	}
}

func up[P Placer](p P, h []Entry, at int) {
	x := h[at]
	for at > 0 {
		parent := (at - 1) / 2
		if !x.Before(h[parent].Key) {
			break
		}
		h[at] = h[parent]
		p.Placed(h[at].X, at)
		at = parent
	}
	h[at] = x
	p.Placed(x.X, at)
}

func down[P Placer](p P, h []Entry, at int) {
	x := h[at]
	for {
		first := 2*at + 1
		if first >= len(h) {
			break
		}
		if second := first + 1; second < len(h) && h[second].Before(h[first].Key) {
			first = second
		}
		if !h[first].Before(x.Key) {
			break
		}
		h[at] = h[first]
		p.Placed(h[at].X, at)
		at = first
	}
	h[at] = x
	p.Placed(x.X, at)
}

// Unplaced is a placer of what need not know its place.
type Unplaced struct{}

// Placed implements [Placer].
func (Unplaced) Placed(uint32, int) {}
