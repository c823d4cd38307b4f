package fuzzy

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func seq(words ...string) func(yield func(string, int) bool) {
	return func(yield func(string, int) bool) {
		for i, w := range words {
			if !yield(w, len(words)-i) {
				return
			}
		}
	}
}

// rounds is how many rounds a random test has: usual, or what QUARRY_LONG says.
func rounds(t *testing.T, usual uint64) uint64 {
	t.Helper()
	long := os.Getenv("QUARRY_LONG")
	if long == "" {
		return usual
	}
	n, err := strconv.ParseUint(long, 10, 32)
	if err != nil {
		t.Fatalf("QUARRY_LONG: %v", err)
	}
	return n
}

// TestMatchEqualsTwin is the law of the room: whatever the dictionary, the word
// and the number of edits, the index finds what a look at every word finds. Rounds
// have 72 searches; QUARRY_LONG=14000 makes a million of them.
func TestMatchEqualsTwin(t *testing.T) {
	t.Parallel()
	for round := range rounds(t, 20) {
		r := rand.New(rand.NewPCG(round, 5))
		alphabet := alphabets[r.IntN(len(alphabets))]
		most := 300
		if round >= 20 {
			most = 60
		}
		words := randomWords(r, alphabet, 1+r.IntN(most), 2+r.IntN(14))
		keys := slices.Sorted(maps.Keys(words))
		for _, m := range metrics {
			g := New(maps.All(words))
			g.Metric = m
			for range 12 {
				s := randomWord(r, alphabet, 15)
				if r.IntN(2) == 0 && len(keys) > 0 {
					s = misspelt(r, keys[r.IntN(len(keys))], alphabet, r.IntN(4))
				}
				dist, limit := r.IntN(6)-1, r.IntN(40)-20
				if got, want := g.Match(s, dist, limit), slowSearch(words, m, s, dist, limit, false); !slices.Equal(got, want) {
					t.Fatalf("round %d, %v: Match(%q, %d, %d)\n got %v\nwant %v", round, m, s, dist, limit, got, want)
				}
				if got, want := g.Complete(s, dist, limit), slowSearch(words, m, s, dist, limit, true); !slices.Equal(got, want) {
					t.Fatalf("round %d, %v: Complete(%q, %d, %d)\n got %v\nwant %v", round, m, s, dist, limit, got, want)
				}
			}
		}
	}
}

// TestFiltersAreSound holds the bounds by themselves, where the search would
// hide a bound that is wrong but not used.
func TestFiltersAreSound(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for range 5000 {
		alphabet := alphabets[r.IntN(len(alphabets))]
		a := randomWord(r, alphabet, 12)
		b := misspelt(r, a, alphabet, r.IntN(4))
		for _, m := range metrics {
			d := slowDistance(m, a, b, false)
			ga, gb := gramsOf(nil, []rune(a), true), gramsOf(nil, []rune(b), true)
			shared := 0
			for _, g := range ga {
				if _, found := slices.BinarySearch(gb, g); found {
					shared++
				}
			}
			if need := max(len(ga), len(gb)) - d*m.spoil(); shared < need {
				t.Fatalf("%q and %q, %v %d apart, share %d grams, bound %d", a, b, m, d, shared, need)
			}
			la, lb := lettersOf(a), lettersOf(b)
			if la.without(lb) > d || lb.without(la) > d {
				t.Fatalf("%q and %q, %v %d apart, differ by %d and %d letters", a, b, m, d, la.without(lb), lb.without(la))
			}
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	g := New(seq("receive", "recipe", "relieve", "deceive", "api", "any", "naïve", "страхов", "👍🏽", strings.Repeat("a", 300)))
	cases := []struct {
		word string
		dist int
		want []string
	}{
		{"recieve", 1, []string{"receive", "relieve"}}, // a swap breaks four grams of nine
		{"recieve", 0, nil},
		{"receive", 0, []string{"receive"}},
		{"recieve", 2, []string{"receive", "relieve", "recipe", "deceive"}},
		{"naive", 1, []string{"naïve"}},
		{"страх", 2, []string{"страхов"}},
		{"👍", 1, []string{"👍🏽"}},
		{"", 3, []string{"api", "any", "👍🏽"}},
		{"", 0, nil},
		{strings.Repeat("a", 298), 2, []string{strings.Repeat("a", 300)}},
		{"receive", -1, nil},
	}
	for _, c := range cases {
		var got []string
		for _, m := range g.Match(c.word, c.dist, -1) {
			got = append(got, m.Text)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("Match(%q, %d) = %q, want %q", c.word, c.dist, got, c.want)
		}
	}
	if got := g.Match("recieve", 1, 0); got != nil {
		t.Errorf("limit 0 gives %v", got)
	}
	if got := g.Match("recieve", 1<<62, -1); len(got) != g.Len() {
		t.Errorf("any distance gives %d words of %d", len(got), g.Len())
	}
}

func TestMetricChangesTheAnswer(t *testing.T) {
	t.Parallel()
	for m, want := range map[Metric]int{MetricOSA: 3, MetricLevenshtein: 3, MetricDamerau: 2} {
		g := New(seq("abc"))
		g.Metric = m
		if got := g.Match("ca", 3, -1); len(got) != 1 || got[0].Distance != want {
			t.Errorf("%v: %v, want abc at %d", m, got, want)
		}
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	g := New(seq("database", "datatype", "date", "python", "pythonic", "data"))
	cases := []struct {
		prefix string
		dist   int
		want   []string
	}{
		{"dat", 0, []string{"database", "datatype", "date", "data"}}, // heaviest first
		{"pyht", 1, []string{"python", "pythonic"}},
		{"databaze", 1, []string{"database"}},
		{"", 0, []string{"database", "datatype", "date", "python", "pythonic", "data"}},
		{"databases", 0, nil},
	}
	for _, c := range cases {
		var got []string
		for _, m := range g.Complete(c.prefix, c.dist, -1) {
			got = append(got, m.Text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("Complete(%q, %d) = %q, want %q", c.prefix, c.dist, got, c.want)
		}
	}
}

func TestWeights(t *testing.T) {
	t.Parallel()
	g := New(func(yield func(string, float64) bool) {
		_ = yield("b", 1) && yield("", 9) && yield("aa", 2) && yield("b", 0.5)
	})
	if g.Len() != 2 {
		t.Errorf("%d words, want 2", g.Len())
	}
	for word, want := range map[string]float64{"b": 1.5, "aa": 2} {
		if got, ok := g.Weight(word); got != want || !ok {
			t.Errorf("Weight(%q) = %v, %v", word, got, ok)
		}
	}
	for _, word := range []string{"", "a", "c", "aaa", "bb"} {
		if got, ok := g.Weight(word); got != 0 || ok {
			t.Errorf("Weight(%q) = %v, %v", word, got, ok)
		}
	}
	if empty := New(seq()); empty.Match("a", 9, -1) != nil || empty.Complete("", 9, -1) != nil || empty.Len() != 0 {
		t.Error("an empty dictionary finds something")
	}
}

func TestConcurrentMatch(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 9))
	words := randomWords(r, "abcdefgh", 500, 8)
	g := New(maps.All(words))
	queries := slices.Sorted(maps.Keys(words))
	var wg sync.WaitGroup
	for part := range 4 {
		wg.Go(func() {
			for _, s := range queries[part*20 : part*20+20] {
				if got, want := g.Match(s, 2, 10), slowSearch(words, MetricOSA, s, 2, 10, false); !slices.Equal(got, want) {
					t.Errorf("Match(%q) = %v, want %v", s, got, want)
				}
			}
		})
	}
	wg.Wait()
}

// Hostile words take no time to speak of: the bound is far above what a
// machine under load needs, and far below what a blow-up takes.
func TestHostileWords(t *testing.T) {
	t.Parallel()
	words := []string{strings.Repeat("a", 300), strings.Repeat("ab", 150), strings.Repeat("字", 300)}
	for n := range 60 {
		words = append(words, strings.Repeat("a", 5*n))
	}
	g := New(seq(words...))
	start := time.Now()
	for _, s := range []string{"", "a", strings.Repeat("a", 300), strings.Repeat("a", 5000), strings.Repeat("字", 301), "\xff\xfe", "\x00"} {
		for _, dist := range []int{0, 2, 300} {
			g.Match(s, dist, 10)
			g.Complete(s, dist, 10)
		}
	}
	if took := time.Since(start); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestAutoDistance(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{"": 0, "a": 0, "ab": 0, "日本": 0, "abc": 1, "страх": 1, "abcde": 1, "abcdef": 2, strings.Repeat("a", 300): 2} {
		if got := AutoDistance(s); got != want {
			t.Errorf("AutoDistance(%q) = %d, want %d", s, got, want)
		}
	}
}
