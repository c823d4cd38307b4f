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

// Seek goes to the first string that is not less than s. It costs little where
// that is a little further on.
func (it *Iter) Seek(s []byte) bool {
	if it.table.n == 0 || it.err != nil {
		return false
	}
	same, ahead := 0, false
	if it.next > 0 && it.next <= it.size {
		same, ahead = common(it.text, s)
	}
	var block int
	if ahead {
		block = it.table.blockFrom(it.block, s)
	} else {
		block = max(0, it.table.block(s))
	}
	if !ahead || block != it.block {
		if it.open(block) != nil {
			return false
		}
		same = 0
	}
	return it.scan(s, same) || it.err == nil && it.Next()
}

// common returns how many bytes two strings have in common at the beginning, and
// whether a is the lesser.
func common(a, b []byte) (n int, less bool) {
	most := min(len(a), len(b))
	for n < most && a[n] == b[n] {
		n++
	}
	return n, n < len(b) && (n == len(a) || a[n] < b[n])
}

// scan goes to the first string of the rest of the block that is not less than s.
// The one before, if there is one, is less and has the first bytes of s in common.
// A string that has more than these in common with it is less than s too; it is
// not put together, since of what it has the ones to come keep no more than these.
func (it *Iter) scan(s []byte, same int) bool {
	for size := len(it.text); it.next < it.size; {
		keep, rest, ok := nextText(&it.texts, it.next > 0)
		if !ok || keep > uint64(size) {
			return it.broken()
		}
		it.next++
		size = int(keep) + len(rest)
		if int(keep) > same {
			continue
		}
		it.text = append(it.text[:keep], rest...)
		n, less := common(rest, s[keep:])
		if !less {
			return true
		}
		same = int(keep) + n
	}
	it.next = it.size + 1 // text is none of the block
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

// Go goes to the string at a place, 0 <= place < Len. It costs least where that
// is a little further on.
func (it *Iter) Go(place int) bool {
	if it.err != nil {
		return false
	}
	block, i := place/BlockLen, place%BlockLen
	if (block != it.block || i < it.next-1) && it.open(block) != nil {
		return false
	}
	for it.next <= i && it.step() {
	}
	return it.err == nil
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
	keep, rest, ok := nextText(&it.texts, it.next > 0)
	if !ok || keep > uint64(len(it.text)) {
		return it.broken()
	}
	it.text = append(it.text[:keep], rest...)
	it.next++
	return true
}

// broken ends the walk at a block that makes no sense.
func (it *Iter) broken() bool {
	it.err = it.table.damage(it.block)
	it.size = 0
	return false
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
