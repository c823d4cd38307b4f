package postings

import "math"

// Ceiling bounds the documents of a list, block by block, without reading
// them. It goes one way.
type Ceiling struct {
	table table
	block int
}

// Ceiling bounds the documents of the cursor's list.
func (c *Cursor) Ceiling() Ceiling { return Ceiling{table: c.table} }

// Seek goes to the block that may hold documents from target on, and returns
// its number and its last document. The tail of a list has the number
// [Ceiling.Tail] and the last document [End].
func (c *Ceiling) Seek(target uint32) (block int, last uint32) {
	c.block = c.table.find(c.block, target)
	if c.block == c.table.blocks {
		return c.block, End
	}
	return c.block, c.table.last(c.block)
}

// Tail is the number of the tail. No impacts are kept of it: it is to be read.
func (c *Ceiling) Tail() int { return c.table.blocks }

// Start returns the least document that the tail may hold.
func (c *Ceiling) Start() uint32 { return uint32(c.table.first(c.table.blocks)) }

// Impacts appends those of a block, which is not the tail.
func (c *Ceiling) Impacts(dst []Impact, block int) []Impact {
	n := len(dst)
	skip := c.table.skips[block*skipSize:]
	dst = readImpacts(dst, skip[skipSize-impactSize:skipSize])
	if len(dst) == n { // none were written: anything is possible
		dst = append(dst, Impact{math.MaxUint32, 0})
	}
	return dst
}
