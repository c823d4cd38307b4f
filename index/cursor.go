package index

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/webquarry/quarry/index/internal/packed"
)

// A cursor says where a page ended, in base64 (RFC 4648, URL alphabet, without
// padding): a checksum [4] of what was asked and of the rest, then for each key
// of the order its class [1] and, of a value, the string [varint, bytes] or the
// rank of the number [8], and at last the key of the document.

var cursors = base64.RawURLEncoding

func cursorSum(q Query, opt SearchOptions, rest []byte) uint32 {
	return crc32.Checksum(fmt.Appendf(nil, "%s\n%v\n%v\n%s", q, opt.Sort, opt.Collapse, rest), castagnoli)
}

func writeCursor(q Query, opt SearchOptions, keys []orderKey, last *item) (string, error) {
	var b []byte
	for i, r := range last.rungs {
		b = append(b, r.class)
		switch k := keys[i]; {
		case r.class != present:
		case k.dict == nil:
			b = binary.LittleEndian.AppendUint64(b, r.value)
		default:
			v := r.value
			if k.Descending {
				v = ^v
			}
			text, err := k.dict.text(int64(v / 2))
			if err != nil {
				return "", err
			}
			b = binary.AppendUvarint(b, uint64(len(text)))
			b = append(b, text...)
		}
	}
	b = append(b, last.key...)
	return cursors.EncodeToString(append(binary.LittleEndian.AppendUint32(nil, cursorSum(q, opt, b)), b...)), nil
}

// readCursor returns the item that a page ended with; nil when there was no
// page before.
func (p *planner) readCursor(q Query, opt SearchOptions, keys []orderKey) (*item, error) {
	if opt.After == "" {
		return nil, nil
	}
	b, err := cursors.DecodeString(opt.After)
	if err != nil || len(b) < 4 || binary.LittleEndian.Uint32(b) != cursorSum(q, opt, b[4:]) {
		return nil, &QueryError{Msg: "After is not of this search"}
	}
	in := packed.Bytes{B: b[4:]}
	it := &item{found: found{view: -1}}
	for _, k := range keys {
		r := rung{}
		if class := in.Take(1); len(class) == 1 {
			r.class = class[0]
		}
		switch {
		case r.class != present:
		case k.dict == nil:
			if v := in.Take(8); len(v) == 8 {
				r.value = binary.LittleEndian.Uint64(v)
			}
		default:
			n, exact, err := k.dict.find(string(in.Counted()))
			if err != nil {
				return nil, err
			}
			r = k.directed(uint64(n))
			if !exact {
				r = k.before(n)
			}
		}
		it.rungs = append(it.rungs, r)
	}
	if it.key = string(in.B); in.Bad {
		return nil, &QueryError{Msg: "After is damaged"}
	}
	return it, nil
}
