package index

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"reflect"
	"slices"
	"strconv"

	"github.com/webquarry/quarry/index/internal/packed"
	"github.com/webquarry/quarry/rank"
)

// A cursor says where a page ended, in base64 (RFC 4648, URL alphabet, without
// padding): a checksum [4] of what was asked and of the rest, then for each key
// of the order its class [1] and, of a value, the string [varint, bytes] or the
// rank of the number [8], and at last the key of the document.

var cursors = base64.RawURLEncoding

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// cursorSum is a checksum of all that decides about the order of the matches, and of
// the rest of the cursor.
func (p *planner) cursorSum(q Query, opt SearchOptions, rest []byte) uint32 {
	b := []byte(q.String())
	b = fmt.Appendf(b, "\n%#v\n%#v\n%d", opt.Sort, opt.Collapse, p.effort.terms())
	for _, s := range opt.Static {
		b = append(strconv.AppendQuote(append(b, '\n'), s.Field), describe(s.Prior)...)
	}
	b = append(append(b, '\n'), describe(p.scorer)...)
	b = append(append(b, '\n'), describe(p.expander)...)
	for _, f := range p.schema {
		b = fmt.Appendf(b, "\n%q %v", f.Name, f.Weight)
	}
	return crc32.Update(crc32.Checksum(b, castagnoli), castagnoli, rest)
}

// describe tells values of an interface apart, the same in every process: by their
// types, and what they print, or else by what they hold. What is behind pointers is
// not looked at: others may be changing it.
func describe(v any) string {
	if s, ok := v.(fmt.Stringer); ok {
		return fmt.Sprintf("%T %s", v, s)
	}
	return fmt.Sprintf("%T", v) + describeValue(reflect.ValueOf(v))
}

func describeValue(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Invalid, reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return ""
	case reflect.Interface:
		if v.IsNil() {
			return ""
		}
		return v.Elem().Type().String() + describeValue(v.Elem())
	case reflect.Struct:
		parts := make([]string, v.NumField())
		for i := range parts {
			parts[i] = describeValue(v.Field(i))
		}
		return fmt.Sprintf("%q", parts)
	case reflect.Slice, reflect.Array:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = describeValue(v.Index(i))
		}
		return fmt.Sprintf("%q", parts)
	case reflect.Map:
		var parts []string
		for _, k := range v.MapKeys() {
			parts = append(parts, describeValue(k)+"="+describeValue(v.MapIndex(k)))
		}
		slices.Sort(parts)
		return fmt.Sprintf("%q", parts)
	}
	return fmt.Sprintf("%#v", v)
}

// nextByScore is the cursor of a page in the order of scores.
func (p *planner) nextByScore(q Query, opt SearchOptions, last rank.Hit) string {
	b := append(make([]byte, sumSize, 64), present)
	b = binary.LittleEndian.AppendUint64(b, scoreRung(last.Score).value)
	return p.seal(q, opt, append(b, last.Key...))
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
func (p *planner) seal(q Query, opt SearchOptions, b []byte) string {
	binary.LittleEndian.PutUint32(b, p.cursorSum(q, opt, b[sumSize:]))
	return cursors.EncodeToString(b)
}

func (p *planner) writeCursor(q Query, opt SearchOptions, keys []orderKey, last *item) (string, error) {
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
	return p.seal(q, opt, b), nil
}

// readCursor returns the item that a page ended with; nil when there was no
// page before.
func (p *planner) readCursor(q Query, opt SearchOptions, keys []orderKey) (*item, error) {
	if opt.After == "" {
		return nil, nil
	}
	b, err := cursors.DecodeString(opt.After)
	if err != nil || len(b) < sumSize || binary.LittleEndian.Uint32(b) != p.cursorSum(q, opt, b[sumSize:]) {
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
