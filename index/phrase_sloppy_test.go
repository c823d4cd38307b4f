package index_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/indextest"
	"github.com/webquarry/quarry/index/query"
)

// A phrase of many words that are the same is answered at once, where it stands and
// where it does not: to try all ways to give them their places would take hours.
func TestSloppyPhraseOfManyWords(t *testing.T) {
	t.Parallel()
	const any = 1 << 30
	ix := memory(t, index.Options{}, texts(
		strings.Repeat("w ", 40),
		strings.Repeat("w ", 900)+"x",
		strings.Repeat("w ", 900)+strings.Repeat("y ", 900)+"x",
	)...)
	for _, test := range []struct {
		phrase query.Phrase
		want   string
	}{
		{query.Phrase{Text: strings.Repeat("w ", 41), Slop: any}, "b c"},
		{query.Phrase{Text: strings.Repeat("w ", 40), Slop: any}, "a b c"},
		{query.Phrase{Text: strings.Repeat("w ", 300) + "x", Slop: 500}, "b"},
		{query.Phrase{Text: "x " + strings.Repeat("w ", 200), Slop: 100}, ""},
		{query.Phrase{Text: "x " + strings.Repeat("w ", 200), Slop: 400}, "b"},
		{query.Phrase{Text: "w w w x x", Slop: any}, ""},
	} {
		got := keys(t, ix, test.phrase)
		slices.Sort(got)
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%.20s~%d: got %q, want %q", test.phrase.Text, test.phrase.Slop, s, test.want)
		}
	}
}

// doubled has a second term at each place, which is another word, too.
type doubled struct{}

func (doubled) Tokens(text string) iter.Seq[analysis.Token] {
	return func(yield func(analysis.Token) bool) {
		for t := range (analysis.Standard{}).Tokens(text) {
			other := t
			if other.Text = "w"; t.Text == "w" {
				other.Text = "x"
			}
			if !yield(t) || !yield(other) {
				return
			}
		}
	}
}

// Words that are the same, and terms at the same place, compete for places: the
// twin tries all of them.
func TestSloppyPhraseAgainstTwin(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 1))
	some := func(n int) string {
		var words []string
		for range 1 + r.IntN(n) {
			words = append(words, string("wxyz"[r.IntN(4)]))
		}
		return strings.Join(words, " ")
	}
	opt := index.Options{Schema: index.Schema{{Name: "plain"}, {Name: "doubled", Analyzer: "doubled"}}, Analyzers: map[string]analysis.Analyzer{"doubled": doubled{}}}
	var docs []index.Document
	for i := range 40 {
		docs = append(docs, index.Document{Key: strconv.Itoa(i), Fields: []index.Field{{Name: "plain", Value: some(12)}, {Name: "doubled", Value: some(12)}}})
	}
	ix, twin := memory(t, opt, docs...), indextest.NewTwin(opt)
	if err := errors.Join(twin.Add(t.Context(), docs...), twin.Commit(t.Context())); err != nil {
		t.Fatal(err)
	}
	for range 150 {
		q := query.Phrase{Field: []string{"plain", "doubled"}[r.IntN(2)], Text: some(6), Slop: 1 + r.IntN(8)}
		got, err := ix.Search(t.Context(), q, index.SearchOptions{Limit: len(docs)})
		if err != nil {
			t.Fatal(err)
		}
		want, err := twin.Search(t.Context(), q, index.SearchOptions{Limit: len(docs)})
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.Hits) != fmt.Sprint(want.Hits) {
			t.Errorf("%s:\n got %v\nwant %v", q, got.Hits, want.Hits)
		}
	}
}
