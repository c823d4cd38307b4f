package sieve

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/fuzzy"
)

// sorted is a Dictionary in memory.
type sorted struct {
	terms []string
	next  int
}

func (s *sorted) Next() bool   { s.next++; return s.next <= len(s.terms) }
func (s *sorted) Term() []byte { return []byte(s.terms[s.next-1]) }

// drawn draws strings over few letters, of which some are no UTF-8.
func drawn(most int) *rapid.Generator[string] {
	letter := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "é", "ü", "益", "\xff", "1", "A", "😀", "\x00"})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(letter, 0, most).Draw(t, "letters"), "")
	})
}

// No string that is near is left out, and places are those of the dictionary.
func TestNear(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		terms := rapid.SliceOfN(drawn(7), 0, 300).Draw(t, "terms")
		text, dist := drawn(7).Draw(t, "text"), rapid.IntRange(0, 4).Draw(t, "dist")
		if rapid.Bool().Draw(t, "long") {
			text += strings.Repeat("ab", longest/2-2)
			for i := range terms {
				terms[i] += strings.Repeat("ab", longest/2-2)
			}
		}
		slices.Sort(terms)
		terms = slices.Compact(terms)
		found := New(&sorted{terms: terms}, len(terms)).Near(text, dist)
		if !slices.IsSorted(found) {
			t.Fatalf("not in order: %d", found)
		}
		for place, s := range terms {
			if fuzzy.OSA(text, s) <= dist && !slices.Contains(found, uint32(place)) {
				t.Fatalf("%q is within %d of %q", s, dist, text)
			}
		}
	})
}

// What is far in letters is left out.
func TestFar(t *testing.T) {
	t.Parallel()
	terms := []string{"", "abc", "abcd", "abcde", "abx", "ayx", "bac", "zzzzz"}
	s := New(&sorted{terms: terms}, 0)
	for _, c := range []struct {
		text string
		dist int
		want []uint32
	}{{"abc", 0, []uint32{1, 6}}, {"abc", 1, []uint32{1, 2, 4, 6}}, {"abc", 2, []uint32{1, 2, 3, 4, 5, 6}}, {"", 0, []uint32{0}}} {
		if got := s.Near(c.text, c.dist); !slices.Equal(got, c.want) {
			t.Errorf("near %q by %d: %d, want %d", c.text, c.dist, got, c.want)
		}
	}
}

// Strings with a letter of each list are not left out, and those without one or
// too short are.
func TestWith(t *testing.T) {
	t.Parallel()
	terms := []string{"", "abc", "abd", "ade", "kab", "\u212aab", strings.Repeat("ab", longest)}
	s := New(&sorted{terms: terms}, 0)
	for _, c := range []struct {
		runes [][]rune
		least int
		want  []uint32
	}{
		{nil, 0, []uint32{0, 1, 2, 3, 4, 5, 6}},
		{[][]rune{{'a'}, {'b'}}, 0, []uint32{1, 2, 4, 5, 6}},
		{[][]rune{{'a'}, {'d', 'D'}}, 3, []uint32{2, 3}},
		{[][]rune{{'k', 'K', '\u212a'}}, 3, []uint32{1, 2, 3, 4, 5, 6}}, // of which the last has other bits
		{[][]rune{{'a'}}, longest + 1, []uint32{6}},
	} {
		if got := s.With(c.runes, c.least); !slices.Equal(got, c.want) {
			t.Errorf("with %q of %d: %d, want %d", c.runes, c.least, got, c.want)
		}
	}
}

// A sieve is asked for once, when it is worth it, and made of whole walks only.
func TestLazy(t *testing.T) {
	t.Parallel()
	var l Lazy
	const terms = 1000 * partLook
	for _, c := range []struct {
		looks int
		due   bool
	}{{1000, false}, {1023, false}, {1, true}, {1, false}, {terms, false}} {
		if due := l.Looked(c.looks, terms); due != c.due {
			t.Errorf("%d more: %v", c.looks, due)
		}
	}
	all := []string{"a", "b", "c"}
	l.Make(&sorted{terms: all[:2]}, len(all))
	if s := l.Made(); s != nil || s.Bytes() != 0 {
		t.Error("made of a part")
	}
	l.Make(&sorted{terms: all}, len(all))
	if s := l.Made(); s == nil || s.Bytes() != 24 {
		t.Error("not made")
	}
}

// Strings of one length lie by their letters, then by their places.
func TestSorted(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(4, 2))
	var want []uint64
	for place := range uint64(5000) {
		want = append(want, uint64(rnd.Uint32()>>rnd.IntN(32))<<32|place)
	}
	got := slices.Clone(want)
	sortLetters(got, make([]uint64, len(got)))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Error("not sorted")
	}
}
