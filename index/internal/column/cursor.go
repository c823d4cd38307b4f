package column

// Cursor reads a column. It is quick when documents ascend. After damage it
// says of every document that it has no value; Err says why.
type Cursor struct {
	c       *Column
	numbers reading
	starts  reading
	err     error
}

// Cursor returns a cursor of a column. One of no column, nil, says that no
// document has a value.
func (c *Column) Cursor() *Cursor {
	cur := &Cursor{c: c}
	if c != nil {
		cur.numbers = reading{list: c.numbers, block: noBlock}
		cur.starts = reading{list: c.starts, block: noBlock}
	}
	return cur
}

const noBlock = 1<<32 - 1

// reading is a list with the block of it that was read last.
type reading struct {
	list  *list
	open  open
	block uint32
}

func (r *reading) at(i uint32) (v int64, ok bool, err error) {
	if b := i / BlockLen; b != r.block {
		if err := r.list.open(&r.open, b); err != nil {
			return 0, false, err
		}
		r.block = b
	}
	if r.open.Present == 0 {
		return 0, false, nil
	}
	v, ok = r.open.at(i % BlockLen)
	return v, ok, nil
}

// Err returns the damage that was met.
func (c *Cursor) Err() error { return c.err }

// At returns the value of a document, the least if there are several; of a
// column of strings it is its place in the dictionary.
func (c *Cursor) At(doc uint32) (int64, bool) {
	if c.c == nil || c.err != nil || doc >= c.c.Docs {
		return 0, false
	}
	if c.c.starts != nil {
		from, to := c.of(doc)
		if from == to {
			return 0, false
		}
		doc = from
	}
	v, ok, err := c.numbers.at(doc)
	c.err = err
	return v, ok
}

// of returns where the values of a document begin and end.
func (c *Cursor) of(doc uint32) (from, to uint32) {
	a, _, err := c.starts.at(doc)
	if err == nil {
		var b int64
		b, _, err = c.starts.at(doc + 1)
		if err == nil && (a < 0 || b < a || b > int64(c.numbers.list.count)) {
			err = c.starts.list.where.Damage(0, "the values of a document are out of order")
		}
		if err == nil {
			return uint32(a), uint32(b)
		}
	}
	c.err = err
	return 0, 0
}

// Values appends all values of a document, ascending.
func (c *Cursor) Values(dst []int64, doc uint32) []int64 {
	if c.c == nil || c.c.starts == nil {
		if v, ok := c.At(doc); ok {
			dst = append(dst, v)
		}
		return dst
	}
	if c.err != nil || doc >= c.c.Docs {
		return dst
	}
	from, to := c.of(doc)
	for ; from < to && c.err == nil; from++ {
		v, ok, err := c.numbers.at(from)
		if c.err = err; ok {
			dst = append(dst, v)
		}
	}
	return dst
}

// Span returns what is known of the documents around one without looking at
// them; ok is false where documents have several values.
func (c *Cursor) Span(doc uint32) (s Span, ok bool) {
	switch {
	case c.c == nil || doc >= c.c.Docs:
		return Span{First: doc, Last: noBlock}, true
	case c.c.starts != nil:
		return Span{}, false
	}
	return c.c.numbers.span(doc / BlockLen), true
}

// Within goes through the documents of one block from doc on, up to last, and
// returns the first whose value is from lo to hi; last+1 when there is none.
// The column has single values.
func (c *Cursor) Within(doc, last uint32, lo, hi int64) uint32 {
	from, to, ok := c.within(doc, lo, hi)
	if !ok {
		return last + 1
	}
	b := &c.numbers.open
	for ; doc <= last; doc++ {
		i := doc % BlockLen
		if b.raw(i)-from <= to-from && (len(b.has) == 0 || b.has[i/8]>>(i%8)&1 != 0) {
			return doc
		}
	}
	return doc
}

// Mark sets the bits of the documents of one block from doc to last whose value
// is from lo to hi; that of document base is the lowest. The column has single
// values.
func (c *Cursor) Mark(doc, last uint32, lo, hi int64, marks []uint64, base uint32) {
	from, to, ok := c.within(doc, lo, hi)
	if !ok {
		return
	}
	b := &c.numbers.open
	for ; doc <= last; doc++ {
		i := doc % BlockLen
		if b.raw(i)-from <= to-from && (len(b.has) == 0 || b.has[i/8]>>(i%8)&1 != 0) {
			marks[(doc-base)/64] |= 1 << ((doc - base) % 64)
		}
	}
}

// within opens the block of a document, and returns what its raw numbers are for
// values from lo to hi; false when there are none.
func (c *Cursor) within(doc uint32, lo, hi int64) (from, to uint64, ok bool) {
	if _, _, err := c.numbers.at(doc); err != nil {
		c.err = err
		return 0, 0, false
	}
	b := &c.numbers.open
	if b.Present == 0 || lo > b.Max || hi < b.Min || lo > hi {
		return 0, 0, false
	}
	to = distance(min(hi, b.Max), b.Min) / max(1, b.step)
	if lo > b.Min {
		from = (distance(lo, b.Min)-1)/max(1, b.step) + 1
	}
	return from, to, from <= to
}
