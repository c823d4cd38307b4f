package fuzzy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

var metrics = []Metric{MetricOSA, MetricLevenshtein, MetricDamerau}

func TestDistances(t *testing.T) {
	t.Parallel()
	cases := []struct {
		a, b                      string
		levenshtein, osa, damerau int
	}{
		{"", "", 0, 0, 0},
		{"", "abc", 3, 3, 3},
		{"kitten", "sitting", 3, 3, 3},
		{"ca", "abc", 3, 3, 2}, // the swapped pair has a letter put between it
		{"ab", "ba", 2, 1, 1},
		{"recieve", "receive", 2, 1, 1},
		{"abcdef", "badcfe", 4, 3, 3},
		{"страх", "страхов", 2, 2, 2}, // runes, not bytes
		{"naïve", "naive", 1, 1, 1},
		{"👍🏽", "👍", 1, 1, 1}, // the skin tone is a rune
		{"Ünïcode", "nÜïcode", 2, 1, 1},
		{strings.Repeat("a", 300), strings.Repeat("a", 290), 10, 10, 10},
	}
	for _, c := range cases {
		for _, way := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			got := [3]int{Levenshtein(way[0], way[1]), OSA(way[0], way[1]), DamerauLevenshtein(way[0], way[1])}
			if want := [3]int{c.levenshtein, c.osa, c.damerau}; got != want {
				t.Errorf("%q, %q: Levenshtein, OSA, Damerau %v, want %v", way[0], way[1], got, want)
			}
		}
	}
}

func TestAtMost(t *testing.T) {
	t.Parallel()
	atMost := map[string]func(a, b string, most int) (int, bool){
		"Levenshtein": LevenshteinAtMost, "OSA": OSAAtMost, "Damerau": DamerauLevenshteinAtMost,
	}
	for name, f := range atMost {
		for most, within := range map[int]bool{-1: false, 0: false, 2: false, 3: true, 4: true, math.MaxInt: true} {
			d, ok := f("kitten", "sitting", most)
			if ok != within || ok && d != 3 {
				t.Errorf("%s at most %d: %d, %v", name, most, d, ok)
			}
		}
		if d, ok := f("same", "same", 0); d != 0 || !ok {
			t.Errorf("%s of equal strings: %d, %v", name, d, ok)
		}
	}
}

// Everything that computes distances agrees with the textbook, whole and with
// prefixes, for every limit.
func TestDistancesEqualTextbook(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var table table
	var pattern pattern
	for range 1500 {
		alphabet := alphabets[r.IntN(len(alphabets))]
		a, b := randomWord(r, alphabet, 9), randomWord(r, alphabet, 9)
		if r.IntN(2) == 0 {
			b = misspelt(r, a, alphabet, r.IntN(4))
		}
		ra, rb := []rune(a), []rune(b)
		for _, m := range metrics {
			for _, prefix := range []bool{false, true} {
				want := slowDistance(m, a, b, prefix)
				for most := range 12 {
					check := func(how string, got int) {
						if got != want && (got <= most || want <= most) {
							t.Fatalf("%v by %s of %q, %q at most %d, prefix %v: %d, want %d", m, how, a, b, most, prefix, got, want)
						}
					}
					check("table", table.distance(m, ra, rb, most, prefix))
					if len(ra) > 0 && m != MetricDamerau {
						pattern.compile(ra)
						check("bits", pattern.distance(b, len(rb), most, prefix, m == MetricOSA))
					}
				}
			}
		}
	}
}

// Words of up to 64 runes fill the machine word to its last bit.
func TestLongPatterns(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	var pattern pattern
	for range 60 {
		a := []rune(randomWord(r, "abc", 8) + strings.Repeat("b", 50) + randomWord(r, "abc", 6))
		a = append(a, a...)[:wordBits-r.IntN(3)]
		b := misspelt(r, string(a), "abcd", r.IntN(9))
		pattern.compile(a)
		for _, m := range []Metric{MetricOSA, MetricLevenshtein} {
			if got, want := pattern.distance(b, len([]rune(b)), 99, false, m == MetricOSA), slowDistance(m, string(a), b, false); got != want {
				t.Fatalf("%v of %q, %q: %d, want %d", m, string(a), b, got, want)
			}
		}
	}
}

func BenchmarkDistance(b *testing.B) {
	for _, m := range metrics {
		b.Run(fmt.Sprint(m), func(b *testing.B) {
			for b.Loop() {
				distanceAtMost(m, "accommodation", "acomodation", 2)
			}
		})
	}
}
