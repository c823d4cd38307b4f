package index_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// A phrase is found and counted alike in short texts and in those of more than
// 65,536 words.
func TestPhraseInLongText(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 5))
	words := map[string][]string{}
	var docs []index.Document
	for i, n := range []int{40, 65_530, 65_540, 70_000} {
		key := string(rune('a' + i))
		for range n {
			words[key] = append(words[key], string("vwxyz"[min(r.IntN(5), r.IntN(5))]))
		}
		docs = append(docs, index.Document{Key: key, Fields: []index.Field{{Name: "text", Value: strings.Join(words[key], " ")}}})
	}
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "text"}}, Scorer: often{}}, docs...)
	for _, text := range []string{"v w", "w v", "z z", "y z", "x y z", "z v v w", "v v v v v", "z z z z z z z z"} {
		phrase := strings.Fields(text)
		want := map[string]float64{}
		for key, all := range words {
			for at := range all {
				if len(all)-at >= len(phrase) && slices.Equal(all[at:at+len(phrase)], phrase) {
					want[key] += float64(len(phrase)) // of each word
				}
			}
		}
		q := query.Phrase{Field: "text", Text: text}
		all, err := ix.Search(t.Context(), q, index.SearchOptions{})
		if err != nil || len(all.Hits) != len(want) {
			t.Fatalf("%q: %d hits, want %d: %v", text, len(all.Hits), len(want), err)
		}
		for _, h := range all.Hits {
			if h.Score != want[h.Key] {
				t.Errorf("%q stands in %s %g times, not %g", text, h.Key, want[h.Key], h.Score)
			}
		}
		only, err := ix.Search(t.Context(), q, index.SearchOptions{Limit: -1})
		if err != nil || only.Total != (index.Count{Value: len(want), Exact: true}) {
			t.Errorf("%q counts %v, not %d: %v", text, only.Total, len(want), err)
		}
	}
}

// often scores a word by how often it stands in a document.
type often struct{}

func (often) Term(rank.Stats) rank.Score { return func(tf, _ uint32) float64 { return float64(tf) } }
