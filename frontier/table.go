package frontier

// table keeps values in one slice, so that a million of them are one object to
// the garbage collector, and finds them by a fingerprint. The number of a value
// stays the same until it is removed; then another value may get it.
type table[T any] struct {
	items []T
	index map[uint64]uint32
	free  []uint32
}

// find returns the number of the value with a key.
func (t *table[T]) find(key uint64) (uint32, bool) {
	i, ok := t.index[key]
	return i, ok
}

// add stores a value under a key that is not in use.
func (t *table[T]) add(key uint64, v T) uint32 {
	if t.index == nil {
		t.index = make(map[uint64]uint32)
	}
	i := uint32(len(t.items))
	if n := len(t.free); n > 0 {
		i = t.free[n-1]
		t.free = t.free[:n-1]
		t.items[i] = v
	} else {
		t.items = append(t.items, v)
	}
	t.index[key] = i
	return i
}

// remove forgets value i, which was added under key.
func (t *table[T]) remove(key uint64, i uint32) {
	var zero T
	t.items[i] = zero
	delete(t.index, key)
	t.free = append(t.free, i)
}

// at returns value i. The pointer is good until the next add.
func (t *table[T]) at(i uint32) *T { return &t.items[i] }
