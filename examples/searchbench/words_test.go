package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// Words are the runs of letters and digits that one finds letter by letter,
// wherever they stand.
func TestWords(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 4))
	between := func(c rune) bool {
		return !(c < utf8.RuneSelf && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", c))
	}
	for range 2000 {
		text := make([]byte, r.IntN(300))
		few := r.IntN(2) == 0
		for i := range text {
			if text[i] = byte(r.IntN(256)); few || r.IntN(3) > 0 {
				text[i] = "abzAZ09/:@[`{ \xe1"[r.IntN(15-13*r.IntN(2))]
			}
		}
		want := strings.FieldsFunc(string(text), between)
		n := 0
		for word := range (asciiWords{}).Tokens(string(text)) {
			if n == len(want) || word.Pos != n || string(text[word.Start:word.End]) != want[n] {
				t.Fatalf("%q: word %d is %q, want %q", text, n, word.Text, want)
			}
			if lower := strings.ToLower(want[n]); word.Text != lower[:min(len(lower), 255)] || word.Cut != (len(lower) > 255) {
				t.Fatalf("%q is %q", want[n], word.Text)
			}
			n++
		}
		if n != len(want) {
			t.Fatalf("%q: %d words, want %q", text, n, want)
		}
	}
}
