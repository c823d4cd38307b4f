package tally

import (
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/internal/bitset"
)

type numbers struct {
	c        Column
	count    int
	missing  int
	min, max int64
	sum      sum
	whole    whole
	seen     set         // of numbers
	strings  *bitset.Set // nil: they are numbers
}

func newNumbers(c Column) *numbers {
	n := &numbers{c: c}
	if c.Text >= 0 {
		n.strings = bitset.New(uint32(c.Text))
	}
	return n
}

func (n *numbers) Add(values []int64) {
	if len(values) == 0 {
		n.missing++
		return
	}
	n.count++
	if n.strings != nil {
		for _, v := range values {
			if v >= 0 && v < int64(n.c.Text) {
				n.strings.Add(uint32(v))
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
	if n.c.Unit > 0 {
		n.whole.add(v)
	} else {
		n.sum.add(n.c.Float(v))
	}
	n.seen.add(v)
}

func (n *numbers) Merge(c Counter) {
	other := c.(*numbers)
	n.count += other.count
	n.missing += other.missing
	if n.strings != nil {
		for v := range other.strings.All() {
			n.strings.Add(v)
		}
		return
	}
	if other.seen.count == 0 {
		return
	}
	if n.seen.count == 0 {
		n.min, n.max = other.min, other.max
	}
	n.min, n.max = min(n.min, other.min), max(n.max, other.max)
	n.sum.merge(other.sum)
	n.whole.merge(other.whole)
	n.seen.merge(other.seen)
}

func (n *numbers) Result(func() error) (facet.Result, error) {
	s := facet.Stats{Count: n.count, Distinct: n.seen.count + n.strings.Len()}
	if n.seen.count > 0 {
		s.Min, s.Max = n.c.Float(n.min), n.c.Float(n.max)
		if n.c.Unit > 0 {
			s.Sum = n.whole.total(n.c.Unit)
		} else {
			s.Sum = n.sum.total()
		}
		s.Mean = s.Sum / float64(n.count)
	}
	return facet.Result{Stats: s, Missing: n.missing}, nil
}
