package invert

import (
	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/segment"
)

// number takes the numbers of an order for those of keys.
func (f *Frozen) number() {
	switch f.order.By {
	case segment.ByHost:
		var hosts segment.Hosts
		for _, place := range f.places {
			hosts.Add(f.key(place))
		}
		f.ordered, _ = hosts.Numbers(toTheEnd)
	case segment.ByColumn:
		f.ordered, _ = segment.Descending(toTheEnd, f.values())
	case segment.AsGiven:
		f.ordered = f.given()
	default:
		return
	}
	for i, place := range f.places {
		f.numbers[place] = f.ordered[i]
	}
}

// toTheEnd lets the sorting of a buffer, which is small, run.
func toTheEnd() error { return nil }

// values returns the column of the order, by the numbers of keys.
func (f *Frozen) values() column.Values {
	v := column.NewValues(len(f.places))
	if c := f.b.columns[f.order.Field]; c != nil {
		c.valuesTo(v, f.numbers)
	}
	return v
}

// given numbers keys as their documents came.
func (f *Frozen) given() []uint32 {
	out, next := make([]uint32, len(f.places)), uint32(0)
	for _, key := range f.numbers {
		if key != segment.NoDoc {
			out[key] = next
			next++
		}
	}
	return out
}

// byNumber returns the places of the documents as these lie in the segment.
func (f *Frozen) byNumber() []uint32 {
	if f.ordered == nil {
		return f.places
	}
	out := make([]uint32, len(f.places))
	for _, place := range f.places {
		out[f.numbers[place]] = place
	}
	return out
}
