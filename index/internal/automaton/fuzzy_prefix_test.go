package automaton

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// With a prefix an automaton accepts what it does without, where that begins as the text.
func TestFuzzyPrefix(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.RuneFrom([]rune("abé")), 0, 6, -1)
		text, other := word.Draw(t, "text"), word.Draw(t, "other")
		dist, prefix := rapid.IntRange(0, 4).Draw(t, "dist"), rapid.IntRange(0, 7).Draw(t, "prefix")
		want := Fuzzy(text, dist, 0).Match([]byte(other))
		if runes := []rune(text); !strings.HasPrefix(other, string(runes[:min(prefix, len(runes))])) {
			want = -1
		}
		if got := Fuzzy(text, dist, prefix).Match([]byte(other)); got != want {
			t.Fatalf("%q within %d of %q, the first %d the same: %d, want %d", other, dist, text, prefix, got, want)
		}
	})
}
