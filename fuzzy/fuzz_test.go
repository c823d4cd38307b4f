package fuzzy

import (
	"slices"
	"strings"
	"testing"
)

// FuzzMatch makes a dictionary of the words of a text.
func FuzzMatch(f *testing.F) {
	f.Add("receive relieve deceive recipe", "recieve", 1, 0)
	f.Add("aaaa aaa aa a b", "aaaaa", 3, 1)
	f.Add("страх страхов 👍🏽 \xff", "страхи", 2, 2)
	f.Fuzz(func(t *testing.T, text, s string, dist, metric int) {
		fields := strings.Fields(text)
		if len(fields) > 40 || len(text) > 400 || len(s) > 80 {
			t.Skip()
		}
		words := map[string]float64{}
		for i, w := range fields {
			words[w] += float64(i % 3)
		}
		g := New(func(yield func(string, int) bool) {
			for i, w := range fields {
				if !yield(w, i%3) {
					return
				}
			}
		})
		g.Metric = metrics[uint(metric)%uint(len(metrics))]
		if got, want := g.Match(s, dist, 10), slowSearch(words, g.Metric, s, dist, 10, false); !slices.Equal(got, want) {
			t.Fatalf("Match(%q, %d) by %v\n got %v\nwant %v", s, dist, g.Metric, got, want)
		}
		if got, want := g.Complete(s, dist, 10), slowSearch(words, g.Metric, s, dist, 10, true); !slices.Equal(got, want) {
			t.Fatalf("Complete(%q, %d) by %v\n got %v\nwant %v", s, dist, g.Metric, got, want)
		}
	})
}
