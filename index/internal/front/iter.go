package front

import (
	"bytes"

	"github.com/webquarry/quarry/index/internal/packed"
)

// Iter walks the strings in order. It starts before the first.
type Iter struct {
	table  *Table
	block  int // being read
	next   int // place in the block of the string after text
	size   int // strings in the block
	texts  packed.Bytes
	values packed.Bytes
	text   []byte
	err    error
}

// Iter returns an iterator.
func (t *Table) Iter() *Iter { return &Iter{table: t, block: -1} }

// Next goes to the next string, if there is one and no error.
func (it *Iter) Next() bool {
	for it.next >= it.size {
		if it.err != nil || it.block+1 >= it.table.n || it.open(it.block+1) != nil {
			return false
		}
	}
	return it.step()
}

// Seek goes to the first string that is not less than s.
func (it *Iter) Seek(s []byte) bool {
	if it.table.n == 0 || it.err != nil {
		return false
	}
	if it.open(max(0, it.table.block(s))) != nil {
		return false
	}
	for it.Next() {
		if bytes.Compare(it.text, s) >= 0 {
			return true
		}
	}
	return false
}

// find goes to s, if it is there.
func (it *Iter) find(s []byte) (bool, error) {
	block := it.table.block(s)
	if block < 0 {
		return false, nil
	}
	if err := it.open(block); err != nil {
		return false, err
	}
	for it.next < it.size && it.step() {
		if c := bytes.Compare(it.text, s); c >= 0 {
			return c == 0, nil
		}
	}
	return false, it.err
}

// Find goes to s and reports whether it is there.
func (it *Iter) Find(s []byte) bool {
	ok, err := it.find(s)
	return ok && err == nil
}

// open starts reading a block.
func (it *Iter) open(block int) error {
	it.block, it.next = block, 0
	it.size = min(BlockLen, it.table.count-block*BlockLen)
	it.text = it.text[:0]
	it.texts, it.values, it.err = it.table.load(block)
	return it.err
}

// step reads the next string of the block.
func (it *Iter) step() bool {
	keep := uint64(0)
	if it.next > 0 {
		keep = it.texts.Uvarint()
	}
	rest := it.texts.Counted()
	if it.texts.Bad || keep > uint64(len(it.text)) {
		it.err = it.table.damage(it.block)
		it.size = 0
		return false
	}
	it.text = append(it.text[:keep], rest...)
	it.next++
	return true
}

// Text returns the string, until the next move.
func (it *Iter) Text() []byte { return it.text }

// Place returns the place of the string.
func (it *Iter) Place() int { return it.block*BlockLen + it.next - 1 }

// Values returns the block of the string, the string's place in it, and the
// values of the block.
func (it *Iter) Values() (block, i int, values packed.Bytes) {
	return it.block, it.next - 1, it.values
}

// Damage is the error for values of the block that make no sense.
func (it *Iter) Damage() error { return it.table.damage(it.block) }

// Err is what ended the walk too early.
func (it *Iter) Err() error { return it.err }
