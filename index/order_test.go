package index_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// lying returns the keys of the documents of each segment, as these lie there.
func lying(t *testing.T, ix *index.Index) string {
	t.Helper()
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	must(t, s.Verify(t.Context()))
	var segments []string
	for _, keys := range s.Lying() {
		segments = append(segments, strings.Join(keys, " "))
	}
	slices.Sort(segments)
	return strings.Join(segments, ", ")
}

// A segment has the order of the options with which it was written, and takes
// another when it is merged; ranks that are set count from then on.
func TestOrderOfDocuments(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opt := index.Options{Schema: index.Schema{{Name: "body"}, {Name: "rank", Kind: index.Integer}}, Order: index.ByColumn, OrderColumn: "rank"}
	ix := opens(t, dir, opt)
	w := writer(t, ix)
	add := func(ranks ...int) {
		for _, rank := range ranks {
			must(t, w.Add(t.Context(), index.Document{Key: fmt.Sprintf("k%d", rank), Fields: []index.Field{{Name: "body", Value: "all"}, {Name: "rank", Value: rank % 10}}}))
		}
		must(t, w.Commit(t.Context()))
	}
	expect := func(what, want string) {
		t.Helper()
		if got := lying(t, ix); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
		if got := fmt.Sprint(keys(t, ix, query.Match{Text: "all"})); got != "[k12 k18 k22 k3 k5]" {
			t.Errorf("%s: found %s", what, got)
		}
	}
	add(5, 3, 18)
	add(12, 22)
	expect("committed", "k12 k22, k18 k5 k3")
	must(t, w.Merge(t.Context()))
	expect("merged", "k18 k5 k3 k12 k22")
	_, err := w.Set(t.Context(), "k22", index.Field{Name: "rank", Value: 7})
	must(t, err, w.Commit(t.Context()))
	expect("set", "k18 k5 k3 k12 k22")
	must(t, w.Merge(t.Context()))
	expect("set and merged", "k18 k22 k5 k3 k12")
	must(t, ix.Close())

	ix = opens(t, dir, index.Options{})
	expect("opened by key", "k18 k22 k5 k3 k12")
	w = writer(t, ix)
	must(t, w.Merge(t.Context()))
	expect("merged by key", "k12 k18 k22 k3 k5")
}

func TestOrderRefusals(t *testing.T) {
	t.Parallel()
	schema := index.Schema{{Name: "body"}, {Name: "host", Kind: index.Keyword, Column: true}, {Name: "seen", Kind: index.Time}}
	for _, opt := range []index.Options{
		{Order: index.ByColumn},
		{Order: index.ByColumn, OrderColumn: "body"},
		{Order: index.ByColumn, OrderColumn: "host"},
		{Order: -1},
		{Order: index.AsGiven + 1},
	} {
		opt.Schema = schema
		if _, err := index.New(opt); !errors.As(err, new(*index.SchemaError)) {
			t.Errorf("%v of %q: %v", opt.Order, opt.OrderColumn, err)
		}
	}
	ix, err := index.New(index.Options{Schema: schema, Order: index.ByColumn, OrderColumn: "seen"})
	must(t, err, ix.Close())
}
