package stored

import "context"

// mergeUnder is the part of a block below which its records are packed anew
// with others, so that many small segments do not leave many small blocks.
const mergeUnder = 2

// Copy takes over the records of a reader. Document d of it becomes moved[d];
// those of which gone says so are left out. Blocks that lose nothing, and are
// not small, are copied as they are.
func (w *Writer) Copy(ctx context.Context, r *Reader, moved []uint32, gone func(doc uint32) bool) error {
	docs, err := r.documents()
	if err != nil {
		return err
	}
	if r.n == 0 {
		for _, doc := range docs {
			if !gone(doc) {
				w.Add(moved[doc], nil)
			}
		}
	}
	c := copier{w: w, walk: r.Walk(), moved: moved, gone: gone}
	for block := range r.n {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := c.copy(block, docs[r.first(block):r.first(block+1)]); err != nil {
			return err
		}
	}
	return w.err
}

type copier struct {
	w     *Writer
	walk  *Walk
	moved []uint32
	gone  func(doc uint32) bool
	to    []uint32
}

// copy copies a block of the records of docs.
func (c *copier) copy(block int, docs []uint32) error {
	r := c.walk.r
	c.to = c.to[:0]
	for _, doc := range docs {
		if !c.gone(doc) {
			c.to = append(c.to, c.moved[doc])
		}
	}
	if len(c.to) == len(docs) && int(r.raw(block)) >= c.w.block/mergeUnder {
		frame, err := r.frame(block)
		if err == nil {
			c.w.fill()
			c.w.write(frame, r.raw(block), c.to)
		}
		return err
	}
	for i, doc := range docs {
		if c.gone(doc) {
			continue
		}
		record, err := c.walk.at(r.first(block) + uint32(i))
		if err != nil {
			return err
		}
		c.w.Add(c.moved[doc], record)
	}
	return nil
}
