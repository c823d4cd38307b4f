package postings

import (
	"github.com/webquarry/quarry/index/internal/packed"
)

// row reads the positions of a block or tail.
type row struct {
	data []byte
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
	tf := c.TF()
	if c.err != nil {
		return dst
	}
	if c.row == nil && !c.openRow() {
		return dst
	}
	if c.seekRow(); c.row.off < c.row.at { // read before, and beyond
		if !c.openRow() {
			return dst
		}
		c.seekRow()
	}
	r := c.row
	pos := uint32(0)
	for k := range int(tf) {
		gap, ok := r.number(r.off + k)
		if !ok {
			c.fail(c.in.Positions.Damage(c.entry.PosOff, "damaged positions"))
			return dst
		}
		pos += gap
		dst = append(dst, pos)
	}
	return dst
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
	r := &row{data: data}
	for _, tf := range c.tfs[:c.n] {
		r.left += int(tf)
	}
	c.row = r
	return true
}

// number returns a number of the row; none before the last that was asked for.
func (r *row) number(k int) (uint32, bool) {
	for k >= r.at+r.n {
		if !r.load(k) {
			return 0, false
		}
	}
	return r.gaps[k-r.at], true
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
