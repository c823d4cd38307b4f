package collect

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/packed"
	"github.com/webquarry/quarry/index/query"
)

// A cursor says where a page ended, in base64 (RFC 4648, URL alphabet, without
// padding): a checksum [4] of what was asked and of the rest, then for each key
// of the order its class [1] and, of a value, the string [varint, bytes] or the
// rank of the number [8], and at last the key of the document.

var cursors = base64.RawURLEncoding

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// cursorSum is a checksum of all that decides about the order of the matches, and of
// the rest of the cursor.
func (p *search) cursorSum(rest []byte) uint32 {
	b := append([]byte(p.Query.String()), '\n')
	b = appendValue(b, reflect.ValueOf(p.Sort))
	b = appendValue(b, reflect.ValueOf(p.Collapse))
	b = appendValue(b, reflect.ValueOf(p.Typos))
	if p.Global != nil {
		b = appendValue(b, reflect.ValueOf(*p.Global))
	}
	b = strconv.AppendInt(b, int64(p.Terms), 10)
	for _, s := range p.Adds {
		b = describe(strconv.AppendQuote(append(b, '\n'), s.Field), s.Prior)
	}
	b = describe(append(b, '\n'), p.Scorer)
	b = describe(append(b, '\n'), p.Expander)
	b = describe(append(b, '\n'), p.Asked)
	for _, f := range p.Schema {
		b = strconv.AppendQuote(append(b, '\n'), f.Name)
		b = strconv.AppendFloat(append(b, ' '), f.Weight, 'g', -1, 64)
		b = strconv.AppendBool(b, f.NamedOnly)
	}
	return crc32.Update(crc32.Checksum(b, castagnoli), castagnoli, rest)
}

// describe appends what tells values of an interface apart, the same in every process:
// their types, and what they print, or else what they hold. What is behind pointers is
// not looked at: others may be changing it.
func describe(b []byte, v any) []byte {
	of := reflect.ValueOf(v)
	if !of.IsValid() {
		return b
	}
	b = strconv.AppendQuote(b, of.Type().String())
	if s, ok := v.(fmt.Stringer); ok {
		return strconv.AppendQuote(b, s.String())
	}
	return appendValue(b, of)
}

func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Invalid, reflect.Pointer, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return append(b, ';')
	case reflect.Interface:
		if v.IsNil() {
			return append(b, ';')
		}
		return appendValue(strconv.AppendQuote(b, v.Elem().Type().String()), v.Elem())
	case reflect.Struct:
		b = append(b, '{')
		for i := range v.NumField() {
			b = appendValue(b, v.Field(i))
		}
		return append(b, '}')
	case reflect.Slice, reflect.Array:
		b = append(b, '[')
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
		return append(b, ']')
	case reflect.Map:
		var parts []string
		for _, k := range v.MapKeys() {
			parts = append(parts, string(appendValue(appendValue(nil, k), v.MapIndex(k))))
		}
		slices.Sort(parts)
		return append(append(append(b, '<'), strings.Join(parts, "")...), '>')
	case reflect.String:
		return strconv.AppendQuote(b, v.String())
	case reflect.Bool:
		return append(strconv.AppendBool(b, v.Bool()), ';')
	case reflect.Float32, reflect.Float64:
		return append(strconv.AppendFloat(b, v.Float(), 'g', -1, 64), ';')
	case reflect.Complex64, reflect.Complex128:
		return fmt.Appendf(b, "%v;", v.Complex())
	}
	if v.CanUint() {
		return append(strconv.AppendUint(b, v.Uint(), 10), ';')
	}
	return append(strconv.AppendInt(b, v.Int(), 10), ';')
}

// nextByScore is the cursor of a page in the order of scores.
func (p *search) nextByScore(score float64, key string) string {
	b := append(make([]byte, sumSize, 64), present)
	b = binary.LittleEndian.AppendUint64(b, scoreRung(score).value)
	return p.seal(append(b, key...))
}

// readAfter reads a cursor of a page in the order of scores.
func (p *search) readAfter() (*afterScore, error) {
	it, err := p.readCursor([]orderKey{{}})
	if err != nil {
		return nil, err
	}
	return placeAfter(p.Commit, it)
}

// sumSize is the size of the checksum.
const sumSize = 4

// seal makes a cursor of what it holds, behind room for the checksum.
func (p *search) seal(b []byte) string {
	binary.LittleEndian.PutUint32(b, p.cursorSum(b[sumSize:]))
	return cursors.EncodeToString(b)
}

func (p *search) writeCursor(keys []orderKey, last *item) (string, error) {
	b := make([]byte, sumSize, 64)
	for i, r := range last.rungs {
		b = append(b, r.class)
		switch k := keys[i]; {
		case r.class != present:
		case k.dict == nil:
			b = binary.LittleEndian.AppendUint64(b, r.value)
		default:
			text, err := k.dict.Text(int64(k.undirected(r) / 2))
			if err != nil {
				return "", err
			}
			b = binary.AppendUvarint(b, uint64(len(text)))
			b = append(b, text...)
		}
	}
	b = append(b, last.key...)
	return p.seal(b), nil
}

// readCursor returns the item that a page ended with; nil when there was no
// page before.
func (p *search) readCursor(keys []orderKey) (*item, error) {
	if p.After == "" {
		return nil, nil
	}
	b, err := cursors.DecodeString(p.After)
	if err != nil || len(b) < sumSize || binary.LittleEndian.Uint32(b) != p.cursorSum(b[sumSize:]) {
		return nil, &query.Error{Pos: -1, Msg: "After is not of this search"}
	}
	in := packed.Bytes{B: b[sumSize:]}
	it := &item{Found: Found{View: -1}}
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
			n, exact, err := k.dict.Find(string(in.Counted()))
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
		return nil, &query.Error{Pos: -1, Msg: "After is damaged"}
	}
	return it, nil
}

// afterScore is where a page ended in the order of scores.
type afterScore struct {
	score  float64
	places []uint32 // by view, that of the first key that is greater
}

// placeAfter places a cursor in the segments.
func placeAfter(c *exec.Collection, it *item) (*afterScore, error) {
	if it == nil {
		return nil, nil
	}
	a := &afterScore{score: scoreOf(it.rungs[0])}
	for _, v := range c.Views {
		first, err := v.FirstFrom(it.key)
		if err != nil {
			return nil, err
		}
		if first < v.Seg.Docs {
			key, err := v.Seg.Keys.At(int(first))
			if err != nil {
				return nil, fault.Damage(v.Name(), err)
			}
			if key == it.key {
				first++
			}
		}
		a.places = append(a.places, first)
	}
	return a, nil
}

// behind reports whether a match comes behind the page before; nil: there was
// none.
func (a *afterScore) behind(view int, place uint32, score float64) bool {
	return a == nil || score < a.score || score == a.score && place >= a.places[view]
}
