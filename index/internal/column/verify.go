package column

import (
	"bytes"
	"context"
)

// Verify reads all of the column and reports the first thing that does not
// fit. The pages under it are checked by the file.
func (c *Column) Verify(ctx context.Context) error {
	if err := c.numbers.verify(ctx); err != nil {
		return err
	}
	if c.Dict != nil {
		if err := c.verifyDict(ctx); err != nil {
			return err
		}
	}
	if c.starts == nil {
		return nil
	}
	if err := c.starts.verify(ctx); err != nil {
		return err
	}
	cur := c.Cursor()
	for doc := range c.Docs {
		if doc%BlockLen == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if cur.of(doc); cur.err != nil {
			return cur.err
		}
	}
	return nil
}

// verify compares each block with what the table says of it.
func (l *list) verify(ctx context.Context) error {
	var b open
	for i := range uint32(len(l.table) / entrySize) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := l.open(&b, i); err != nil {
			return err
		}
		if b.Present == 0 {
			continue
		}
		present, lo, hi := 0, b.Max, b.Min
		for j := range b.Last - b.First + 1 {
			if v, ok := b.at(j); ok {
				present++
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		if present != b.Present || lo != b.Min || hi != b.Max {
			return l.where.Damage(uint64(tableHead+i*entrySize), "a block of a column is not as the table says")
		}
	}
	return nil
}

// verifyDict looks for strings out of order, and for places beyond them.
func (c *Column) verifyDict(ctx context.Context) error {
	for i := range uint32(len(c.numbers.table) / entrySize) {
		if s := c.numbers.span(i); s.Present > 0 && (s.Min < 0 || s.Max >= int64(c.Dict.Len())) {
			return c.numbers.where.Damage(uint64(tableHead+i*entrySize), "a string that is not in the dictionary")
		}
	}
	var last []byte
	it := c.Dict.Iter()
	for n := 0; it.Next(); n++ {
		if n%BlockLen == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if n > 0 && bytes.Compare(last, it.Text()) >= 0 {
			return it.Damage()
		}
		last = append(last[:0], it.Text()...)
	}
	return it.Err()
}
