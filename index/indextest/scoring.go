package indextest

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b), 1) }

// testScores compares scores with the formula, worked out here.
func testScores(t *testing.T, open Open) {
	ctx := t.Context()
	texts := []any{"zebra", "the the the the"}
	for len(texts) < 1000 {
		texts = append(texts, "the")
	}
	o := filled(t, open, body(""), texts...)
	if got := found(t, o, parse(t, "the OR zebra"))[:1]; got != "a" {
		t.Errorf("the rare word comes %s", got)
	}
	// N = 1000, df = 1, tf = 1, length 1, mean length 1.003
	idf := math.Log(1 + (1000-1+.5)/(1+.5))
	if got, want := scores(t, o, parse(t, "zebra"), index.SearchOptions{})["a"], idf*2.2/(1+1.2*(.25+.75/1.003)); !near(got, want) {
		t.Errorf("zebra scores %v, want %v", got, want)
	}
	if all := scores(t, o, parse(t, "the"), index.SearchOptions{}); len(all) != 999 || !(all["b"] > 0) {
		t.Errorf("the most frequent word: %d found, scored %v", len(all), all["b"])
	}
	one, both := scores(t, o, parse(t, "zebra"), index.SearchOptions{}), scores(t, o, parse(t, "zebra OR the"), index.SearchOptions{})
	if one["a"] != both["a"] {
		t.Errorf("a word that is not there counts: %v, %v", one["a"], both["a"])
	}
	if other := scores(t, o, parse(t, "zebra"), index.SearchOptions{Scorer: rank.TFIDF{}}); other["a"] == one["a"] {
		t.Errorf("SearchOptions.Scorer does not count")
	}

	o = filled(t, open, body(""), "to be or not to be", "to do is to be", "to be is to do", "do be do be do")
	for _, c := range []struct{ a, b string }{
		{"to OR be OR to", "to^2 OR be"},
		{"to be to", "to^2 be"},
		{"to^3 be", "to to to be"},
		{"to OR nowhere", "to"},
		{"to -nowhere", "to"},
		{"to -- be", "to be"},
		{"to * be", "to be"},
		{"(to be)^2", "to be to be"},
		{"body:to", "to"},
		{"to OR (be -be)", "to"},
		{`"be"`, "be"},
	} {
		a, b := scores(t, o, lenient(c.a), index.SearchOptions{}), scores(t, o, lenient(c.b), index.SearchOptions{})
		if !maps.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: %v\n%s: %v", c.a, a, c.b, b)
		}
	}
	phrase(t, o)
	weights(ctx, t, open)
}

func lenient(text string) query.Query {
	q, _ := query.ParseLenient(text, query.ParseOptions{Operator: query.AllWords, Schema: query.Names{"body"}})
	return q
}

// phrase holds that a phrase scores as its words would, together as often.
func phrase(t *testing.T, o Opened) {
	// "to be" stands twice in a (6 words), once in b and c (5 words); mean 5.25.
	tf := func(tf, length float64) float64 { return tf * 2.2 / (tf + 1.2*(.25+.75*length/5.25)) }
	rarity := func(df float64) float64 { return math.Log(1 + (4-df+.5)/(df+.5)) }
	idf := rarity(3) + rarity(4) // to in 3 of 4, be in all
	got := scores(t, o, parse(t, `"to be"`), index.SearchOptions{})
	want := map[string]float64{"a": idf * tf(2, 6), "b": idf * tf(1, 5), "c": idf * tf(1, 5)}
	for k := range want {
		if len(got) != len(want) || !near(got[k], want[k]) {
			t.Errorf("phrase scores %v, want %v", got, want)
		}
	}
}

// weights holds that fields add up by weight, and that an absent one adds
// nothing.
func weights(ctx context.Context, t *testing.T, open Open) {
	o := open(t, index.Options{Schema: index.Schema{{Name: "title", Weight: 3}, {Name: "body"}}})
	must(t, o.Writer.Add(ctx,
		index.Document{Key: "both", Fields: []index.Field{{Name: "title", Value: "fox"}, {Name: "body", Value: "the fox"}}},
		index.Document{Key: "body", Fields: []index.Field{{Name: "body", Value: "the fox"}}},
		index.Document{Key: "none"},
	), o.Writer.Commit(ctx))
	title, body := scores(t, o, parse(t, "title:fox"), index.SearchOptions{}), scores(t, o, parse(t, "body:fox"), index.SearchOptions{})
	all := scores(t, o, parse(t, "fox"), index.SearchOptions{Scorer: rank.BM25{}})
	if len(all) != 2 || all["both"] != 3*title["both"]+body["both"] || all["body"] != body["body"] {
		t.Errorf("title %v, body %v, all %v", title, body, all)
	}
	// Over all fields at once a word saturates once, and that is the default.
	if byDefault, want := scores(t, o, parse(t, "fox"), index.SearchOptions{}), scores(t, o, parse(t, "fox"), index.SearchOptions{Scorer: rank.BM25F{}}); !maps.Equal(byDefault, want) || maps.Equal(byDefault, all) {
		t.Errorf("the default scores %v, BM25F %v", byDefault, want)
	}
	opt := index.SearchOptions{Scorer: rank.BM25F{B: -1}}
	all = scores(t, o, parse(t, "fox"), opt)
	idf := math.Log(1 + 1.5/2.5)
	if want := map[string]float64{"both": idf * 4 * 2.2 / (4 + 1.2), "body": idf}; !near(all["both"], want["both"]) || !near(all["body"], want["body"]) {
		t.Errorf("BM25F scores %v, want %v", all, want)
	}
	title = scores(t, o, parse(t, "title:fox"), opt)
	if want := math.Log(1 + 2.5/1.5); len(title) != 1 || !near(title["both"], want) {
		t.Errorf("BM25F scores a title %v, want %v", title, want)
	}
}

// testPages pages through equal scores.
func testPages(t *testing.T, open Open) {
	var texts []any
	for range 30 {
		texts = append(texts, "same text")
	}
	o := filled(t, open, body(""), texts...)
	ask := func(limit, offset int) *index.Results {
		res, err := o.Searcher.Search(t.Context(), query.Match{Text: "same"}, index.SearchOptions{Limit: limit, Offset: offset})
		must(t, err)
		if res.Total != (index.Count{Value: 30, Exact: true}) {
			t.Errorf("limit %d: total %+v", limit, res.Total)
		}
		return res
	}
	var keys []string
	for offset := 0; offset < 30; offset += 10 {
		for _, h := range ask(10, offset).Hits {
			keys = append(keys, h.Key)
		}
	}
	if len(keys) != 30 || !slices.IsSorted(keys) || len(slices.Compact(keys)) != 30 {
		t.Errorf("three pages: %v", keys)
	}
	for _, c := range []struct{ limit, offset, want int }{
		{0, 0, 10}, {-1, 0, 0}, {1 << 31, 0, 30}, {math.MaxInt, math.MaxInt, 0}, {5, 28, 2}, {5, 30, 0}, {math.MaxInt, 29, 1},
	} {
		if n := len(ask(c.limit, c.offset).Hits); n != c.want {
			t.Errorf("limit %d, offset %d: %d hits, want %d", c.limit, c.offset, n, c.want)
		}
	}
	for _, q := range []string{"*", "same", "nowhere", "-*"} {
		if !t.Run(q, func(t *testing.T) {
			res, err := o.Searcher.Search(t.Context(), parse(t, q), index.SearchOptions{Limit: 3, Fields: []string{"body"}})
			must(t, err)
			for _, h := range res.Hits {
				if h.Text("body") != "same text" {
					t.Errorf("stored fields %v", h.Fields)
				}
			}
		}) {
			return
		}
	}
}

// testChanges holds that replaced and deleted documents leave no trace.
func testChanges(t *testing.T, open Open) {
	ctx := t.Context()
	texts := []any{"one fox", "two foxes and a fox", "three dogs", "four", "five fox"}
	fresh := filled(t, open, body(""), texts...)
	used := filled(t, open, body(""), texts...)
	for i := range 50 {
		k := i % 2
		must(t, used.Writer.Add(ctx, index.Document{Key: key(k), Fields: []index.Field{{Name: "body", Value: fmt.Sprint("fox number ", i)}}}))
		must(t, used.Writer.Add(ctx, index.Document{Key: fmt.Sprint("extra", i), Fields: []index.Field{{Name: "body", Value: "fox"}}}))
		must(t, used.Writer.Commit(ctx), used.Writer.Delete(ctx, fmt.Sprint("extra", i), "never there"))
		must(t, used.Writer.Add(ctx, index.Document{Key: key(k), Fields: []index.Field{{Name: "body", Value: texts[k]}}}))
		must(t, used.Writer.Commit(ctx))
	}
	compare := func(when string) {
		for _, text := range []string{"fox", "fox OR dogs", `"one fox"`, "fo*", "-fox", "*"} {
			a, b := scores(t, fresh, parse(t, text), index.SearchOptions{}), scores(t, used, parse(t, text), index.SearchOptions{})
			if !maps.Equal(a, b) {
				t.Errorf("%s: %s: %v, want %v", when, text, b, a)
			}
		}
	}
	compare("after changes")
	if used.Merge != nil {
		must(t, used.Merge(ctx))
		compare("merged")
	}
	for i := range texts {
		must(t, used.Writer.Delete(ctx, key(i)))
	}
	if got := found(t, used, query.All{}); got != "a b c d e" {
		t.Errorf("before the commit: %q", got)
	}
	must(t, used.Writer.Commit(ctx))
	if got := found(t, used, query.All{}) + found(t, used, parse(t, "fox")); got != "" {
		t.Errorf("all deleted: found %q", got)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := fresh.Searcher.Search(done, parse(t, "fox"), index.SearchOptions{}); err == nil {
		t.Errorf("searched with a done context")
	}
}

// synonyms is an Expander.
type synonyms map[string]map[string]float64

func (s synonyms) Expand(term string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for _, word := range slices.Sorted(maps.Keys(s[term])) {
			if !yield(word, s[term][word]) {
				return
			}
		}
	}
}

// testExpander holds that other words stand in, for single words alone, and count as if
// they were as frequent as the most frequent of them: once, by the best of them.
func testExpander(t *testing.T, open Open) {
	o := filled(t, open, body(""), "a car", "an auto", "a vehicle", "car-boot sale", "vehicle auto")
	opt := index.SearchOptions{Expander: synonyms{"car": {"auto": 0.5, "car": 1, "vehicle": 0.25}}}
	car := scores(t, o, parse(t, "car"), index.SearchOptions{})
	want := map[string]float64{"a": car["a"], "b": 0.5 * car["a"], "c": 0.25 * car["a"], "d": car["d"], "e": 0.5 * car["a"]}
	if got := scores(t, o, parse(t, "car"), opt); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, text := range []string{"car-boot", `"car"`, "car*", `="car"`} {
		if a, b := scores(t, o, parse(t, text), opt), scores(t, o, parse(t, text), index.SearchOptions{}); !maps.Equal(a, b) {
			t.Errorf("%s is expanded: %v, %v", text, a, b)
		}
	}
}
