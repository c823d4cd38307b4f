package index_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
)

// 0 is the default of a number, a negative one is none, and math.MaxInt is all.
func TestNumbersOfOptions(t *testing.T) {
	t.Parallel()
	long := ""
	for i := range 400 {
		long += fmt.Sprintf("word%d fox ", i)
	}
	var docs []index.Document
	for i := range 30 {
		docs = append(docs, index.Document{Key: fmt.Sprintf("%02d", i), Fields: []index.Field{{Name: "body", Value: long}, {Name: "tag", Value: fmt.Sprint("tag", i%20)}}})
	}
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "body", Stored: true}, {Name: "tag", Kind: index.Keyword, Column: true}}}, docs...)
	ask := func(q query.Query, opt index.SearchOptions) *index.Results {
		res, err := ix.Search(t.Context(), q, opt)
		must(t, err)
		return res
	}
	fox := query.Match{Text: "fox"}
	for n, want := range map[int]int{0: 10, -1: 0, math.MaxInt: 30, 7: 7} {
		if got := len(ask(fox, index.SearchOptions{Limit: n}).Hits); got != want {
			t.Errorf("Limit %d: %d hits", n, got)
		}
		if n == 7 {
			continue
		}
		all := map[int]int{0: 10, -1: 0, math.MaxInt: 20}[n]
		if got := ask(fox, index.SearchOptions{Facets: map[string]facet.Facet{"tag": facet.Terms{Field: "tag", Limit: n}}}).Facets["tag"]; len(got.Buckets) != all || got.Other != 20-all {
			t.Errorf("facet.Terms.Limit %d: %d values, %d others", n, len(got.Buckets), got.Other)
		}
		s := ask(fox, index.SearchOptions{Limit: 1, Snippets: map[string]highlight.Options{"body": {Bytes: n}}}).Hits[0].Snippets["body"]
		if least := map[int]int{0: 100, -1: 0, math.MaxInt: len(long) - 1}[n]; len(s.Text) < least || n == 0 && len(s.Text) > 260 || n < 0 && s.Text != "" || n == math.MaxInt && len(s.Spans) != 400 {
			t.Errorf("highlight.Options.Bytes %d: %d bytes, %d matches", n, len(s.Text), len(s.Spans))
		}
		terms := map[int]int{0: 400, -1: 1, math.MaxInt: 400}[n]
		res := ask(query.Wildcard{Field: "body", Pattern: "word*"}, index.SearchOptions{Effort: index.Effort{Terms: n}})
		if cut := len(res.Warnings) > 0; cut != (terms == 1) {
			t.Errorf("Effort.Terms %d: %v", n, res.Warnings)
		}
		counted := ask(fox, index.SearchOptions{CountUpTo: n})
		if n >= 0 && counted.Total != (index.Count{Value: 30, Exact: true}) || !reflect.DeepEqual(counted.Hits, ask(fox, index.SearchOptions{}).Hits) {
			t.Errorf("CountUpTo %d: %+v", n, counted)
		}
		if got := ask(fox, index.SearchOptions{Offset: max(n, -1)}); n == math.MaxInt && len(got.Hits) > 0 || n <= 0 && len(got.Hits) != 10 {
			t.Errorf("Offset %d: %d hits", n, len(got.Hits))
		}
	}
}
