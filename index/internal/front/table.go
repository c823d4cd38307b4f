package front

import (
	"bytes"
	"encoding/binary"
	"sort"

	"github.com/webquarry/quarry/index/internal/packed"
	"github.com/webquarry/quarry/index/internal/pagefile"
)

// Table finds strings. It may be used from many goroutines.
type Table struct {
	blocks pagefile.Section
	index  []byte
	count  int
	n      int // blocks
}

// Open reads the index.
func Open(blocks, index pagefile.Section) (*Table, error) {
	b, err := index.All()
	if err != nil {
		return nil, err
	}
	if len(b) < indexHead {
		return nil, index.Damage(0, "index of strings is too short")
	}
	t := &Table{blocks: blocks, index: b}
	count, n := uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[4:]))
	if n != (count+BlockLen-1)/BlockLen || indexHead+12*n > uint64(len(b)) {
		return nil, index.Damage(0, "index of strings has the wrong length")
	}
	t.count, t.n = int(count), int(n)
	end := uint32(0)
	keys := uint64(len(b)) - indexHead - 12*n
	for i := range t.n {
		next := t.end(i)
		if next < end || uint64(next) > keys || t.offset(i) > blocks.Len() || i > 0 && t.offset(i) < t.offset(i-1) {
			return nil, index.Damage(0, "index of strings is out of order")
		}
		end = next
	}
	return t, nil
}

// Len is the number of strings.
func (t *Table) Len() int { return t.count }

func (t *Table) offset(i int) uint64 {
	return binary.LittleEndian.Uint64(t.index[indexHead+8*i:])
}

func (t *Table) end(i int) uint32 {
	return binary.LittleEndian.Uint32(t.index[indexHead+8*t.n+4*i:])
}

// key returns the key of block i.
func (t *Table) key(i int) []byte {
	from := uint32(0)
	if i > 0 {
		from = t.end(i - 1)
	}
	keys := t.index[indexHead+12*t.n:]
	return keys[from:t.end(i)]
}

// block returns the block that s is in if it is anywhere; -1: nowhere.
func (t *Table) block(s []byte) int {
	return sort.Search(t.n, func(i int) bool { return bytes.Compare(t.key(i), s) > 0 }) - 1
}

// blockFrom is block for strings that are not before the block from, by steps of
// growing size.
func (t *Table) blockFrom(from int, s []byte) int {
	lo, step := from, 1
	for lo+step < t.n && bytes.Compare(t.key(lo+step), s) <= 0 {
		lo += step
		step *= 2
	}
	most := min(step, t.n-lo)
	return lo + sort.Search(most-1, func(i int) bool { return bytes.Compare(t.key(lo+1+i), s) > 0 })
}

// load returns the texts and values of block i.
func (t *Table) load(i int) (texts, values packed.Bytes, err error) {
	end := t.blocks.Len()
	if i+1 < t.n {
		end = t.offset(i + 1)
	}
	b, err := t.blocks.Bytes(t.offset(i), end-t.offset(i))
	if err != nil {
		return texts, values, err
	}
	all := packed.Bytes{B: b}
	texts.B = all.Counted()
	if all.Bad {
		return texts, values, t.damage(i)
	}
	return texts, packed.Bytes{B: all.B}, nil
}

func (t *Table) damage(block int) error {
	return t.blocks.Damage(t.offset(block), "damaged strings")
}

// Find returns the place of s, if it is there.
func (t *Table) Find(s []byte) (place int, ok bool, err error) {
	it := Iter{table: t}
	ok, err = it.find(s)
	return it.Place(), ok, err
}

// At returns the string at a place, 0 <= place < Len.
func (t *Table) At(place int) (string, error) {
	var room [256]byte
	text, err := t.AppendAt(room[:0], place)
	return string(text), err
}

// AppendAt appends the string at a place, 0 <= place < Len, to dst.
func (t *Table) AppendAt(dst []byte, place int) ([]byte, error) {
	block, start := place/BlockLen, len(dst)
	texts, _, err := t.load(block)
	if err != nil {
		return dst, err
	}
	for i := range place%BlockLen + 1 {
		keep, rest, ok := nextText(&texts, i > 0)
		if !ok || keep > uint64(len(dst)-start) {
			return dst[:start], t.damage(block)
		}
		dst = append(dst[:start+int(keep)], rest...)
	}
	return dst, nil
}

// nextText takes a string off a block: what it adds to so many bytes of the one
// before it, if there is one.
func nextText(b *packed.Bytes, after bool) (keep uint64, rest []byte, ok bool) {
	if all := b.B; after && len(all) > 1 && all[0] < 0x80 && all[1] < 0x80 && int(all[1]) <= len(all)-2 {
		n := 2 + int(all[1])
		b.B = all[n:]
		return uint64(all[0]), all[2:n], true
	}
	if after {
		keep = b.Uvarint()
	}
	rest = b.Counted()
	return keep, rest, !b.Bad
}
