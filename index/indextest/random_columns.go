package indextest

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

var (
	hosts  = []string{"a.example", "b.example", "c.example", "", "zürich.example"}
	labels = []string{"new", "used", "sale", "a b", "0"}
	epoch  = time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)
)

// addColumns adds columns to a random document.
func addColumns(r *rand.Rand, add func(name string, v any)) {
	if r.IntN(5) > 0 {
		add("price", []float64{0, -1.5, 1e300, 0.1, 0.2, float64(r.IntN(50)), float64(r.IntN(5000)) / 100}[r.IntN(7)])
	}
	if r.IntN(5) > 0 {
		add("year", []any{1990 + r.IntN(40), int64(-1 << 63), int64(1<<63 - 1), 2000}[min(r.IntN(60), r.IntN(4))])
	}
	if r.IntN(5) > 0 {
		t := epoch.Add(time.Duration(r.IntN(24*120)) * time.Hour)
		if r.IntN(3) == 0 {
			t = t.Add(time.Duration(r.IntN(1e9)))
		}
		add("seen", t)
	}
	if r.IntN(5) > 0 {
		add("host", hosts[r.IntN(len(hosts))])
	}
	switch r.IntN(4) {
	case 0:
		add("label", labels[r.IntN(len(labels))])
	case 1:
		add("label", []string{labels[r.IntN(len(labels))], labels[r.IntN(len(labels))]})
	}
}

var bounds = map[string][]string{
	"price": {"", "0", "0.1", "10", "25.5", "-3", "1e300", "many"},
	"year":  {"", "2000", "1999.5", "2010", "-1e30", "1e30", "-9223372036854775808", "9223372036854775807"},
	"seen":  {"", "2026", "2026-02", "2026-03-01", "2026-02-14T12:00:00Z", "2025", "soon"},
	"host":  {"", "a.example", "b", "c.example", "zz"},
	"label": {"", "new", "a", "sale", "~"},
	"tag":   {"", "db", "go", "h"},
	"body":  {"", "of"},
	"none":  {"1"},
}

// columnLeaf returns a query of a column.
func columnLeaf(r *rand.Rand) query.Query {
	field := []string{"price", "price", "year", "year", "seen", "seen", "host", "label", "tag", "body", "none"}[r.IntN(11)]
	of := bounds[field]
	text := of[r.IntN(len(of))]
	switch r.IntN(8) {
	case 0:
		return query.Exists{Field: field}
	case 1:
		return query.Match{Field: field, Text: text}
	case 2:
		return query.Term{Field: field, Text: text}
	}
	return query.Range{Field: field, From: text, To: of[r.IntN(len(of))], AfterFrom: r.IntN(4) == 0, BeforeTo: r.IntN(4) == 0}
}

var columnFields = []string{"price", "year", "seen", "host", "label"}

// arrange makes a search sort, collapse and count.
func arrange(r *rand.Rand, opt *index.SearchOptions) {
	if r.IntN(4) == 0 {
		opt.Fields = append(opt.Fields, columnFields...)
	}
	for range r.IntN(3) {
		opt.Static = append(opt.Static, index.Static{
			Field: columnFields[r.IntN(3)],
			Prior: []rank.Prior{nil, rank.Saturation{Weight: 3, Half: 20}, rank.Recency{Now: epoch.AddDate(0, 1, 0)}, rank.Logarithm{Scale: 5, Most: 2}, rank.Sigmoid{Middle: 20, Width: 9}}[r.IntN(5)],
		})
	}
	for range r.IntN(4) {
		s := index.SortBy{Field: columnFields[r.IntN(len(columnFields))], Descending: r.IntN(2) == 0, MissingFirst: r.IntN(3) == 0}
		if r.IntN(6) == 0 {
			s = index.SortBy{}
		}
		opt.Sort = append(opt.Sort, s)
	}
	if r.IntN(3) == 0 {
		opt.Collapse = index.Collapse{Field: columnFields[r.IntN(len(columnFields))], Keep: r.IntN(3)}
	}
	if r.IntN(3) == 0 {
		opt.Facets = map[string]facet.Facet{
			"terms":   facet.Terms{Field: columnFields[r.IntN(len(columnFields))], Limit: []int{-1, 0, 1, 2, 3, math.MaxInt}[r.IntN(6)]},
			"numbers": facet.Numbers{Field: columnFields[r.IntN(len(columnFields))]},
			"ranges":  facet.Ranges{Field: columnFields[r.IntN(2)], Bounds: []float64{-1, 0.1, 10, 2000, 2010.5}},
			"dates":   facet.Dates{Field: "seen", Every: facet.Month},
		}
	}
}

// sameFacet compares all but the names and bounds of ranges.
func sameFacet(got, want facet.Result) bool {
	if len(got.Buckets) != len(want.Buckets) {
		return false
	}
	got.Buckets = append([]facet.Bucket(nil), got.Buckets...)
	for i, b := range got.Buckets {
		if b.From != 0 || b.To != 0 {
			got.Buckets[i] = facet.Bucket{Count: b.Count}
		}
	}
	return reflect.DeepEqual(got, want) || len(got.Buckets) == 0 && got.Missing == want.Missing && got.Other == want.Other && got.Stats == want.Stats
}

// set sets columns of some documents.
func set(t testing.TB, r *rand.Rand, keys int, real, twin setter) {
	t.Helper()
	for range 1 + r.IntN(keys/10) {
		key := RandomDocument(r, keys).Key
		var fields []index.Field
		addColumns(r, func(name string, v any) {
			if f, _ := Options().Schema.Field(name); f.Kind < index.Integer || r.IntN(2) == 0 {
				return
			}
			if r.IntN(8) == 0 {
				v = nil
			}
			fields = append(fields, index.Field{Name: name, Value: v})
		})
		got, err := real.Set(t.Context(), key, fields...)
		want, wantErr := twin.Set(t.Context(), key, fields...)
		must(t, err, wantErr)
		if got != want {
			t.Fatalf("%s was found: %v, want %v", key, got, want)
		}
	}
}

// RandomArrangement returns options that sort, collapse, count and add to
// scores by the columns of [Options], or do not.
func RandomArrangement(r *rand.Rand) (opt index.SearchOptions) {
	arrange(r, &opt)
	return opt
}
