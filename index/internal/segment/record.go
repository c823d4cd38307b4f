package segment

import (
	"encoding/binary"

	"github.com/webquarry/quarry/index/internal/packed"
)

// Value is a stored value of a document.
type Value struct {
	Field   int // number in the schema
	Strings []string
	List    bool // it was given as a list; else there is one string
}

// A document has two records, so that reading titles does not inflate bodies.
// The small one is
//
//	count   [varint]  values
//	        per value:
//	head    [varint]  field<<2 | large<<1 | list
//	value             when large is 0: see below
//
// and the large one holds the values whose head says large, in the same order.
// A document without values has two empty ones. A value of more than 512 bytes is large. A value is size [varint] and bytes;
// a list of them has its length [varint] before.
const smallValue = 512

// Record encodes the stored values of a document.
func Record(values []Value) (small, large []byte) {
	if len(values) == 0 {
		return nil, nil
	}
	small = binary.AppendUvarint(small, uint64(len(values)))
	for i, v := range values {
		size := 0
		for _, s := range v.Strings {
			size += len(s)
		}
		head := uint64(v.Field) << 2
		if v.List {
			head |= 1
		}
		if size > smallValue {
			small = binary.AppendUvarint(small, head|2)
			if large == nil {
				large = make([]byte, 0, largeSize(values[i:]))
			}
			large = v.append(large)
		} else {
			small = binary.AppendUvarint(small, head)
			small = v.append(small)
		}
	}
	return small, large
}

// largeSize is about how long a record of values is.
func largeSize(values []Value) (n int) {
	for _, v := range values {
		for _, s := range v.Strings {
			n += len(s) + binary.MaxVarintLen32
		}
	}
	return n
}

func (v Value) append(dst []byte) []byte {
	if v.List {
		dst = binary.AppendUvarint(dst, uint64(len(v.Strings)))
	}
	for _, s := range v.Strings {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	return dst
}

// readRecord decodes the values that want asks for. Large is called at most
// once, when one of them is in the large record.
func readRecord(small []byte, large func() ([]byte, error), want func(field int) bool) ([]Value, error) {
	if len(small) == 0 {
		return nil, nil
	}
	in := packed.Bytes{B: small}
	var far *packed.Bytes
	var out []Value
	skipped := 0 // large values before far
	var skippedLists []bool
	for n := in.Uvarint(); n > 0 && !in.Bad; n-- {
		head := in.Uvarint()
		v := Value{Field: int(head >> 2), List: head&1 != 0}
		if head&2 == 0 {
			v.Strings = readStrings(&in, v.List)
		} else if far == nil && !want(v.Field) {
			skipped++
			skippedLists = append(skippedLists, v.List)
			continue
		} else {
			if far == nil {
				b, err := large()
				if err != nil {
					return nil, err
				}
				far = &packed.Bytes{B: b}
				for _, list := range skippedLists {
					readStrings(far, list)
				}
			}
			v.Strings = readStrings(far, v.List)
		}
		if want(v.Field) {
			out = append(out, v)
		}
	}
	if in.Bad || far != nil && far.Bad {
		return nil, packed.ErrDamaged
	}
	return out, nil
}

func readStrings(b *packed.Bytes, list bool) []string {
	n := uint64(1)
	if list {
		n = b.Uvarint()
	}
	var out []string
	for ; n > 0 && !b.Bad; n-- {
		out = append(out, string(b.Counted()))
	}
	return out
}
