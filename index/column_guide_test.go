package index_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// The snippets of docs/guides/columns.md, each of which stands here word for
// word.

func guideOpen(dir string) (*index.Index, error) {
	ix, err := index.Open(dir, index.Options{Schema: index.Schema{
		{Name: "title", Weight: 2, Stored: true},
		{Name: "body", Stored: true},
		{Name: "shop", Kind: index.Keyword, Column: true}, // one or more strings
		{Name: "price", Kind: index.Float},
		{Name: "stock", Kind: index.Integer},
		{Name: "seen", Kind: index.Time}, // to the microsecond, in UTC
		{Name: "rank", Kind: index.Float},
	}})
	return ix, err
}

func guideAdd(ctx context.Context, w *index.Writer) error {
	err := w.Add(ctx, index.Document{Key: "https://north.example/kettle", Fields: []index.Field{
		{Name: "title", Value: "A red kettle"},
		{Name: "shop", Value: "north"},
		{Name: "price", Value: 19.9},
		{Name: "stock", Value: 3},
		{Name: "seen", Value: time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)},
	}})
	return err
}

func guideQuery() query.Query {
	q := query.And{
		query.Match{Text: "kettle"},
		query.Between("price", 10, 30),              // both included
		query.Range{Field: "seen", From: "2026-02"}, // from the first of February on
		query.Term{Field: "shop", Text: "north"},    // by the list of the keyword
		query.Not{Query: query.Term{Field: "stock", Text: "0"}},
	}
	return q
}

func guidePages(ctx context.Context, s *index.Snapshot, q query.Query) error {
	opt := index.SearchOptions{
		Sort:      []index.SortBy{{Field: "price"}, {Field: "seen", Descending: true}},
		Fields:    []string{"title", "price"},
		CountUpTo: 1, // blocks that cannot be among the best are skipped
	}
	res, err := s.Search(ctx, q, opt)
	if err != nil {
		return err
	}
	opt.After = res.Next // "" on the last page
	for _, h := range res.Hits {
		fmt.Println(h.Text("title"), h.Text("price"))
	}
	return nil
}

func guideCollapse() index.SearchOptions {
	opt := index.SearchOptions{Collapse: index.Collapse{Field: "shop", Keep: 2}}
	return opt
}

func guideCount(ctx context.Context, s *index.Snapshot, q query.Query) error {
	res, err := s.Search(ctx, q, index.SearchOptions{Facets: map[string]facet.Facet{
		"shops":  facet.Terms{Field: "shop", Limit: 5},
		"prices": facet.Ranges{Field: "price", Bounds: []float64{10, 20, 50}},
		"months": facet.Dates{Field: "seen", Every: facet.Month},
		"price":  facet.Numbers{Field: "price"}, // least, greatest, sum, mean, how many different ones
	}})
	if err != nil {
		return err
	}
	for _, b := range res.Facets["shops"].Buckets {
		fmt.Println(b.Name, b.Count)
	}
	return nil
}

func guideStatic(now time.Time) index.SearchOptions {
	opt := index.SearchOptions{Static: []index.Static{
		{Field: "rank", Prior: rank.Saturation{Weight: 3, Half: 0.2}},
		{Field: "seen", Prior: rank.Recency{Weight: 1, Now: now, HalfLife: 30 * 24 * time.Hour}},
	}}
	return opt
}

func guideSet(ctx context.Context, w *index.Writer) error {
	found, err := w.Set(ctx, "https://north.example/kettle",
		index.Field{Name: "price", Value: 17.5},
		index.Field{Name: "stock", Value: nil}) // has none any more
	if err != nil {
		return err
	}
	if !found {
		fmt.Println("fetch it first")
	}
	return w.Commit(ctx)
}

// The snippets of the guide, one after another.
func Example_columns() {
	dir, err := os.MkdirTemp("", "columns")
	check(err)
	defer os.RemoveAll(dir)
	ix, err := guideOpen(dir)
	check(err)
	defer ix.Close()
	w, err := ix.Writer()
	check(err)
	ctx := context.Background()
	check(guideAdd(ctx, w))
	check(w.Commit(ctx))
	show := func(q query.Query) {
		s, err := ix.Snapshot()
		check(err)
		defer s.Close()
		check(guidePages(ctx, s, q))
		check(guideCount(ctx, s, q))
	}
	show(guideQuery())
	check(guideSet(ctx, w))
	show(query.Match{Text: "kettle"})
	for _, opt := range []index.SearchOptions{guideCollapse(), guideStatic(time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC))} {
		res, err := ix.Search(ctx, query.All{}, opt)
		check(err)
		fmt.Println(res.Hits[0].Key, res.Hits[0].Score)
	}
	// Output:
	// A red kettle 19.9
	// north 1
	// A red kettle 17.5
	// north 1
	// https://north.example/kettle 0
	// https://north.example/kettle 1
}

func TestColumnGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/guides/columns.md")
	must(t, err)
	source, err := os.ReadFile("column_guide_test.go")
	must(t, err)
	blanks := regexp.MustCompile(`\s+`)
	flat := func(s string) string { return blanks.ReplaceAllString(s, " ") }
	snippets := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(guide), -1)
	for _, s := range snippets {
		if !strings.Contains(flat(string(source)), flat(strings.TrimSpace(s[1]))) {
			t.Errorf("this snippet is not compiled:\n%s", s[1])
		}
	}
	if len(snippets) != 8 {
		t.Errorf("%d snippets", len(snippets))
	}
}
