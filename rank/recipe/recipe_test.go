package recipe_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/dynamic"
	"github.com/webquarry/quarry/rank/recipe"
)

func TestNamed(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range recipe.All() {
		if got, err := recipe.Named(r.Name); err != nil || got.Name != r.Name || r.About == "" || r.Scorer == nil || seen[r.Name] {
			t.Errorf("%+v: %+v, %v", r, got, err)
		}
		seen[r.Name] = true
	}
	if _, err := recipe.Named("soup"); err == nil {
		t.Error("soup is a recipe")
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	if got, want := (recipe.Documents{PageRank: "pr"}).Fields(), []string{"anchor", "body", "headings", "pr", "title"}; !slices.Equal(got, want) {
		t.Errorf("fields %v, want %v", got, want)
	}
	only := recipe.Documents{Texts: dynamic.Features{Streams: []dynamic.Stream{{Name: "url"}}}}
	if got := only.Fields(); len(got) != 0 {
		t.Errorf("fields %v of the URL alone", got)
	}
}

// Every stage ranks all hits, with finite scores, whatever streams there are.
func TestStages(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.SampledFrom(recipe.All()).Draw(t, "recipe")
		if r.Stage == nil {
			return
		}
		d := recipe.Documents{PageRank: rapid.SampledFrom([]string{"", "pr"}).Draw(t, "pagerank")}
		if rapid.Bool().Draw(t, "few") {
			d.Texts.Streams = []dynamic.Stream{{Name: "title", Field: "title"}}
		}
		text := rapid.StringMatching(`([abc] ){0,8}`)
		var hits []rank.Hit
		for i := range rapid.IntRange(0, 6).Draw(t, "hits") {
			hits = append(hits, rank.Hit{Key: fmt.Sprint("https://example.org/", i), Score: rapid.Float64().Draw(t, "score"), Fields: map[string]any{
				"title": text.Draw(t, "title"), "body": text.Draw(t, "body"), "anchor": []string{text.Draw(t, "anchor")}, "pr": rapid.Float64Range(0, 1).Draw(t, "pr"),
			}})
		}
		if err := r.Stage(d).Rank(context.Background(), text.Draw(t, "query"), hits); err != nil {
			t.Fatal(err)
		}
		for i, h := range hits {
			if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || i > 0 && h.Score > hits[i-1].Score {
				t.Fatalf("%s: %v", r.Name, hits)
			}
		}
	})
}

func ExampleNamed() {
	r, err := recipe.Named("penn-cosine")
	if err != nil {
		fmt.Println(err)
		return
	}
	hits := []rank.Hit{
		{Key: "https://example.org/a", Score: 7, Fields: map[string]any{"title": "Foxes", "pagerank": 0.1}},
		{Key: "https://example.org/b", Score: 6, Fields: map[string]any{"title": "Red foxes", "pagerank": 0.9}},
		{Key: "https://example.org/c", Score: 2, Fields: map[string]any{"title": "Hens", "pagerank": 0.5}},
	}
	if err := r.Stage(recipe.Documents{PageRank: "pagerank"}).Rank(context.Background(), "red foxes", hits); err != nil {
		fmt.Println(err)
	}
	for _, h := range hits {
		fmt.Printf("%.2f %s\n", h.Score, h.Key)
	}
	// Output:
	// 1.34 https://example.org/b
	// 0.74 https://example.org/a
	// 0.20 https://example.org/c
}
