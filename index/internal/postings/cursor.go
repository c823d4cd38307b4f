package postings

import (
	"github.com/webquarry/quarry/index/internal/packed"
	"github.com/webquarry/quarry/index/internal/pagefile"
)

// Reader opens the lists of a field.
type Reader struct {
	Lists     pagefile.Section
	Positions pagefile.Section // empty in a field that has none
	Docs      uint32           // documents of the segment
}

// Cursor walks a list in ascending order of documents, one way. It starts
// before the first document.
type Cursor struct {
	list
	doc   uint32
	i, n  int    // place in docs, of n
	last  uint32 // of docs
	dense dense  // instead of docs, as long as it has words
	docs  [blockLen]uint32
	tfs   [blockLen]uint32
	block int // the next block to load; table.blocks is the tail
	packedTFs
	row *row // positions of the block; nil or not open: none read yet
	err error

	loaded int // blocks and tails
}

// packedTFs are the tfs of a block until they are unpacked.
type packedTFs struct {
	rest  []byte // of the block, from its tfs; nil: they are unpacked
	asked int    // how many have been read by themselves
}

// list is what a cursor walks.
type list struct {
	entry Entry
	in    Reader
	table table
}

// Open returns a cursor on a list.
func (r Reader) Open(e Entry) *Cursor {
	c := new(Cursor)
	r.Reset(c, e)
	return c
}

// Reset makes c a cursor on a list, as Open does.
func (r Reader) Reset(c *Cursor, e Entry) {
	c.doc, c.i, c.n, c.block = 0, 0, 0, 0
	c.in, c.entry, c.table = r, e, table{}
	c.packedTFs, c.err, c.dense = packedTFs{}, nil, dense{}
	c.closeRow()
	c.loaded = 0
	if e.Docs == 1 {
		c.n, c.last, c.docs[0], c.tfs[0] = 1, e.Doc, e.Doc, e.TF
		c.block = 1
		if e.Doc >= r.Docs || e.TF == 0 {
			c.fail(r.Lists.Damage(0, "a document that is not there"))
		}
		return
	}
	if c.table, c.err = openTable(r.Lists, e); c.err != nil {
		c.fail(c.err)
	}
}

// Doc returns the current document; [End] after the last or an error.
func (c *Cursor) Doc() uint32 { return c.doc }

// End returns a document that is greater than all of the list from here on: the one
// after the last where the end of the list is in memory.
func (c *Cursor) End() uint32 {
	if c.n > 0 && c.block > c.table.blocks {
		return c.last + 1
	}
	return End
}

// Loaded returns how many blocks and tails were read since the list was opened.
func (c *Cursor) Loaded() int { return c.loaded }

// Len returns the number of documents in the list.
func (c *Cursor) Len() uint32 { return c.entry.Docs }

// Err returns what ended the walk too early.
func (c *Cursor) Err() error { return c.err }

func (c *Cursor) fail(err error) uint32 {
	c.err, c.n, c.doc = err, 0, End
	c.block = c.table.blocks + 1
	return End
}

// Next goes to the next document.
func (c *Cursor) Next() uint32 {
	if c.i < c.n {
		c.spread()
		c.doc = c.docs[c.i]
		c.i++
		return c.doc
	}
	return c.nextBlock()
}

func (c *Cursor) nextBlock() uint32 {
	if !c.load() {
		c.doc = End
		return End
	}
	c.spread()
	c.doc, c.i = c.docs[0], 1
	return c.doc
}

// spread lists the documents of the block.
func (c *Cursor) spread() {
	if c.dense.words != nil {
		c.dense.list(&c.docs)
		c.dense.words = nil
	}
}

// Advance goes to the first document from here on that is not less than
// target.
func (c *Cursor) Advance(target uint32) uint32 {
	if c.doc >= target && c.i > 0 {
		return c.doc
	}
	if c.n == 0 || c.last < target {
		if c.block > c.table.blocks {
			c.i, c.doc = c.n, End
			return End
		}
		c.block = c.table.find(c.block, target)
		if !c.load() {
			c.doc = End
			return End
		}
		c.i = 0
	}
	// The last document of the block is not less than target, except in the
	// tail.
	if c.dense.words != nil {
		doc, rank := c.dense.seek(target)
		c.doc, c.i = doc, rank+1
		return doc
	}
	c.i += search(c.docs[c.i:c.n], target)
	if c.i == c.n {
		return c.nextBlock()
	}
	c.doc = c.docs[c.i]
	c.i++
	return c.doc
}

// search returns the place of the first document not less than target: by
// steps of growing size, since it is mostly near.
func search(docs []uint32, target uint32) int {
	lo, step := 0, 1
	for lo+step <= len(docs) && docs[lo+step-1] < target {
		lo += step
		step *= 2
	}
	hi := min(lo+step, len(docs))
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); docs[mid] < target {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

func (c *Cursor) closeRow() {
	if c.row != nil {
		c.row.open, c.row.data = false, nil
	}
}

// load reads the next block, or the tail.
func (c *Cursor) load() bool {
	b := c.block
	c.n, c.i, c.packedTFs, c.dense.words = 0, 0, packedTFs{}, nil
	c.closeRow()
	if b > c.table.blocks || c.err != nil {
		return false
	}
	c.block++
	c.loaded++
	if b == c.table.blocks {
		return c.loadTail()
	}
	from, to := c.table.span(b)
	data, err := c.in.Lists.Bytes(c.entry.Off+from, to-from)
	if err == nil {
		err = c.unpack(data, c.table.first(b), c.table.last(b))
	}
	if err != nil {
		c.fail(c.damage(err, from))
		return false
	}
	c.n, c.last = blockLen, c.table.last(b)
	return true
}

// unpack reads the documents of a block; its tfs are read when they are asked
// for.
func (c *Cursor) unpack(data []byte, first uint64, last uint32) (err error) {
	size := 0
	if isDense(data) {
		if c.dense, size, err = openDense(data, first, last); err == nil && last >= c.in.Docs {
			err = packed.ErrDamaged
		}
		c.rest = data[size:]
		return err
	}
	size, err = packed.Unpack(&c.docs, data)
	if err != nil {
		return err
	}
	// Summed up in 64 bits, wrong gaps cannot come out at the right end.
	sum := first
	for i := range c.docs {
		sum += uint64(c.docs[i])
		c.docs[i] = uint32(sum) + uint32(i)
	}
	if sum+blockLen-1 != uint64(last) || last >= c.in.Docs {
		return packed.ErrDamaged
	}
	c.rest = data[size:]
	return nil
}

func (c *Cursor) loadTail() bool {
	n := int(c.entry.Docs % blockLen)
	from, to := c.table.tail()
	data, err := c.in.Lists.Bytes(c.entry.Off+from, to-from)
	if err != nil {
		c.fail(c.damage(err, from))
		return false
	}
	b := packed.Bytes{B: data}
	next := c.table.first(c.table.blocks)
	for i := range n {
		gap := b.Uvarint()
		c.tfs[i] = 1
		if gap&1 != 0 {
			c.tfs[i] = b.Uvarint32() + 2
		}
		if gap >>= 1; gap > End {
			b.Bad = true
			break
		}
		next += gap
		c.docs[i] = uint32(next)
		next++
	}
	if b.Bad || len(b.B) > 0 || next > uint64(c.in.Docs) {
		c.fail(c.damage(packed.ErrDamaged, from))
		return false
	}
	c.n, c.last = n, uint32(next-1)
	return n > 0
}

// TF returns how often the current document holds the term.
func (c *Cursor) TF() uint32 {
	if c.rest != nil {
		return c.readTF()
	}
	return c.tfs[c.i-1]
}

// fewTFs is how many tfs of a block are read by themselves before all are
// unpacked.
const fewTFs = 6

func (c *Cursor) readTF() uint32 {
	if c.asked++; c.asked <= fewTFs {
		if size, err := packed.Size(c.rest); err == nil && size == len(c.rest) {
			if less, ok := packed.At(c.rest, c.i-1); ok {
				return less + 1
			}
		}
	}
	c.loadTFs()
	return c.tfs[c.i-1]
}

func (c *Cursor) loadTFs() {
	rest := c.rest
	c.rest = nil
	if size, err := packed.Unpack(&c.tfs, rest); err != nil || size != len(rest) {
		c.tfs = [blockLen]uint32{}
		from, _ := c.table.span(c.block - 1)
		c.fail(c.damage(packed.ErrDamaged, from))
	}
	for i := range c.tfs {
		c.tfs[i]++
	}
}

// Batch returns documents from from on that are less than to, all of one block;
// none when there are no more. It goes to the last of them. The slice is good
// until the next move.
func (c *Cursor) Batch(from, to uint32) []uint32 {
	if c.Advance(from) >= to {
		return nil
	}
	c.spread()
	i, n := c.i-1, c.n
	if c.last >= to {
		n = c.i + search(c.docs[c.i:n], to)
	}
	c.i, c.doc = n, c.docs[n-1]
	return c.docs[i:n]
}

// Block returns all documents of a block, or of the tail, which comes after the
// last, and their tfs. Blocks may be asked for in any order, and the cursor is not
// moved besides. The slices are good until the next call.
func (c *Cursor) Block(b int) (docs, tfs []uint32) {
	if c.n == 0 || c.block != b+1 {
		if c.block = b; !c.load() {
			return nil, nil
		}
	}
	c.spread()
	if c.rest != nil {
		c.loadTFs()
	}
	return c.docs[:c.n], c.tfs[:c.n]
}

// Mark sets a bit for each document from lo up to hi in marks, which start at lo.
// Both are multiples of 64, but for hi at the end of the documents. Lo ascends, and
// the cursor is not moved otherwise.
func (c *Cursor) Mark(lo, hi uint32, marks []uint64) {
	for from := lo; from < hi; from = c.last + 1 {
		if c.n == 0 || c.last < from {
			if c.block = c.table.find(c.block, from); !c.load() {
				return
			}
		}
		if c.dense.words != nil {
			c.dense.mark(lo, hi, marks)
			continue
		}
		docs := c.docs[search(c.docs[:c.n], from):c.n]
		if c.last >= hi {
			docs = docs[:search(docs, hi)]
		}
		if n := len(docs); n > 0 && docs[n-1]-docs[0] < denseMarks*uint32(n) {
			markDense(lo, docs, marks)
			continue
		}
		for _, doc := range docs {
			marks[(doc-lo)/64] |= 1 << (doc % 64)
		}
	}
}

// denseMarks says which documents are gathered in a word before it is stored: those of
// which there is at least one in so many.
const denseMarks = 4

// markDense sets a bit for each document, word by word.
func markDense(lo uint32, docs []uint32, marks []uint64) {
	at, bits := (docs[0]-lo)/64, uint64(0)
	for _, doc := range docs {
		if i := (doc - lo) / 64; i != at {
			marks[at] |= bits
			at, bits = i, 0
		}
		bits |= 1 << (doc % 64)
	}
	marks[at] |= bits
}

// Short returns all documents of a list that has no blocks, and their tfs; none
// of others. The cursor must be before the first, and stays there. The slices
// are good until the next move.
func (c *Cursor) Short() (docs, tfs []uint32) {
	if c.table.blocks > 0 {
		return nil, nil
	}
	if c.n == 0 && c.err == nil {
		c.load()
	}
	return c.docs[:c.n], c.tfs[:c.n]
}

// Return goes back to a document of the block that it is in.
func (c *Cursor) Return(doc uint32) {
	c.spread()
	c.i = search(c.docs[:c.n], doc) + 1
	c.doc = doc
}

// TFs returns the tfs of the n documents that end with the current one: those
// of the last batch.
func (c *Cursor) TFs(n int) []uint32 {
	if c.rest != nil {
		c.loadTFs()
	}
	return c.tfs[c.i-n : c.i]
}

// damage gives an error of the list a place in the file.
func (c *Cursor) damage(err error, off uint64) error {
	if err == packed.ErrDamaged {
		return c.in.Lists.Damage(c.entry.Off+off, "damaged list of documents")
	}
	return err
}
