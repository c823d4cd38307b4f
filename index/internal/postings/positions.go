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
	last, n := uint32(0), len(dst)
	for k, end := c.gaps(); k < end; {
		gaps := c.piece(k, end)
		dst = slices.Grow(dst, len(gaps))[:n+len(gaps)]
		places := dst[n:][:len(gaps)]
		for i, gap := range gaps {
			last += gap
			places[i] = last
		}
		if n += len(gaps); len(gaps) == 0 {
			break
		}
		k += len(gaps)
	}
	return dst
}

// Gaps appends the first of the positions and how far each of the others is
// from the one before, as they are stored.
func (c *Cursor) Gaps(dst []uint32) []uint32 {
	c.EachGaps(func(gaps []uint32) bool {
		dst = append(dst, gaps...)
		return true
	})
	return dst
}

// EachGaps yields what Gaps appends piece by piece, until it is not wanted.
func (c *Cursor) EachGaps(yield func([]uint32) bool) {
	for k, end := c.gaps(); k < end; {
		gaps := c.piece(k, end)
		if len(gaps) == 0 || !yield(gaps) {
			return
		}
		k += len(gaps)
	}
}

// gaps returns which numbers of the row are those of the current document; none
// when there are errors.
func (c *Cursor) gaps() (from, to int) {
	if c.rest != nil {
		c.loadTFs()
	}
	if c.err != nil {
		return 0, 0
	}
	if (c.row == nil || !c.row.open) && !c.openRow() {
		return 0, 0
	}
	if c.seekRow(); c.row.off < c.row.at { // read before, and beyond
		if !c.openRow() {
			return 0, 0
		}
		c.seekRow()
	}
	return c.row.off, c.row.off + int(c.tfs[c.i-1])
}

// piece returns numbers of the row from k up to end, as many as there are
// together; none when there is an error.
func (c *Cursor) piece(k, end int) []uint32 {
	r := c.row
	for k >= r.at+r.n {
		if !r.load(k) {
			c.fail(c.in.Positions.Damage(c.entry.PosOff, "damaged positions"))
			return nil
		}
	}
	from := k - r.at
	return r.gaps[from : from+min(end-k, r.n-from)]
}

// seekRow finds where the positions of the current document start in the row.
func (c *Cursor) seekRow() {
	r, off := c.row, c.row.off
	for _, tf := range c.tfs[r.doc:max(r.doc, c.i-1)] {
		off += int(tf)
	}
	r.doc, r.off = max(r.doc, c.i-1), off
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
