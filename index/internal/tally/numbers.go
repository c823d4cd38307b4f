package tally

import (
	"math/bits"

	"github.com/webquarry/quarry/index/facet"
)

type numbers struct {
	c        Column
	count    int
	missing  int
	min, max int64
	sum      sum
	seen     set      // of numbers
	bits     []uint64 // of strings
}

func newNumbers(c Column) *numbers {
	return &numbers{c: c, bits: make([]uint64, (max(0, c.Text)+63)/64)}
}

func (n *numbers) Add(values []int64) {
	if len(values) == 0 {
		n.missing++
		return
	}
	n.count++
	if n.c.Text >= 0 {
		for _, v := range values {
			if v >= 0 && v < int64(n.c.Text) {
				n.bits[v/64] |= 1 << (v % 64)
			}
		}
		return
	}
	for _, v := range values {
		n.add(v)
	}
}

func (n *numbers) add(v int64) {
	if n.seen.count == 0 {
		n.min, n.max = v, v
	}
	n.min, n.max = min(n.min, v), max(n.max, v)
	n.sum.add(n.c.Float(v))
	n.seen.add(v)
}

func (n *numbers) Merge(other Counter) {
	o := other.(*numbers)
	for i, b := range o.bits {
		n.bits[i] |= b
	}
	if o.seen.count > 0 {
		if n.seen.count == 0 {
			n.min, n.max = o.min, o.max
		}
		n.min, n.max = min(n.min, o.min), max(n.max, o.max)
	}
	o.seen.each(n.seen.add)
	for _, part := range o.sum.parts {
		n.sum.add(part)
	}
	n.count += o.count
	n.missing += o.missing
}

func (n *numbers) Result() (facet.Result, error) {
	s := facet.Stats{Count: n.count, Distinct: n.seen.count}
	for _, b := range n.bits {
		s.Distinct += bits.OnesCount64(b)
	}
	if n.seen.count > 0 {
		s.Min, s.Max = n.c.Float(n.min), n.c.Float(n.max)
		s.Sum = n.sum.total()
		s.Mean = s.Sum / float64(n.count)
	}
	return facet.Result{Stats: s, Missing: n.missing}, nil
}
