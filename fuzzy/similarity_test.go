package fuzzy

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// The similarities are those of RapidFuzz.
func TestSimilaritiesOfOthers(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/rapidfuzz.tsv")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"Ratio", "TokenSort", "TokenSet", "Jaro", "JaroWinkler"}
	measures := []func(a, b string) float64{Ratio, TokenSort, TokenSet, Jaro, JaroWinkler}
	n := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for i, measure := range measures {
			want, _ := strconv.ParseFloat(row[2+i], 64)
			if got := measure(row[0], row[1]); math.Abs(got-want) > 1e-5 {
				t.Errorf("%s(%q, %q) = %f, want %f", names[i], row[0], row[1], got, want)
			}
		}
		if want, _ := strconv.Atoi(row[7]); LCS(row[0], row[1]) != want {
			t.Errorf("LCS(%q, %q) = %d, want %d", row[0], row[1], LCS(row[0], row[1]), want)
		}
	}
	if n < 100 {
		t.Errorf("%d rows", n)
	}
}

// slowLCS is the table of the textbooks.
func slowLCS(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1] + 1
			default:
				d[i][j] = max(d[i-1][j], d[i][j-1])
			}
		}
	}
	return d[len(a)][len(b)]
}

func TestLCSEqualsTwin(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 1))
	for range 3000 {
		alphabet := alphabets[r.IntN(len(alphabets))]
		a := randomWord(r, alphabet, 200)
		b := misspelt(r, a, alphabet, r.IntN(60))
		if got, want := LCS(a, b), slowLCS([]rune(a), []rune(b)); got != want {
			t.Fatalf("LCS(%q, %q) = %d, want %d", a, b, got, want)
		}
	}
}

// Of all similarities: 1 for the same, the same both ways, from 0 to 1, whatever
// is compared.
func TestSimilarityLaws(t *testing.T) {
	t.Parallel()
	measures := map[string]func(a, b string) float64{
		"Ratio": Ratio, "Jaro": Jaro, "JaroWinkler": JaroWinkler, "TokenSort": TokenSort, "TokenSet": TokenSet, "Trigrams": Trigrams,
		"OSA": MetricOSA.Similarity, "Levenshtein": MetricLevenshtein.Similarity, "Damerau": MetricDamerau.Similarity,
	}
	r := rand.New(rand.NewPCG(3, 2))
	strange := []string{"", " ", "a", "\xff\xfe", "👩‍👩‍👧‍👦", "e\u0301\u0301", "שלום", "مرحبا", strings.Repeat("a", 300), strings.Repeat("\u0301", 300), "\x00"}
	for range 3000 {
		alphabet := alphabets[r.IntN(len(alphabets))]
		a := randomWord(r, alphabet, 20)
		b := misspelt(r, a, alphabet, r.IntN(20))
		if r.IntN(4) == 0 {
			a, b = strange[r.IntN(len(strange))], strange[r.IntN(len(strange))]
		}
		for name, measure := range measures {
			sim, back, same := measure(a, b), measure(b, a), measure(a, a)
			if name != "Jaro" && name != "JaroWinkler" && math.Abs(sim-back) > 1e-12 || !(sim >= 0 && sim <= 1) {
				t.Fatalf("%s(%q, %q) = %v, and %v the other way", name, a, b, sim, back)
			}
			empty := name == "TokenSet" && strings.TrimSpace(a) == "" || name == "Trigrams" && len(wordGrams(nil, a)) == 0
			if same != 1 && !empty {
				t.Fatalf("%s(%q, %[2]q) = %v", name, a, same)
			}
		}
	}
}

func TestTrigrams(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want float64 // as pg_trgm says
	}{
		{"word", "two words", 4.0 / 11},
		{"cat", "cat", 1},
		{"paper mega", "mega paper", 1},
		{"paper, mega!", "mega-paper", 1},
		{"cat", "dog", 0},
		{"cat", "", 0},
		{"", "", 0},
		{"---", "---", 0},
		{"北京", "北京市", 3.0 / 5},
		{"天气", "北京天气", 3.0 / 7},
	} {
		if got := Trigrams(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Trigrams(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestBetween(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b  string
		runes int
		want  int
	}{
		{"👍🏽👍", "👍👍", 1, 1},
		{"👩‍👩‍👧‍👦!", "!", 7, 1},
		{"cafe\u0301", "cafe", 1, 1},
		{"🇩🇪🇫🇷", "🇫🇷", 2, 1},
		{"각", "가", 1, 1},
		{"", "ab", 2, 2},
	} {
		if got := MetricOSA.Distance(c.a, c.b); got != c.runes {
			t.Errorf("%q, %q: %d runes apart, want %d", c.a, c.b, got, c.runes)
		}
		if got := Between(MetricOSA, Clusters(c.a), Clusters(c.b)); got != c.want {
			t.Errorf("%q, %q: %d clusters apart, want %d", c.a, c.b, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		alphabet := alphabets[r.IntN(len(alphabets))]
		a := randomWord(r, alphabet, 12)
		b := misspelt(r, a, alphabet, r.IntN(5))
		for _, m := range metrics {
			if got, want := Between(m, []rune(a), []rune(b)), slowDistance(m, a, b, false); got != want {
				t.Fatalf("%v: Between(%q, %q) = %d, want %d", m, a, b, got, want)
			}
			if got, want := m.PrefixDistance(a, b), slowDistance(m, a, b, true); got != want {
				t.Fatalf("%v: PrefixDistance(%q, %q) = %d, want %d", m, a, b, got, want)
			}
		}
	}
}

func TestClusters(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"": 0, "abc": 3, "e\u0301a": 2, "👩‍👩‍👧‍👦": 1, "👍🏽": 1, "🇩🇪🇫🇷": 2, "🇩🇪🇫": 2, "\r\n": 1, "\n\u0301": 2, "각": 1, "\u1100\u1161\u11a8": 1,
		"🏴\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F": 1, "a👍": 2, "नि": 1, "\xff\xff": 2, "☀️": 1,
	} {
		got := Clusters(s)
		if len(got) != want || strings.Join(got, "") != s {
			t.Errorf("Clusters(%q) = %q, want %d", s, got, want)
		}
	}
}

// The edits of an alignment cost the distance, lead from a to b, and are told apart.
func TestAlign(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		alphabet := alphabets[r.IntN(len(alphabets))]
		a := randomWord(r, alphabet, 12)
		b := misspelt(r, a, alphabet, r.IntN(5))
		for _, m := range metrics {
			var from, to strings.Builder
			cost, at := 0.0, 0
			for _, e := range m.Align(a, b) {
				if e.At != at || (e.Cost == 0) != (e.Meant == e.Written) {
					t.Fatalf("%v: Align(%q, %q) has %v of cost %v at %d", m, a, b, e, e.Cost, at)
				}
				from.WriteString(e.Meant)
				to.WriteString(e.Written)
				cost += e.Cost
				at += len([]rune(e.Meant))
			}
			if want := slowDistance(m, a, b, false); int(cost) != want || from.String() != a || to.String() != b {
				t.Fatalf("%v: Align(%q, %q) = %v of cost %v, want %d", m, a, b, m.Align(a, b), cost, want)
			}
		}
	}
	if got := MetricOSA.Align("receive", "recieve"); len(got) != 3 || got[1].String() != `"ei"→"ie" at 3` {
		t.Errorf("Align(receive, recieve) = %v", got)
	}
	if got := MetricOSA.Align("", ""); len(got) != 0 {
		t.Errorf("nothing has edits %v", got)
	}
}
