package dedup

import (
	"cmp"
	"slices"
)

// pair is a number that is found by a key.
type pair struct {
	key, value uint64
}

func byKey(a, b pair) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.value, b.value)) }

// table finds numbers by ranges of keys. What was added last waits unsorted, so
// that the rest need not make room for each.
type table struct {
	sorted, tail []pair
}

const shortTail = 1024

func (t *table) add(key, value uint64) {
	t.tail = append(t.tail, pair{key, value})
	if len(t.tail) >= max(shortTail, len(t.sorted)/64) {
		t.settle()
	}
}

// settle sorts the tail into the rest.
func (t *table) settle() {
	if len(t.tail) == 0 {
		return
	}
	slices.SortFunc(t.tail, byKey)
	i, j := len(t.sorted)-1, len(t.tail)-1
	t.sorted = slices.Grow(t.sorted, len(t.tail))[:len(t.sorted)+len(t.tail)]
	for at := len(t.sorted) - 1; j >= 0; at-- {
		if i >= 0 && byKey(t.sorted[i], t.tail[j]) > 0 {
			t.sorted[at] = t.sorted[i]
			i--
		} else {
			t.sorted[at] = t.tail[j]
			j--
		}
	}
	t.tail = t.tail[:0]
}

// scan calls yield for the pairs with from <= key <= to until it is false, and
// reports whether it never was.
func (t *table) scan(from, to uint64, yield func(pair) bool) bool {
	i, _ := slices.BinarySearchFunc(t.sorted, from, func(p pair, key uint64) int { return cmp.Compare(p.key, key) })
	for ; i < len(t.sorted) && t.sorted[i].key <= to; i++ {
		if !yield(t.sorted[i]) {
			return false
		}
	}
	for _, p := range t.tail {
		if p.key >= from && p.key <= to && !yield(p) {
			return false
		}
	}
	return true
}
