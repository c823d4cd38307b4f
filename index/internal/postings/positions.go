package postings

import (
	"slices"

	"github.com/webquarry/quarry/index/internal/packed"
)

// row reads the positions of a block or tail.
type row struct {
	data []byte
	open bool
	left int // numbers that are still in data
	gaps [packed.Len]uint32
	at   int // number of the first of gaps, in the row
	n    int // how many there are
	doc  int // document of the block whose positions start at off
	off  int
}

// Positions appends where the term stands in the current document, ascending,
// to dst. It costs reading the positions of the block up to that document.
func (c *Cursor) Positions(dst []uint32) []uint32 {
	pos, n := uint32(0), len(dst)
	c.gaps(func(gaps []uint32) {
		dst = slices.Grow(dst, len(gaps))[:n+len(gaps)]
		last, places := pos, dst[n:][:len(gaps)]
		for i, gap := range gaps {
			last += gap
			places[i] = last
		}
		pos, n = last, n+len(gaps)
	})
	return dst
}

// Gaps appends the first of the positions and how far each of the others is
// from the one before, as they are stored.
func (c *Cursor) Gaps(dst []uint32) []uint32 {
	c.gaps(func(gaps []uint32) { dst = append(dst, gaps...) })
	return dst
}

// gaps yields the gaps of the current document, piece by piece.
func (c *Cursor) gaps(yield func([]uint32)) {
	if c.rest != nil {
		c.loadTFs()
	}
	if c.err != nil {
		return
	}
	tf := c.tfs[c.i-1]
	if (c.row == nil || !c.row.open) && !c.openRow() {
		return
	}
	if c.seekRow(); c.row.off < c.row.at { // read before, and beyond
		if !c.openRow() {
			return
		}
		c.seekRow()
	}
	r := c.row
	for k, end := r.off, r.off+int(tf); k < end; {
		if k >= r.at+r.n && !r.load(k) {
			c.fail(c.in.Positions.Damage(c.entry.PosOff, "damaged positions"))
			return
		}
		if k < r.at+r.n {
			from := k - r.at
			n := min(end-k, r.n-from)
			yield(r.gaps[from : from+n])
			k += n
		}
	}
}

// seekRow finds where the positions of the current document start in the row.
func (c *Cursor) seekRow() {
	for r := c.row; r.doc < c.i-1; r.doc++ {
		r.off += int(c.tfs[r.doc])
	}
}

// openRow finds the positions of the block.
func (c *Cursor) openRow() bool {
	from, to := uint64(0), c.entry.PosSize
	if c.entry.Docs > 1 {
		from, to = c.table.posSpan(c.block - 1)
	}
	data, err := c.in.Positions.Bytes(c.entry.PosOff+from, to-from)
	if err != nil {
		c.fail(err)
		return false
	}
	if c.row == nil {
		c.row = new(row)
	}
	r := c.row
	r.data, r.open, r.left, r.at, r.n, r.doc, r.off = data, true, 0, 0, 0, 0, 0
	for _, tf := range c.tfs[:c.n] {
		r.left += int(tf)
	}
	return true
}

// load reads the next numbers; those that lie wholly before k are skipped.
func (r *row) load(k int) bool {
	r.at += r.n
	r.n = min(r.left, packed.Len)
	r.left -= r.n
	if r.n == 0 {
		return false
	}
	if r.n < packed.Len {
		b := packed.Bytes{B: r.data}
		for i := range r.n {
			r.gaps[i] = b.Uvarint32()
		}
		r.data = b.B
		return !b.Bad
	}
	size, err := packed.Size(r.data)
	if err == nil && k < r.at+r.n {
		size, err = packed.Unpack(&r.gaps, r.data)
	}
	if err != nil {
		return false
	}
	r.data = r.data[size:]
	return true
}
