package segment_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/segment"
)

// Documents lie as the order says, and each is found by its key.
func TestOrders(t *testing.T) {
	t.Parallel()
	docs := []invert.Doc{
		{Key: "https://www.b.example:8080/x", Columns: []invert.ColumnValue{{Field: 5, Number: 3}}},
		{Key: "https://a.example/", Columns: []invert.ColumnValue{{Field: 5, Number: -4}}},
		{Key: "a note"},
		{Key: "https://a.example/2", Columns: []invert.ColumnValue{{Field: 5, Number: 9}}},
		{Key: "https://a.example-b.org/", Columns: []invert.ColumnValue{{Field: 5, Number: 3}}},
		{Key: "http://user@shop.b.example?q=://"},
		{Key: "https://a.example"},
	}
	for by, want := range map[segment.By]string{
		segment.ByKey:    "a note, http://user@shop.b.example?q=://, https://a.example, https://a.example-b.org/, https://a.example/, https://a.example/2, https://www.b.example:8080/x",
		segment.ByHost:   "a note, https://a.example, https://a.example/, https://a.example/2, http://user@shop.b.example?q=://, https://www.b.example:8080/x, https://a.example-b.org/",
		segment.ByColumn: "https://a.example/2, https://a.example-b.org/, https://www.b.example:8080/x, https://a.example/, a note, http://user@shop.b.example?q=://, https://a.example",
		segment.AsGiven:  "https://www.b.example:8080/x, https://a.example/, a note, https://a.example/2, https://a.example-b.org/, http://user@shop.b.example?q=://, https://a.example",
	} {
		s := open(t, ordered(t, orders[by], docs...))
		var got []string
		for doc := range s.Docs {
			key, err := s.Key(doc)
			if err != nil {
				t.Fatal(err)
			}
			if found, err := s.Find(key); err != nil || found != doc {
				t.Errorf("%s is document %d and found as %d, %v", key, doc, found, err)
			}
			got = append(got, key)
		}
		if list := strings.Join(got, ", "); list != want {
			t.Errorf("order %d:\n got %s\nwant %s", by, list, want)
		}
		if p, err := s.Places(); err != nil || p.ByKey() != slices.IsSorted(got) {
			t.Errorf("order %d: by key: %v, %v", by, p.ByKey(), err)
		}
	}
}

// Sorting ends when it is told to, and with the error that it was told.
func TestSortingEnds(t *testing.T) {
	t.Parallel()
	const keys = 5000
	var hosts segment.Hosts
	v := column.NewValues(keys)
	for i := range keys {
		hosts.Add(fmt.Appendf(nil, "https://%d.example/", i*7919%keys))
		v.Numbers[i], v.Has[i] = int64(i*7919%keys), i%3 > 0
	}
	for name, sort := range map[string]func(check func() error) ([]uint32, error){
		"hosts":   hosts.Numbers,
		"columns": func(check func() error) ([]uint32, error) { return segment.Descending(check, v) },
	} {
		for _, least := range []int{1, 100, keys} {
			asked, enough := 0, errors.New("enough")
			_, err := sort(func() error {
				if asked++; asked < least {
					return nil
				}
				return enough
			})
			if !errors.Is(err, enough) || asked != least {
				t.Errorf("%s, told so at step %d: asked %d times, %v", name, least, asked, err)
			}
		}
	}
}

// Where the numbers of keys are damaged, documents in the order of hosts have theirs all
// the same.
func TestSalvageNumbers(t *testing.T) {
	t.Parallel()
	var docs []invert.Doc
	for i := range 60_000 { // so that the numbers have pages of their own
		docs = append(docs, invert.Doc{Key: fmt.Sprintf("https://%d.example/%d", i*7919%1000, i)})
	}
	for _, by := range []segment.By{segment.ByHost, segment.AsGiven} {
		data := ordered(t, orders[by], docs...)
		s := open(t, data)
		places, err := s.Places()
		if err != nil {
			t.Fatal(err)
		}
		var numbers []byte
		for place := range s.Docs {
			numbers = binary.LittleEndian.AppendUint32(numbers, places.Doc(place))
		}
		at := bytes.Index(data, numbers)
		spoiled := bytes.Clone(data)
		spoiled[at+len(numbers)/2] ^= 1
		file, err := pagefile.Open(spoiled)
		if err != nil {
			t.Fatal(err)
		}
		left := segment.Salvage(file, s.Docs, codec)
		if (left.Err() == nil) != (by == segment.ByHost) {
			t.Fatalf("order %d: %v", by, left.Err())
		}
		for doc := uint32(0); doc < s.Docs && left.Err() == nil; doc += 100 {
			got, err := left.Key(doc)
			if want, _ := s.Key(doc); err != nil || got != want {
				t.Fatalf("document %d is %q, want %q; %v", doc, got, want, err)
			}
		}
	}
}
