package postings

// Verify walks a whole list with its positions, and checks that the impacts
// bound its documents. Lengths are those of the field.
func (r Reader) Verify(e Entry, length func(doc uint32) uint32) error {
	c := r.Open(e)
	n := uint32(0)
	var at []uint32
	var bounds []Impact
	for doc := c.Next(); doc != End; doc = c.Next() {
		if n%blockLen == 0 {
			bounds = c.bounds(bounds[:0])
		}
		n++
		tf := c.TF()
		if r.Positions.Len() > 0 {
			at = c.Positions(at[:0])
		}
		if e.Docs >= blockLen && !bounded(bounds, tf, length(doc)) {
			return r.Lists.Damage(e.Off, "a document scores higher than its block allows")
		}
	}
	if c.err == nil && n != e.Docs {
		return r.Lists.Damage(e.Off, "a list has the wrong length")
	}
	return c.err
}

// bounds appends the impacts of the current block or tail.
func (c *Cursor) bounds(dst []Impact) []Impact {
	return readImpacts(dst, c.table.pairs(c.block-1))
}

func bounded(bounds []Impact, tf, length uint32) bool {
	for _, b := range bounds {
		if b.TF >= tf && b.Len <= length {
			return true
		}
	}
	return false
}
