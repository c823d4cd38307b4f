package index

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/webquarry/quarry/index/internal/packed"
	"github.com/webquarry/quarry/rank"
)

// A cursor says where a page ended, in base64 (RFC 4648, URL alphabet, without
// padding): a checksum [4] of what was asked and of the rest, then for each key
// of the order its class [1] and, of a value, the string [varint, bytes] or the
// rank of the number [8], and at last the key of the document.

var cursors = base64.RawURLEncoding

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func cursorSum(q Query, opt SearchOptions, rest []byte) uint32 {
	b := []byte(q.String())
	if len(opt.Sort) > 0 || opt.Collapse.Field != "" {
		b = fmt.Appendf(b, "\n%v %v", opt.Sort, opt.Collapse)
	}
	return crc32.Update(crc32.Checksum(b, castagnoli), castagnoli, rest)
}

// nextByScore is the cursor of a page in the order of scores.
func nextByScore(q Query, opt SearchOptions, last rank.Hit) string {
	b := append(make([]byte, sumSize, 64), present)
	b = binary.LittleEndian.AppendUint64(b, scoreRung(last.Score).value)
	return seal(q, opt, append(b, last.Key...))
}

// readAfter reads a cursor of a page in the order of scores.
func (p *planner) readAfter(q Query, opt SearchOptions) (*afterScore, error) {
	it, err := p.readCursor(q, opt, []orderKey{{}})
	if err != nil {
		return nil, err
	}
	return p.commit.afterScore(it)
}

// sumSize is the size of the checksum.
const sumSize = 4

// seal makes a cursor of what it holds, behind room for the checksum.
func seal(q Query, opt SearchOptions, b []byte) string {
	binary.LittleEndian.PutUint32(b, cursorSum(q, opt, b[sumSize:]))
	return cursors.EncodeToString(b)
}

func writeCursor(q Query, opt SearchOptions, keys []orderKey, last *item) (string, error) {
	b := make([]byte, sumSize, 64)
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
	return seal(q, opt, b), nil
}

// readCursor returns the item that a page ended with; nil when there was no
// page before.
func (p *planner) readCursor(q Query, opt SearchOptions, keys []orderKey) (*item, error) {
	if opt.After == "" {
		return nil, nil
	}
	b, err := cursors.DecodeString(opt.After)
	if err != nil || len(b) < sumSize || binary.LittleEndian.Uint32(b) != cursorSum(q, opt, b[sumSize:]) {
		return nil, &QueryError{Pos: -1, Msg: "After is not of this search"}
	}
	in := packed.Bytes{B: b[sumSize:]}
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
		return nil, &QueryError{Pos: -1, Msg: "After is damaged"}
	}
	return it, nil
}
