package fuzzy

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/webquarry/quarry/internal/unicodetest"
)

// No text makes anything of this package panic, nor give another answer than the slow way;
// QUARRY_TEXTS=1000000 makes it a million texts.
func TestUnicode(t *testing.T) {
	t.Parallel()
	unicodetest.Each(t, 1000, func(r *rand.Rand, text string) {
		if len(text) > 2000 {
			text = text[:2000]
		}
		folded := Fold(text)
		if utf8.ValidString(text) && !utf8.ValidString(folded) {
			t.Errorf("Fold(%+q) = %+q", text, folded)
		}
		if again := Fold(folded); again != folded {
			t.Errorf("Fold(%+q) = %+q, folded again %+q", text, folded, again)
		}
		words := strings.Fields(text)
		words = words[:min(len(words), 12)]
		for i, w := range words {
			words[i] = w[:min(len(w), 60)]
		}
		known := map[string]float64{}
		g := New(func(yield func(string, int) bool) {
			for i, w := range words {
				known[w] += float64(i % 3)
				if !yield(w, i%3) {
					return
				}
			}
		})
		asked := text[:min(len(text), 30)]
		if len(words) > 0 && r.IntN(2) == 0 {
			asked = words[r.IntN(len(words))]
		}
		g.Metric = metrics[r.IntN(len(metrics))]
		dist := r.IntN(3)
		if got, want := g.Match(asked, dist, 5), slowSearch(known, g.Metric, asked, dist, 5, false); !slices.Equal(got, want) {
			t.Errorf("%+q: Match(%+q, %d) by %v\n got %v\nwant %v", words, asked, dist, g.Metric, got, want)
		}
		if got, want := g.Complete(asked, dist, 5), slowSearch(known, g.Metric, asked, dist, 5, true); !slices.Equal(got, want) {
			t.Errorf("%+q: Complete(%+q, %d) by %v\n got %v\nwant %v", words, asked, dist, g.Metric, got, want)
		}
		s := Speller{Words: g}
		s.Suggest(asked, 3)
		if better, ok := s.Correct(text, nil); ok && better == text {
			t.Errorf("%+q is corrected to itself", text)
		}
		if len(words) > 1 {
			a, b := words[0], words[1]
			if l, d := Levenshtein(a, b), DamerauLevenshtein(a, b); d > l || Levenshtein(b, a) != l || DamerauLevenshtein(b, a) != d || OSA(a, b) > l || OSA(a, b) < d {
				t.Errorf("%+q, %+q: %d, %d, %d", a, b, l, OSA(a, b), d)
			}
		}
		if g, err := Read(strings.NewReader(text)); err == nil {
			g.Match(asked, 1, 5)
		}
	})
}
