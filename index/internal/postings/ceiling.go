package postings

import "encoding/binary"

// Ceiling bounds the documents of a list, block by block, without reading
// them. It goes one way.
type Ceiling struct {
	table *table
	block int
}

// Ceiling bounds the documents of the cursor's list, as long as the cursor is
// not reset.
func (c *Cursor) Ceiling() Ceiling { return Ceiling{table: &c.table} }

// Seek goes to the block that may hold documents from target on, and returns
// its number and its last document; for the tail, that is [End].
func (c *Ceiling) Seek(target uint32) (block int, last uint32) {
	c.block = c.table.find(c.block, target)
	if c.block == c.table.blocks {
		return c.block, End
	}
	return c.block, c.table.last(c.block)
}

// Len is the number of blocks, without the tail.
func (c *Ceiling) Len() int { return c.table.blocks }

// Span returns the least document that a block, or the tail, may hold, and its
// last; for the tail, that is [End].
func (c *Ceiling) Span(block int) (first, last uint32) {
	first = uint32(c.table.first(block))
	if block == c.table.blocks {
		return first, End
	}
	return first, c.table.last(block)
}

// Impacts returns those of a block, as pairs of bytes up to the first with a tf
// of 0 (see [ReadImpact]). It is empty for a list without blocks, which is to be
// read.
func (c *Ceiling) Impacts(block int) []byte { return c.table.pairs(block) }

// Group returns the last document of all blocks that share an entry of supers, of
// which block has to be the first, and impacts that bound them together; ok is false
// where there is no such entry.
func (c *Ceiling) Group(block int) (last uint32, impacts []byte, ok bool) {
	at := block / groupLen * superSize
	if block%groupLen != 0 || at >= len(c.table.supers) {
		return 0, nil, false
	}
	super := c.table.supers[at : at+superSize]
	return binary.LittleEndian.Uint32(super), super[superSize-impactSize:], true
}
