package index_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// One switch forgives typing errors: what is spelled right comes first, a rare misspelling
// is worth no more than the word, and snippets show what was found.
func TestTypos(t *testing.T) {
	t.Parallel()
	var docs []index.Document
	add := func(key, text string) {
		docs = append(docs, index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: text}, {Name: "tag", Value: "vacuum"}}})
	}
	for i := range 20 {
		add(fmt.Sprintf("right%02d", i), "the vacuum cleans")
	}
	add("wrong", "the vaccum cleans")
	add("start", "the bacuum cleans")
	add("year", "in 2025 they clean")
	for i := range 40 {
		add(fmt.Sprintf("other%02d", i), "nothing of the kind")
	}
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "body", Stored: true}, {Name: "tag", Kind: index.Keyword}}}, docs...)
	search := func(q query.Query, opt index.SearchOptions) *index.Results {
		opt.Limit, opt.Snippets = 100, map[string]highlight.Options{"body": {}}
		res, err := ix.Search(t.Context(), q, opt)
		must(t, err)
		return res
	}
	on := query.Typos{Forgive: true}
	for _, scorer := range []rank.Scorer{nil, rank.BM25F{}, rank.TFIDF{}} {
		for _, c := range []struct {
			q     query.Query
			typos query.Typos
			want  int
		}{
			{query.Match{Text: "vacuum"}, query.Typos{}, 20},
			{query.Match{Text: "vacuum"}, on, 21},
			{query.Match{Text: "vacuum"}, query.Typos{Forgive: true, FirstLetter: true}, 22},
			{query.Match{Text: "vacuum"}, query.Typos{Forgive: true, One: 7, Two: -1}, 20},
			{query.Match{Text: "vacuum"}, query.Typos{Forgive: true, One: -1}, 20},
			{query.Match{Text: "vcaum"}, on, 0},
			{query.Match{Text: "vcaum"}, query.Typos{Forgive: true, Two: 5}, 21},
			{query.Match{Text: "VACUM cleans"}, on, 21},
			{query.Match{Text: "2026"}, on, 0}, // a number is no misspelling of another
			{query.Phrase{Text: "vacum"}, on, 0},
			{query.Term{Text: "vacum"}, on, 0},
			{query.Match{Field: "tag", Text: "vacum"}, on, 0}, // keywords are as they are
			{query.Not{Query: query.Match{Text: "vacum"}}, on, 63 - 21},
		} {
			res := search(c.q, index.SearchOptions{Typos: c.typos, Scorer: scorer})
			if res.Total.Value != c.want || len(res.Warnings) > 0 && c.want > 0 {
				t.Errorf("%v by %+v: %d, want %d; %v", c.q, c.typos, res.Total.Value, c.want, res.Warnings)
			}
		}
		res := search(query.Match{Text: "vacuum"}, index.SearchOptions{Typos: on, Scorer: scorer})
		if last := res.Hits[20]; last.Key != "wrong" || last.Score > res.Hits[0].Score*0.6 {
			t.Errorf("%T: %s comes last with %v, the first has %v", scorer, last.Key, last.Score, res.Hits[0].Score)
		}
		if s := res.Hits[20].Snippets["body"]; len(s.Spans) != 1 || s.Text[s.Spans[0].Start:s.Spans[0].End] != "vaccum" {
			t.Errorf("the snippet marks %v of %s", s.Spans, s.Text)
		}
		both := search(query.Match{Text: "vacuum"}, index.SearchOptions{Typos: on, Scorer: scorer, Expander: respelt{"vacuum": {"kind": 0.3}}})
		if got := both.Total.Value; got != 61 {
			t.Errorf("%T: with an Expander too %d, want 61", scorer, got)
		}
		if !slices.ContainsFunc(both.Hits, func(h index.Hit) bool { return h.Key == "wrong" }) {
			t.Errorf("%T: with an Expander errors are not forgiven", scorer)
		}
	}
}
