package index_test

import (
	"errors"
	"iter"
	"maps"
	"math"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

type respelt map[string]map[string]float64

func (r respelt) Expand(term string) iter.Seq2[string, float64] { return maps.All(r[term]) }

// animals is an index with a stemmed field.
func animals(t *testing.T) *index.Index {
	return memory(t, index.Options{Schema: index.Schema{
		{Name: "title", Analyzer: "english", Stored: true}, {Name: "body", Analyzer: "english", Stored: true}, {Name: "tag", Kind: index.Keyword, Stored: true, Column: true},
		{Name: "n", Kind: index.Integer}, {Name: "at", Kind: index.Time},
	}},
		index.Document{Key: "a", Fields: []index.Field{{Name: "title", Value: "Foxes"}, {Name: "body", Value: "The quick foxes received a <gift>."}, {Name: "tag", Value: []string{"x", "y"}}, {Name: "n", Value: 3}}},
		index.Document{Key: "b", Fields: []index.Field{{Name: "body", Value: "A fox sleeps."}, {Name: "tag", Value: "z"}, {Name: "at", Value: time.Unix(5, 0)}}},
	)
}

// Hits have the snippets that were asked for, by the analyzer of the field and with what
// the Expander yields, in any order of hits, and no field besides.
func TestSnippetsOfHits(t *testing.T) {
	t.Parallel()
	ix := animals(t)
	for _, opt := range []index.SearchOptions{{}, {Sort: []index.SortBy{{Field: "n"}}}, {Fields: []string{"title"}}} {
		opt.Snippets = map[string]highlight.Options{"body": {}, "title": {Bytes: math.MaxInt}}
		opt.Expander = respelt{"recieve": {"receiv": 0.5}, "reciev": {"receiv": 0.5}}
		res, err := ix.Search(t.Context(), query.Or{query.Match{Text: "fox"}, query.Match{Text: "recieve"}, query.Match{Field: "body", Text: "gift"}}, opt)
		if err != nil || len(res.Hits) != 2 || res.Hits[0].Key != "a" {
			t.Fatal(res, err)
		}
		a, b := res.Hits[0], res.Hits[1]
		if got := a.Snippets["body"].HTML(); got != "The quick <mark>foxes</mark> <mark>received</mark> a &lt;<mark>gift</mark>&gt;." {
			t.Error(got)
		}
		if got := a.Snippets["title"].HTML(); got != "<mark>Foxes</mark>" {
			t.Error(got)
		}
		if _, ok := b.Snippets["title"]; ok || b.Snippets["body"].HTML() != "A <mark>fox</mark> sleeps." {
			t.Errorf("%v", b.Snippets)
		}
		if len(a.Fields) != len(opt.Fields) || a.Text("body") != "" {
			t.Errorf("%v", a.Fields)
		}
	}
	for _, field := range []string{"tag", "n", "nothing"} {
		_, err := ix.Search(t.Context(), query.All{}, index.SearchOptions{Snippets: map[string]highlight.Options{field: {}}})
		if _, ok := errors.AsType[*index.SchemaError](err); !ok {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// Fields and Sort of hits have the types of the schema.
func TestTypedHits(t *testing.T) {
	t.Parallel()
	res, err := animals(t).Search(t.Context(), query.Match{Field: "body", Text: "fox"}, index.SearchOptions{
		Fields: []string{"title", "tag", "n", "at"}, Sort: []index.SortBy{{Field: "tag", Descending: true}, {Field: "n", Descending: true}, {Field: "at"}, {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(5, 0).UTC()
	for i, want := range []index.Hit{
		{Key: "b", Fields: map[string]any{"tag": "z", "at": at}, Sort: []any{"z", nil, at, res.Hits[0].Score}},
		{Key: "a", Fields: map[string]any{"title": "Foxes", "tag": []string{"x", "y"}, "n": int64(3)}, Sort: []any{"y", int64(3), nil, res.Hits[1].Score}},
	} {
		want.Score = res.Hits[i].Score
		if got := res.Hits[i]; !reflect.DeepEqual(got, want) || got.Score <= 0 {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	if h := res.Hits[1]; h.Text("tag") != "x\ny" || h.Text("n") != "3" || h.Text("at") != "" {
		t.Errorf("%q %q %q", h.Text("tag"), h.Text("n"), h.Text("at"))
	}
}

// fragile panics at a word once it is armed.
type fragile struct{ armed *atomic.Bool }

func (f fragile) Tokens(text string) iter.Seq[analysis.Token] {
	return func(yield func(analysis.Token) bool) {
		for t := range (analysis.Standard{}).Tokens(text) {
			if f.armed.Load() && t.Text == "boom" {
				panic("over boom")
			}
			if !yield(t) {
				return
			}
		}
	}
}

// A panic over the text of one hit leaves that without a snippet, says so, and no other.
func TestSnippetPanics(t *testing.T) {
	t.Parallel()
	var armed atomic.Bool
	doc := func(key, text string) index.Document {
		return index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: text}, {Name: "n", Value: len(text)}}}
	}
	ix := memory(t, index.Options{
		Schema:    index.Schema{{Name: "body", Analyzer: "fragile", Stored: true}, {Name: "n", Kind: index.Integer}},
		Analyzers: map[string]analysis.Analyzer{"fragile": fragile{&armed}},
	}, doc("a", "one word"), doc("b", "one boom word"), doc("c", "one more word"))
	armed.Store(true)
	for _, opt := range []index.SearchOptions{{}, {Sort: []index.SortBy{{Field: "n"}}}, {Rerank: index.Rerank{By: rank.Stages{}}}} {
		opt.Snippets = map[string]highlight.Options{"body": {}}
		res, err := ix.Search(t.Context(), query.Match{Text: "one"}, opt)
		if err != nil || len(res.Hits) != 3 {
			t.Fatalf("%+v: %v, %v", opt, res, err)
		}
		for _, h := range res.Hits {
			if _, ok := h.Snippets["body"]; ok != (h.Key != "b") {
				t.Errorf("%s has the snippets %v", h.Key, h.Snippets)
			}
		}
		if len(res.Warnings) != 1 || res.Warnings[0].Kind != query.WarnNoSnippet || res.Warnings[0].Field != "body" || strings.Contains(res.Warnings[0].Text, "\n") {
			t.Errorf("%+v: warnings %+v", opt, res.Warnings)
		}
	}
}
