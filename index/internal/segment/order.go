package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/pagefile"
)

// Order is how a segment numbers its documents. Keys ascend whatever it is; where
// documents lie otherwise, a section has the number of the document of each key,
// four bytes each.
type Order struct {
	By    By
	Field int // of ByColumn: one of numbers
}

// By is what an order goes by.
type By int

// The orders, of which all but AsGiven put those that are equal by key.
const (
	ByKey    By = iota
	ByHost      // reversed host, then key
	ByColumn    // the greatest first, those without a value last
	AsGiven     // as they were added; merged, one source after another
)

// name is what a segment says of its order.
func (o Order) name() string {
	switch o.By {
	case ByHost:
		return "host"
	case ByColumn:
		return fmt.Sprintf("column %d", o.Field)
	case AsGiven:
		return "given"
	}
	return ""
}

// Is reports whether a segment is in the order.
func (o Order) Is(s *Segment) bool { return s.Order == o.name() }

// Hosts numbers keys by host. Keys of a host follow each other in the order of
// keys, or nearly, so that only runs of them are sorted: it takes some 60 bytes
// for each.
type Hosts struct {
	runs []hostRun
	site []byte // scheme and authority of the last key
	keys uint32
}

type hostRun struct {
	reversed string
	from     uint32 // its first key; it ends where the next one starts
}

// Add adds a key; keys ascend.
func (h *Hosts) Add(key []byte) {
	site, reversed := reversedHost(key)
	if h.keys == 0 || !bytes.Equal(site, h.site) {
		h.site = append(h.site[:0], site...)
		h.runs = append(h.runs, hostRun{reversed(), h.keys})
	}
	h.keys++
}

// Numbers returns the number of each key. check is called at every step, and ends it
// with its error.
func (h *Hosts) Numbers(check func() error) ([]uint32, error) {
	numbers := make([]uint32, h.keys)
	order := make([]int, len(h.runs))
	for i := range order {
		order[i] = i
	}
	err := sortFunc(check, order, func(a, b int) int {
		return cmp.Or(strings.Compare(h.runs[a].reversed, h.runs[b].reversed), cmp.Compare(a, b))
	})
	if err != nil {
		return nil, err
	}
	next := uint32(0)
	for _, i := range order {
		to := h.keys
		if i+1 < len(h.runs) {
			to = h.runs[i+1].from
		}
		for place := h.runs[i].from; place < to; place++ {
			numbers[place] = next
			next++
		}
	}
	return numbers, nil
}

// reversedHost returns the part of a URL before its path, and its host as in
// "com.example.www"; both are empty for other keys.
func reversedHost(key []byte) (site []byte, reversed func() string) {
	scheme := bytes.Index(key, []byte("://"))
	if scheme < 0 {
		return nil, func() string { return "" }
	}
	from := scheme + len("://")
	to := len(key)
	if i := bytes.IndexAny(key[from:], "/?#"); i >= 0 {
		to = from + i
	}
	return key[:to], func() string {
		host := string(key[from:to])
		host = host[strings.LastIndexByte(host, '@')+1:]
		if i := strings.LastIndexByte(host, ':'); i >= 0 && strings.Trim(host[i+1:], "0123456789") == "" {
			host = host[:i]
		}
		labels := strings.Split(host, ".")
		slices.Reverse(labels)
		return strings.Join(labels, ".")
	}
}

// Descending numbers keys by values, the greatest first. check is as for
// [Hosts.Numbers].
func Descending(check func() error, v column.Values) ([]uint32, error) {
	order := make([]uint32, len(v.Numbers))
	for i := range order {
		order[i] = uint32(i)
	}
	err := sortFunc(check, order, func(a, b uint32) int {
		switch {
		case v.Has[a] != v.Has[b] && v.Has[a]:
			return -1
		case v.Has[a] != v.Has[b]:
			return 1
		}
		return cmp.Or(cmp.Compare(v.Numbers[b], v.Numbers[a]), cmp.Compare(a, b))
	})
	if err != nil {
		return nil, err
	}
	return inverse(order), nil
}

// sortFunc sorts as [slices.SortFunc] does. Once check, called at every comparison,
// returns an error, what is left counts as equal, so that it ends in no time.
func sortFunc[T any](check func() error, s []T, compare func(a, b T) int) (err error) {
	slices.SortFunc(s, func(a, b T) int {
		if err == nil {
			err = check()
		}
		if err != nil {
			return 0
		}
		return compare(a, b)
	})
	return err
}

func inverse(order []uint32) []uint32 {
	out := make([]uint32, len(order))
	for i, n := range order {
		out[n] = uint32(i)
	}
	return out
}

// Order says in which order the documents are, by the number of each key; nil: in
// that of keys. It comes before EndDocuments.
func (w *Writer) Order(o Order, numbers []uint32) {
	if numbers != nil {
		w.meta.Order, w.keys.numbers = o.name(), numbers
	}
}

func (w *Writer) writeNumbers() {
	if w.keys.numbers == nil {
		return
	}
	w.section(sectionNumbers, 0)(encodeNumbers(w.keys.numbers), nil)
}

func encodeNumbers(numbers []uint32) []byte {
	b := make([]byte, 0, numberSize*len(numbers))
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

const numberSize = 4

// Places says which place the key of each document has among all keys, and back.
// In the zero value they are the same.
type Places struct {
	of   []uint32 // by document
	docs []byte   // by place
}

// Of returns the place of the key of a document.
func (p Places) Of(doc uint32) uint32 {
	if p.of == nil {
		return doc
	}
	return p.of[doc]
}

// Doc returns the document of a key.
func (p Places) Doc(place uint32) uint32 {
	if p.of == nil {
		return place
	}
	return binary.LittleEndian.Uint32(p.docs[numberSize*int(place):])
}

// ByKey reports whether documents are in the order of keys.
func (p Places) ByKey() bool { return p.of == nil }

func (s *Segment) readPlaces() (Places, error) {
	section, ok := s.file.Section(sectionNumbers, 0)
	if !ok {
		if s.Order != "" {
			return Places{}, &pagefile.Damage{Msg: "the numbers of keys are missing"}
		}
		return Places{}, nil
	}
	b, err := section.All()
	if err != nil {
		return Places{}, err
	}
	if len(b) != numberSize*int(s.Docs) {
		return Places{}, section.Damage(0, "numbers of the wrong length")
	}
	p := Places{make([]uint32, s.Docs), b}
	for place := range s.Docs {
		doc := p.Doc(place)
		if doc >= s.Docs || p.of[doc] != 0 {
			return Places{}, section.Damage(uint64(numberSize*place), "a number that cannot be")
		}
		p.of[doc] = place + 1
	}
	for doc := range p.of {
		p.of[doc]--
	}
	return p, nil
}
