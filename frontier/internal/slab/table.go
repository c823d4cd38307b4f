package slab

import "math/bits"

// Index finds numbers, which are not 0, by 64-bit keys that are spread evenly. It
// is a table with open addressing in the order of the keys, so that it is made
// larger and smaller in one sweep.
type Index struct {
	cells []IndexCell // as many as a power of two; a number is at home or behind
	N     int
}

// IndexCell is a key and its number.
type IndexCell struct {
	Key    uint64
	Number uint32 // 0: the cell is empty
}

// leastIndex is how many cells an index has at least.
const leastIndex = 8

func (x *Index) home(key uint64) int {
	return int(key >> (64 - uint(bits.TrailingZeros(uint(len(x.cells))))))
}

// Find returns the number of a key.
func (x *Index) Find(key uint64) (uint32, bool) {
	if x.N == 0 {
		return 0, false
	}
	for i, last := x.home(key), len(x.cells)-1; ; i = (i + 1) & last {
		c := &x.cells[i]
		if c.Number == 0 || c.Key == key {
			return c.Number, c.Number != 0
		}
	}
}

// Touch reads the cell where a key would be, and returns something of it. When
// many keys are touched before they are looked for, memory is waited for once.
func (x *Index) Touch(key uint64) uint64 {
	if len(x.cells) == 0 {
		return 0
	}
	return x.cells[x.home(key)].Key
}

// Set notes the number of a key.
func (x *Index) Set(key uint64, number uint32) {
	if 4*(x.N+1) > 3*len(x.cells) {
		x.resize(max(2*len(x.cells), leastIndex))
	}
	i := x.home(key)
	for x.cells[i].Number != 0 && x.cells[i].Key != key {
		i = (i + 1) & (len(x.cells) - 1)
	}
	if x.cells[i].Number == 0 {
		x.N++
	}
	x.cells[i] = IndexCell{key, number}
}

// Remove forgets a key that is there.
func (x *Index) Remove(key uint64) {
	last := len(x.cells) - 1
	i := x.home(key)
	for x.cells[i].Key != key || x.cells[i].Number == 0 {
		i = (i + 1) & last
	}
	for j := (i + 1) & last; x.cells[j].Number != 0; j = (j + 1) & last {
		// What is behind moves up, unless it would be before its home.
		if home := x.home(x.cells[j].Key); (j-home)&last >= (j-i)&last {
			x.cells[i] = x.cells[j]
			i = j
		}
	}
	x.cells[i] = IndexCell{}
	x.N--
	if len(x.cells) > leastIndex && 4*x.N < len(x.cells) {
		x.resize(len(x.cells) / 2)
	}
}

func (x *Index) resize(size int) {
	old := x.cells
	x.cells, x.N = make([]IndexCell, max(size, leastIndex)), 0
	for _, c := range old {
		if c.Number != 0 {
			x.Set(c.Key, c.Number)
		}
	}
}

// Table is values that are found by a fingerprint.
type Table[T any] struct {
	Slab[T]
	Index Index
}

// Find returns the number of the value with a key.
func (t *Table[T]) Find(key uint64) (uint32, bool) { return t.Index.Find(key) }

// Add stores a value under a key that is not in use.
func (t *Table[T]) Add(key uint64, v T) uint32 {
	i := t.Take()
	*t.At(i) = v
	t.Index.Set(key, i)
	return i
}

// Remove forgets value i, which was added under key.
func (t *Table[T]) Remove(key uint64, i uint32) {
	t.Give(i)
	t.Index.Remove(key)
}
