package frontier

import "math/bits"

// index finds numbers, which are not 0, by 64-bit keys that are spread evenly. It
// is a table with open addressing in the order of the keys, so that it is made
// larger and smaller in one sweep.
type index struct {
	cells []indexCell // as many as a power of two; a number is at home or behind
	n     int
}

type indexCell struct {
	key    uint64
	number uint32 // 0: the cell is empty
}

// leastIndex is how many cells an index has at least.
const leastIndex = 8

func (x *index) home(key uint64) int {
	return int(key >> (64 - uint(bits.TrailingZeros(uint(len(x.cells))))))
}

// find returns the number of a key.
func (x *index) find(key uint64) (uint32, bool) {
	if x.n == 0 {
		return 0, false
	}
	for i, last := x.home(key), len(x.cells)-1; ; i = (i + 1) & last {
		c := &x.cells[i]
		if c.number == 0 || c.key == key {
			return c.number, c.number != 0
		}
	}
}

// touch reads the cell where a key would be, and returns something of it. When
// many keys are touched before they are looked for, memory is waited for once.
func (x *index) touch(key uint64) uint64 {
	if len(x.cells) == 0 {
		return 0
	}
	return x.cells[x.home(key)].key
}

// set notes the number of a key.
func (x *index) set(key uint64, number uint32) {
	if 4*(x.n+1) > 3*len(x.cells) {
		x.resize(max(2*len(x.cells), leastIndex))
	}
	i := x.home(key)
	for x.cells[i].number != 0 && x.cells[i].key != key {
		i = (i + 1) & (len(x.cells) - 1)
	}
	if x.cells[i].number == 0 {
		x.n++
	}
	x.cells[i] = indexCell{key, number}
}

// remove forgets a key that is there.
func (x *index) remove(key uint64) {
	last := len(x.cells) - 1
	i := x.home(key)
	for x.cells[i].key != key || x.cells[i].number == 0 {
		i = (i + 1) & last
	}
	for j := (i + 1) & last; x.cells[j].number != 0; j = (j + 1) & last {
		// What is behind moves up, unless it would be before its home.
		if home := x.home(x.cells[j].key); (j-home)&last >= (j-i)&last {
			x.cells[i] = x.cells[j]
			i = j
		}
	}
	x.cells[i] = indexCell{}
	x.n--
	if len(x.cells) > leastIndex && 4*x.n < len(x.cells) {
		x.resize(len(x.cells) / 2)
	}
}

func (x *index) resize(size int) {
	old := x.cells
	x.cells, x.n = make([]indexCell, max(size, leastIndex)), 0
	for _, c := range old {
		if c.number != 0 {
			x.set(c.key, c.number)
		}
	}
}

// table is values that are found by a fingerprint.
type table[T any] struct {
	slab[T]
	index index
}

// find returns the number of the value with a key.
func (t *table[T]) find(key uint64) (uint32, bool) { return t.index.find(key) }

// add stores a value under a key that is not in use.
func (t *table[T]) add(key uint64, v T) uint32 {
	i := t.take()
	*t.at(i) = v
	t.index.set(key, i)
	return i
}

// remove forgets value i, which was added under key.
func (t *table[T]) remove(key uint64, i uint32) {
	t.give(i)
	t.index.remove(key)
}
