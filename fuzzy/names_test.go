package fuzzy

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestNames(t *testing.T) {
	t.Parallel()
	n := NewNames(entriesOf("Mega Paper Ltd", "Paper Mate", "Mega Corp.", "Müller & Söhne GmbH", "Acme International Holdings", "北京大学", "京都", "天气", "Paper Mega Limited"))
	for _, test := range []struct {
		text string
		opt  SimilarOptions
		want string
	}{
		{"paper mega", SimilarOptions{}, "Mega Paper Ltd|Paper Mega Limited|Paper Mate|Mega Corp."},
		{"paper mega", SimilarOptions{Measure: MeasureContained, Threshold: 1}, "Mega Paper Ltd|Paper Mega Limited"},
		{"paper mega", SimilarOptions{Measure: MeasureTokens}, "Mega Paper Ltd|Paper Mega Limited"},
		{"Soehne, Mueller", SimilarOptions{}, "Müller & Söhne GmbH"},
		{"sohne muller", SimilarOptions{Limit: 1}, "Müller & Söhne GmbH"},
		{"acme intl holdings", SimilarOptions{}, "Acme International Holdings"},
		{"大学", SimilarOptions{}, "北京大学"},
		{"京", SimilarOptions{Measure: MeasureContained}, "北京大学|京都"},
		{"天气", SimilarOptions{Threshold: 1}, "天气"},
		{"", SimilarOptions{}, ""},
		{"!!", SimilarOptions{Measure: MeasureTokens}, ""},
		{"---", SimilarOptions{}, ""},
		{"paper", SimilarOptions{Measure: MeasureContained, Filter: func(p uint64) bool { return p == 1 }}, "Paper Mate"},
	} {
		var got []string
		for _, m := range n.Match(test.text, test.opt) {
			got = append(got, m.Text)
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%q, %+v: %q, want %s", test.text, test.opt, got, test.want)
		}
	}
}

// slowSimilar compares with every name.
func slowSimilar(entries map[string]Entry, text string, opt SimilarOptions) []Similar {
	var found []Similar
	key := nameKey(text)
	for _, e := range entries {
		own := nameKey(e.Text)
		var sim float64
		switch opt.Measure {
		case MeasureTrigrams:
			sim = Trigrams(key, own)
		case MeasureContained:
			grams := wordGrams(nil, key)
			if len(grams) == 0 {
				continue
			}
			sim = float64(shared(grams, wordGrams(nil, own))) / float64(len(grams))
		case MeasureTokens:
			if key == "" {
				continue
			}
			sim = TokenSet(key, own)
		}
		if sim >= opt.threshold() && (opt.Filter == nil || opt.Filter(e.Payload)) {
			found = append(found, Similar{e, sim})
		}
	}
	slices.SortFunc(found, func(a, b Similar) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Text, b.Text))
	})
	if opt.Limit > 0 {
		found = found[:min(len(found), opt.Limit)]
	}
	return found
}

// randomName is some words of a small vocabulary, so that names have some in common.
func randomName(r *rand.Rand, alphabet string) string {
	var words []string
	for range 1 + r.IntN(4) {
		if r.IntN(3) == 0 {
			words = append(words, []string{"ltd", "Co.", "und", "北京", "é"}[r.IntN(5)])
		} else {
			words = append(words, randomWord(r, alphabet, 7))
		}
	}
	return strings.Join(words, " ")
}

// Nothing is missed, whatever the measure and the threshold, whatever was added and
// removed. QUARRY_LONG says how many rounds of 56 searches there are.
func TestNamesEqualTwin(t *testing.T) {
	t.Parallel()
	for round := range rounds(t, 60) {
		r := rand.New(rand.NewPCG(round, 8))
		alphabet := alphabets[r.IntN(len(alphabets))]
		n, entries := new(Names), map[string]Entry{}
		for range 8 {
			var list []Entry
			for range r.IntN(30) {
				e := Entry{randomName(r, alphabet), float64(r.IntN(5)), uint64(r.IntN(3))}
				list = append(list, e)
				entries[e.Text] = e
			}
			n.Add(slices.Values(list))
			for name := range entries {
				if r.IntN(10) == 0 {
					if delete(entries, name); !n.Remove(name) {
						t.Fatalf("%q is not there", name)
					}
				}
			}
			if n.Len() != len(entries) || n.Remove("never there") {
				t.Fatalf("%d names, want %d", n.Len(), len(entries))
			}
			for range 7 {
				text := randomName(r, alphabet)
				for name := range entries {
					if r.IntN(3) > 0 {
						text = misspelt(r, name, alphabet, r.IntN(4))
					}
					break
				}
				opt := SimilarOptions{Measure: Measure(r.IntN(3)), Threshold: []float64{0, 0.05, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 1}[r.IntN(9)], Limit: r.IntN(20) - 1}
				if opt.Limit == 0 {
					opt.Limit = 10
				}
				if r.IntN(3) == 0 {
					opt.Filter = func(p uint64) bool { return p > 0 }
				}
				got, want := n.Match(text, opt), slowSimilar(entries, text, opt)
				if !slices.Equal(got, want) {
					t.Fatalf("round %d, %q, %+v:\n got %v\nwant %v", round, text, opt, got, want)
				}
			}
		}
	}
}

// A join finds what comparing all with all finds.
func TestJoinEqualsTwin(t *testing.T) {
	t.Parallel()
	for round := range uint64(20) {
		r := rand.New(rand.NewPCG(round, 9))
		alphabet := alphabets[r.IntN(len(alphabets))]
		lists := [2]map[string]Entry{{}, {}}
		for i := range lists {
			for range 60 {
				e := Entry{Text: randomName(r, alphabet)}
				lists[i][e.Text] = e
			}
		}
		names := [2]*Names{new(Names), new(Names)}
		for i, n := range names {
			for _, e := range lists[i] {
				n.Add(slices.Values([]Entry{e}))
			}
		}
		opt := SimilarOptions{Measure: Measure(r.IntN(3)), Threshold: 0.4 + r.Float64()/2, Limit: -1}
		n := 0
		for e, found := range names[0].Join(names[1], opt) {
			n += len(found)
			if want := slowSimilar(lists[1], e.Text, opt); !slices.Equal(found, want) {
				t.Fatalf("%q joins %v, want %v", e.Text, found, want)
			}
		}
		want := 0
		for name := range lists[0] {
			want += len(slowSimilar(lists[1], name, opt))
		}
		if n != want {
			t.Fatalf("%d pairs, want %d", n, want)
		}
	}
}

// TestNamesSpeed searches and joins made-up company names, as many as QUARRY_NAMES
// says, else 5,000, and tells times.
func TestNamesSpeed(t *testing.T) {
	size := 5000
	if testing.Short() {
		size = 500
	}
	if s := os.Getenv("QUARRY_NAMES"); s != "" {
		size, _ = strconv.Atoi(s)
	}
	r := rand.New(rand.NewPCG(6, 7))
	forms := strings.Fields("Ltd Inc GmbH Co Corp AG SA LLC Group Holdings International")
	words := make([]string, 20_000)
	for i := range words {
		words[i] = randomWord(r, "aeioubcdfglmnprst", 8) + "o"
	}
	zipf := rand.NewZipf(r, 1.2, 30, uint64(len(words)-1))
	var a, b []Entry
	for i := range size {
		var name []string
		for range 1 + r.IntN(3) {
			name = append(name, words[zipf.Uint64()])
		}
		a = append(a, Entry{Text: strings.Join(append(name, forms[r.IntN(len(forms))], strconv.Itoa(i%97)), " ")})
		r.Shuffle(len(name), func(i, j int) { name[i], name[j] = name[j], name[i] })
		b = append(b, Entry{Text: misspelt(r, strings.Join(name, " "), "aeiourst", r.IntN(3))})
	}
	start := time.Now()
	names, others := NewNames(slices.Values(a)), NewNames(slices.Values(b))
	t.Logf("%d and %d names in %v", names.Len(), others.Len(), time.Since(start))
	for measure, threshold := range []float64{0.5, 0.8, 0.9} {
		start, pairs := time.Now(), 0
		for _, found := range others.Join(names, SimilarOptions{Measure: Measure(measure), Threshold: threshold, Limit: -1}) {
			pairs += len(found)
		}
		took := time.Since(start)
		t.Logf("measure %d from %.1f: %d pairs of %.0f in %v, %v a name", measure, threshold, pairs, math.Pow(float64(size), 2), took, took/time.Duration(size))
		if pairs == 0 {
			t.Error("nothing is joined")
		}
	}
}
