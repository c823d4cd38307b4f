package index_test

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

type celsius float64

func (celsius) String() string { return "warm" }

type name string

// TestReadingBack: what of each kind of field is added, how it comes back, and as what
// text. The text of a hit is that of the document, and so is the text of what was added.
func TestReadingBack(t *testing.T) {
	t.Parallel()
	schema := index.Schema{
		{Name: "text", Stored: true}, {Name: "lost"}, {Name: "kept", Kind: index.StoredOnly},
		{Name: "key", Kind: index.Keyword, Stored: true}, {Name: "both", Kind: index.Keyword, Stored: true, Column: true}, {Name: "column", Kind: index.Keyword, Column: true},
		{Name: "n", Kind: index.Integer}, {Name: "x", Kind: index.Float}, {Name: "at", Kind: index.Time},
	}
	ix := opens(t, t.TempDir(), index.Options{Schema: schema})
	w, err := ix.Writer()
	must(t, err)
	zone := time.FixedZone("", 3600)
	at := time.Date(2026, 3, 15, 1, 2, 3, 4_005_006, zone)
	early := time.Date(-44, 3, 15, 12, 0, 0, 1_999, time.UTC)
	cases := []struct {
		field string
		added any // of several fields of one name if []any
		back  any // nil: nothing
		text  string
	}{
		{"text", "a fox", "a fox", "a fox"},
		{"text", "", "", ""},
		{"text", "two\nlines", "two\nlines", "two\nlines"},
		{"text", []string{"one"}, []string{"one"}, "one"},
		{"text", []string{"b", "a", "b"}, []string{"b", "a", "b"}, "b\na\nb"},
		{"text", []any{"b", []string{"a"}}, []string{"b", "a"}, "b\na"},
		{"kept", "kept", "kept", "kept"},
		{"kept", []string{"", "x", ""}, []string{"", "x", ""}, "\nx\n"},
		{"key", "k", "k", "k"},
		{"key", []string{"b", "a", "b"}, []string{"b", "a", "b"}, "b\na\nb"},
		{"both", []string{"b", "a", "b"}, []string{"b", "a", "b"}, "b\na\nb"},
		{"column", "k", "k", "k"},
		{"column", []string{"k"}, "k", "k"},
		{"column", []string{"b", "a", "b"}, []string{"a", "b"}, "a\nb"},
		{"n", 0, int64(0), "0"}, {"n", -7, int64(-7), "-7"}, {"n", int8(5), int64(5), "5"}, {"n", uint16(5), int64(5), "5"},
		{"n", int64(-1 << 63), int64(-1 << 63), "-9223372036854775808"}, {"n", uint64(1<<63 - 1), int64(1<<63 - 1), "9223372036854775807"},
		{"n", time.Second, int64(time.Second), "1000000000"}, {"n", index.Float, int64(index.Float), strconv.Itoa(int(index.Float))},
		{"x", 1.5, 1.5, "1.5"}, {"x", 0.1, 0.1, "0.1"}, {"x", 1e21, 1e21, "1e+21"}, {"x", float32(0.1), float64(float32(0.1)), "0.10000000149011612"},
		{"x", 3, 3.0, "3"}, {"x", uint8(3), 3.0, "3"}, {"x", celsius(21.5), 21.5, "21.5"}, {"x", math.Copysign(0, -1), 0.0, "0"},
		{"at", at, at.UTC().Truncate(time.Microsecond), "2026-03-15T00:02:03.004005Z"},
		{"at", early, early.Truncate(time.Microsecond), "-0044-03-15T12:00:00.000001Z"},
		{"at", time.Time{}, time.Time{}, "0001-01-01T00:00:00Z"},
		{"lost", "words", nil, ""}, {"text", []string{}, nil, ""}, {"key", []string(nil), nil, ""}, {"column", []string{}, nil, ""},
		{"n", nil, nil, ""}, {"x", nil, nil, ""}, {"at", nil, nil, ""},
	}
	key := func(i int) string { return string(rune('A' + i)) }
	for i, c := range cases {
		d := index.Document{Key: key(i)}
		parts, several := c.added.([]any)
		if !several {
			parts = []any{c.added}
		}
		for _, v := range parts {
			d.Fields = append(d.Fields, index.Field{Name: c.field, Value: v})
		}
		if got := d.Text(c.field); c.field != "lost" && c.field != "column" && got != c.text {
			t.Errorf("%s %#v: before it is added the text is %q, want %q", c.field, c.added, got, c.text)
		}
		must(t, w.Add(t.Context(), d))
	}
	must(t, w.Commit(t.Context()), w.Close())

	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	var shown []string
	for _, f := range schema {
		if f.Name != "lost" {
			shown = append(shown, f.Name)
		}
	}
	res, err := s.Search(t.Context(), query.All{}, index.SearchOptions{Limit: len(cases), Fields: shown})
	must(t, err)
	if len(res.Hits) != len(cases) {
		t.Fatalf("%d hits", len(res.Hits))
	}
	for i, c := range cases {
		d, ok, err := s.Document(key(i))
		if !ok || err != nil {
			t.Fatal(key(i), ok, err)
		}
		var want []index.Field
		if c.back != nil {
			want = []index.Field{{Name: c.field, Value: c.back}}
		}
		if !slices.EqualFunc(d.Fields, want, func(a, b index.Field) bool { return a.Name == b.Name && reflect.DeepEqual(a.Value, b.Value) }) {
			t.Errorf("%s %#v comes back as %#v", c.field, c.added, d.Fields)
		}
		if got := d.Text(c.field); got != c.text {
			t.Errorf("%s %#v: the text is %q, want %q", c.field, c.added, got, c.text)
		}
		at := slices.IndexFunc(res.Hits, func(h index.Hit) bool { return h.Key == key(i) })
		if got := res.Hits[at].Text(c.field); got != c.text {
			t.Errorf("%s %#v: the text of the hit is %q, want %q", c.field, c.added, got, c.text)
		}
	}
}

// The text of a document that a program holds itself has values of any type.
func TestTextOfOtherValues(t *testing.T) {
	t.Parallel()
	for text, v := range map[string]any{"true": true, "false": false, "[1 2]": []int{1, 2}, "NaN": math.NaN(), "7": index.Kind(7), "named": name("named")} {
		d := index.Document{Fields: []index.Field{{Name: "f", Value: v}}}
		if got := d.Text("f"); got != text {
			t.Errorf("%T %v: %q, want %q", v, v, got, text)
		}
	}
	d := index.Document{Fields: []index.Field{{Name: "f", Value: nil}, {Name: "f", Value: 1}, {Name: "g", Value: 9}, {Name: "f", Value: []string{"", "b"}}}}
	if got := d.Text("f"); got != "1\n\nb" {
		t.Errorf("%q", got)
	}
}
