package frontier

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// Meta is small named values that travel with a URL, those of the user and those of
// plug-ins side by side. A key is a name, such as "price", and where a package keeps values for
// programs that it does not know, a namespace and a dot before it, such as "quarry.recrawl":
// ASCII letters, digits, '-' and '_', in parts with dots between them. The namespace quarry
// belongs to this module. Values are any bytes. An
// empty value is none: a Request does not keep it, and in an [Outcome] it takes a value
// away.
//
// A Meta is a value that never changes, and is compared with ==; the zero Meta is
// empty. Its size is bounded, see [MaxMeta]: a [Frontier] refuses what is beyond that with
// a [*MetaError].
//
// It is written as
//
//	count  [v]
//	keys   size [v] and so many bytes, in ascending order
//	values size [v] and so many bytes, in the order of the keys
//
// where [v] is an unsigned varint. An empty one takes no byte. All keys stand before the
// values, so that of one that is written after another with the same keys only the values
// are.
type Meta struct{ text string }

// Bounds of a Meta.
const (
	MaxMeta       = request.MaxMeta       // bytes of all that it is written with: 32 KiB
	MaxMetaValues = request.MaxMetaValues // values: 64
	MaxMetaKey    = request.MaxMetaKey    // bytes of a key: 64
)

// MetaError says what is wrong with a Meta. The error of a request is a [*URLError] that
// wraps it.
type MetaError struct {
	Key string // empty: it is the Meta as a whole
	Msg string
}

func (e *MetaError) Error() string {
	if e.Key == "" {
		return "meta: " + e.Msg
	}
	return fmt.Sprintf("meta: key %.80q: %s", e.Key, e.Msg)
}

// Get returns a value; empty: there is none.
func (m Meta) Get(key string) string {
	for k, v := range m.All() {
		if k == key {
			return v
		}
	}
	return ""
}

// With returns a Meta that has this value as well, or instead of the one it had. With an
// empty value it is noted that there is to be none, see [Meta.Merge].
func (m Meta) With(key, value string) Meta {
	pairs := make([]named, 0, m.Len()+1)
	for k, v := range m.All() {
		if k != key {
			pairs = append(pairs, named{k, v})
		}
	}
	pairs = append(pairs, named{key, value})
	slices.SortFunc(pairs, func(a, b named) int { return strings.Compare(a.key, b.key) })
	return metaOf(pairs)
}

// Without returns a Meta without a value.
func (m Meta) Without(key string) Meta { return m.Merge(Meta{}.With(key, "")) }

// Merge returns a Meta with the values of both, those of changes where both have one. What
// is empty there is in it no more.
func (m Meta) Merge(changes Meta) Meta {
	if changes.text == "" && !m.hasEmpty() {
		return m
	}
	all := maps.Collect(m.All())
	maps.Insert(all, changes.All())
	maps.DeleteFunc(all, func(_, v string) bool { return v == "" })
	pairs := make([]named, 0, len(all))
	for _, k := range slices.Sorted(maps.Keys(all)) {
		pairs = append(pairs, named{k, all[k]})
	}
	return metaOf(pairs)
}

// Equal reports whether both have the same values, as == does.
func (m Meta) Equal(o Meta) bool { return m == o }

// Len returns how many values there are.
func (m Meta) Len() int {
	n, _ := binary.Uvarint([]byte(m.text[:min(len(m.text), binary.MaxVarintLen64)]))
	return int(n)
}

// All is over the keys and their values, in the order of the keys.
func (m Meta) All() iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		n, s := request.CutVarint(m.text)
		values := s
		for range n {
			_, values = request.CutString(values)
		}
		for range n {
			var key, value string
			key, s = request.CutString(s)
			value, values = request.CutString(values)
			if !yield(key, value) {
				return
			}
		}
	}
}

// String shows keys and values.
func (m Meta) String() string {
	var b strings.Builder
	for k, v := range m.All() {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s=%q", k, v)
	}
	return b.String()
}

// MarshalJSON makes an object of strings. Bytes that are not UTF-8 are not kept.
func (m Meta) MarshalJSON() ([]byte, error) { return json.Marshal(maps.Collect(m.All())) }

// UnmarshalJSON reads an object of strings.
func (m *Meta) UnmarshalJSON(b []byte) error {
	var all map[string]string
	if err := json.Unmarshal(b, &all); err != nil {
		return err
	}
	var pairs []named
	for _, k := range slices.Sorted(maps.Keys(all)) {
		pairs = append(pairs, named{k, all[k]})
	}
	*m = metaOf(pairs)
	return nil
}

type named struct{ key, value string }

// metaOf writes pairs, which are in the order of their keys.
func metaOf(pairs []named) Meta {
	if len(pairs) == 0 {
		return Meta{}
	}
	b := binary.AppendUvarint(nil, uint64(len(pairs)))
	for _, p := range pairs {
		b = append(binary.AppendUvarint(b, uint64(len(p.key))), p.key...)
	}
	for _, p := range pairs {
		b = append(binary.AppendUvarint(b, uint64(len(p.value))), p.value...)
	}
	return Meta{string(b)}
}

func (m Meta) hasEmpty() bool {
	for _, v := range m.All() {
		if v == "" {
			return true
		}
	}
	return false
}

// check says what is wrong with a Meta, if anything.
func (m Meta) check() error {
	switch {
	case m.text == "":
		return nil
	case len(m.text) > MaxMeta:
		return &MetaError{Msg: fmt.Sprintf("more than %d bytes", MaxMeta)}
	case m.Len() > MaxMetaValues:
		return &MetaError{Msg: fmt.Sprintf("more than %d values", MaxMetaValues)}
	}
	for k := range m.All() {
		if len(k) > MaxMetaKey {
			return &MetaError{k, fmt.Sprintf("more than %d bytes", MaxMetaKey)}
		}
		if msg := request.CheckKey(k); msg != "" {
			return &MetaError{k, msg}
		}
	}
	return nil
}
