package fuzzy

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func allCosts() map[string]*Costs {
	return map[string]*Costs{"English": EnglishCosts(), "typing": TypingCosts(), "scanning": ScanningCosts(), "none": NewCosts(EditCosts{}, nil)}
}

func TestCosts(t *testing.T) {
	t.Parallel()
	for name, pairs := range map[string][][4]string{
		// Written for the first, the second is likelier than the fourth for the third.
		"English": {
			{"receive", "recieve", "receive", "receuve"}, {"accommodation", "acomodation", "accommodation", "accomotation"},
			{"separate", "seperate", "separate", "sepxrate"}, {"their", "thier", "their", "ther"}, {"phone", "fone", "phone", "vone"},
		},
		"typing":   {{"letter", "leter", "letter", "lettr"}, {"form", "from", "form", "farm"}, {"cat", "cst", "cat", "cmt"}, {"cat", "cot", "cat", "bat"}},
		"scanning": {{"modern", "modem", "modern", "moden"}, {"clear", "dear", "clear", "lear"}, {"bill", "bi11", "bill", "bibl"}, {"burn", "bum", "burn", "bun"}},
	} {
		c := allCosts()[name]
		for _, p := range pairs {
			if near, far := c.Distance(p[0], p[1]), c.Distance(p[2], p[3]); near >= far {
				t.Errorf("%s: %q for %q costs %.2f, %q for %q %.2f", name, p[1], p[0], near, p[3], p[2], far)
			}
		}
	}
	c := NewCosts(EditCosts{Insert: 1, Delete: 2, Replace: 2.5, Swap: 1.5, Double: 0.5, First: 1}, []CostRule{{"^kn", "^n", 0.25}, {"ph", "f", 0.5}, {"", "x", 0}, {"x", "", 0}, {"e$", "$", 0.75}, {"toolongs", "x", 0}})
	for _, test := range []struct {
		meant, written string
		want           float64
	}{
		{"", "", 0}, {"a", "a", 0}, {"abc", "abxc", 1}, {"abc", "ac", 2}, {"abc", "axc", 2.5}, {"abc", "acb", 1.5}, {"abbc", "abc", 0.5}, {"abc", "abbc", 0.5},
		{"abc", "xbc", 3.5}, {"abc", "bc", 3}, {"abc", "xabc", 2}, {"knee", "nee", 0.25}, {"phone", "fone", 0.5}, {"here", "her", 0.75}, {"ab", "ba", 1.5},
	} {
		if got := c.Distance(test.meant, test.written); math.Abs(got-test.want) > 1e-6 {
			t.Errorf("Distance(%q, %q) = %v, want %v", test.meant, test.written, got, test.want)
		}
	}
	if n := len(c.Rules()); n != 3 {
		t.Errorf("%d rules, want 3: a rule has 1 to 6 characters on each side", n)
	}
}

// Whatever is compared: what is equal costs nothing, the bounded distance is the
// same, edits add up and lead from one string to the other.
func TestCostLaws(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 1))
	for range 2000 {
		alphabet := alphabets[r.IntN(len(alphabets))]
		a := randomWord(r, alphabet, 12)
		b := misspelt(r, a, alphabet, r.IntN(5))
		for name, c := range allCosts() {
			d := c.Distance(a, b)
			if same := c.Distance(a, a); same != 0 || d < 0 || d >= unreachable {
				t.Fatalf("%s: Distance(%q, %q) = %v, and %v for the same", name, a, b, d, same)
			}
			if got, ok := c.DistanceAtMost(a, b, d); !ok || got != d {
				t.Fatalf("%s: DistanceAtMost(%q, %q, %v) = %v, %v", name, a, b, d, got, ok)
			}
			if got, ok := c.DistanceAtMost(a, b, d/2-0.01); ok {
				t.Fatalf("%s: DistanceAtMost(%q, %q, %v) = %v", name, a, b, d/2, got)
			}
			if sim := c.Similarity(a, b); !(sim >= 0 && sim <= 1) || sim == 1 && d > 0 {
				t.Fatalf("%s: Similarity(%q, %q) = %v at a distance of %v", name, a, b, sim, d)
			}
			var from, to strings.Builder
			sum := 0.0
			for _, e := range c.Align(a, b) {
				from.WriteString(e.Meant)
				to.WriteString(e.Written)
				sum += e.Cost
			}
			if math.Abs(sum-d) > 1e-3 || from.String() != string([]rune(a)) || to.String() != string([]rune(b)) {
				t.Fatalf("%s: Align(%q, %q) = %v of cost %v, want %v", name, a, b, c.Align(a, b), sum, d)
			}
		}
	}
}

func TestLearnCosts(t *testing.T) {
	t.Parallel()
	pairs := [][2]string{
		{"phone", "fone"}, {"photo", "foto"}, {"phase", "fase"}, {"graph", "graf"}, {"phrase", "frase"}, // f for ph
		{"letter", "leter"}, {"bottle", "botle"}, {"attic", "atic"}, {"mutter", "muter"},
		{"same", "same"}, {"far", "off"}, // teach nothing
	}
	learn := func() *Costs {
		return LearnCosts(func(yield func(meant, written string) bool) {
			for _, p := range pairs {
				if !yield(p[0], p[1]) {
					return
				}
			}
		})
	}
	c := learn()
	if heard, other := c.Distance("phoenix", "foenix"), c.Distance("phoenix", "goenix"); heard >= other/2 {
		t.Errorf("f for ph costs %v, g for ph %v", heard, other)
	}
	if once, other := c.Distance("cottage", "cotage"), c.Distance("cabbage", "cabage"); once >= other {
		t.Errorf("t for tt costs %v, b for bb %v", once, other)
	}
	var text, again bytes.Buffer
	if _, err := c.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	learn().WriteTo(&again)
	if !bytes.Equal(text.Bytes(), again.Bytes()) {
		t.Error("learning twice gives two results")
	}
	read, err := ReadCosts(&text)
	if err != nil || len(read.Rules()) != len(c.Rules()) || read.Plain() != c.Plain() {
		t.Errorf("%d rules are read of %d, %v", len(read.Rules()), len(c.Rules()), err)
	}
	if none := LearnCosts(func(func(a, b string) bool) {}); none.Distance("a", "b") <= 0 {
		t.Error("without pairs nothing is an error")
	}
}

func TestReadCostsRefuses(t *testing.T) {
	t.Parallel()
	for text, line := range map[string]int{
		"a\tb\tx": 1, "insert\t1\n\na\tb\t-1": 3, "a\tb": 1, "nothing\t1": 1, "a\tb\tc\t1": 1, "a\t\t1": 1, "abcdefg\ta\t1": 1, "a\tb\tNaN": 1, "a\tb\tInf": 1,
		strings.Repeat("x", 1<<17): 1, "\xff\ta\t1": 1, "1": 1,
	} {
		_, err := ReadCosts(strings.NewReader(text))
		if e, ok := errors.AsType[*CostsError](err); !ok || e.Line != line {
			t.Errorf("%.20q: %v, want an error in line %d", text, err, line)
		}
	}
}

func TestEnglishSound(t *testing.T) {
	t.Parallel()
	for _, alike := range [][]string{
		{"phone", "fone", "PHONE"}, {"enough", "enuff"}, {"knife", "nife"}, {"night", "nite"}, {"right", "write", "rite"}, {"science", "sience"}, {"wrong", "rong"},
		{"psychology", "sycology"}, {"chrome", "krome"}, {"school", "skool"}, {"accommodation", "acomodation"}, {"rhythm", "rithm"},
		{"listen", "lisen"}, {"edge", "ej"}, {"nation", "nashun"}, {"church", "cherch"}, {"laugh", "laff"}, {"sign", "sine"}, {"lamb", "lam"},
	} {
		for _, word := range alike {
			if got, want := EnglishSound(word), EnglishSound(alike[0]); got != want {
				t.Errorf("%q sounds like %q, %q like %q", word, got, alike[0], want)
			}
		}
	}
	for _, pair := range [][2]string{{"cat", "sat"}, {"thin", "tin"}, {"ship", "sip"}, {"jam", "gum"}} {
		if EnglishSound(pair[0]) == EnglishSound(pair[1]) {
			t.Errorf("%q sounds like %q", pair[0], pair[1])
		}
	}
	for _, silent := range []string{"", "йога", "北京", "123", "\xff"} {
		if got := EnglishSound(silent); got != "" {
			t.Errorf("%q sounds like %q", silent, got)
		}
	}
}

// Sounds has each word under its key, and no other.
func TestSounds(t *testing.T) {
	t.Parallel()
	words := New(seq("phone", "fone", "fan", "knife", "йога", "night", "nite"))
	s := NewSounds(words, EnglishSound)
	total := 0
	for i := range s.keys.Len() {
		for _, w := range s.of(i) {
			total++
			if got, want := EnglishSound(words.words.word(int(w))), s.keys.words.word(i); got != want {
				t.Errorf("%q is under %q", words.words.word(int(w)), want)
			}
		}
	}
	if total != 6 {
		t.Errorf("%d words have sounds, want 6", total)
	}
}

func TestPairs(t *testing.T) {
	t.Parallel()
	counts := map[[2]string]int{}
	r := rand.New(rand.NewPCG(4, 2))
	for range 5000 {
		counts[[2]string{randomWord(r, "abcé", 4), randomWord(r, "abcé", 4)}] += 1 + r.IntN(5)
	}
	next := map[string]float64{}
	p := NewPairs(func(yield func([2]string, int) bool) {
		for pair, n := range counts {
			if !yield(pair, n) {
				return
			}
		}
	})
	for pair, n := range counts {
		next[pair[0]] += float64(n)
		if got := p.Count(pair[0], pair[1]); pair[1] != "" && got != float64(n) {
			t.Fatalf("Count(%q) = %v, want %d", pair, got, n)
		}
	}
	for word, n := range next {
		if got := p.Next(word); got < n {
			t.Fatalf("Next(%q) = %v, want %v", word, got, n)
		}
	}
	if p.Count("x", "y") != 0 || p.Next("x") != 0 || (*Pairs)(nil).Count("a", "b") != 0 {
		t.Error("what never happened is counted")
	}
}

// Words written together, apart, and such that do not fit.
func TestCorrectPassages(t *testing.T) {
	t.Parallel()
	docs := map[string]int{"word": 900, "split": 300, "ice": 200, "cream": 150, "the": 6000, "quick": 100, "brown": 120, "weather": 300, "wether": 3, "whether": 900, "forecast": 80,
		"data": 900, "database": 700, "base": 300, "a": 5000, "lot": 500, "allot": 2, "computer": 800, "of": 5900, "i": 3000, "to": 5000, "in": 5000, "into": 2000}
	words := New(func(yield func(string, int) bool) {
		for w, n := range docs {
			if !yield(w, n) {
				return
			}
		}
	})
	plain := English(words)
	context := plain
	context.Pairs = NewPairs(func(yield func([2]string, int) bool) {
		_ = yield([2]string{"weather", "forecast"}, 60) && yield([2]string{"ice", "cream"}, 90) && yield([2]string{"whether", "to"}, 90) && yield([2]string{"the", "weather"}, 100) && yield([2]string{"in", "to"}, 50)
	})
	for _, test := range []struct {
		speller     Speller
		query, want string
	}{
		{plain, "wordsplit", "word split"}, {plain, "icecream", "ice cream"}, {plain, "thequickbrown", "the quick brown"}, {plain, "alot", "a lot"},
		{plain, "compu ter", "computer"}, {plain, "wether forecast", ""}, {plain, "data base", ""}, {plain, "in to", ""},
		{context, "wether forecast", "weather forecast"}, {context, "the wether", "the weather"}, {context, "whether to", ""}, {context, "icecream", "ice cream"},
		{context, "ice cream", ""}, {context, `"icecream"`, ""}, {context, "title:icecream wether-forecast", "title:icecream weather-forecast"},
		{context, "Weather Forecats, quikc", "Weather forecast, quick"}, {context, "compu ter (of a lot)", "computer (of a lot)"},
	} {
		got, ok := test.speller.Correct(test.query, nil)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("with pairs %v: Correct(%q) = %q, want %q", test.speller.Pairs != nil, test.query, got, test.want)
		}
	}
	written := plain
	written.Written = func(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
	if got, _ := written.Correct("quikc BROWN", nil); got != "Quick BROWN" {
		t.Errorf("got %q", got)
	}
}

// Odd words: no panic, and time in proportion to their length.
func TestOddWords(t *testing.T) {
	t.Parallel()
	s := English(vocabulary())
	s.Pairs = NewPairs(func(yield func([2]string, int) bool) { yield([2]string{"python", "tutorial"}, 9) })
	for _, word := range []string{"", "a", "\xff\xfe", "\x00", "👩‍👩‍👧‍👦", "e\u0301\u0301\u0301", "שלום", "مرحبا", "字", "字典", strings.Repeat("a", 300), strings.Repeat("ab", 50_000), strings.Repeat("\u0301", 300), strings.Repeat("字", 300), strings.Repeat("pyhton ", 2000)} {
		s.Suggest(word, 5)
		s.Correct(word, nil)
		EnglishSound(word)
		if n := len(word); n < 2000 {
			EnglishCosts().Align(word, word[n/2:])
			Ratio(word, word+word)
			MetricDamerau.Align(word, word[:n/2])
		}
	}
}

func TestBest(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 3))
	for range 500 {
		list := make([]int, 2+r.IntN(50))
		for i := range list {
			list[i] = r.IntN(30)
		}
		n := 1 + r.IntN(len(list)-1)
		want := slices.Sorted(slices.Values(list))[:n]
		if got := best(list, n, func(a, b int) int { return a - b }); !slices.Equal(got, want) {
			t.Fatalf("best %d = %v, want %v", n, got, want)
		}
	}
}

// Sounds of another dictionary have other numbers of words, and do not count.
func TestSoundsOfAnotherDictionary(t *testing.T) {
	t.Parallel()
	sounds := NewSounds(New(seq("receive", "recipe", "phone", "fone", "foto", "photo", "phase")), EnglishSound)
	words := New(seq("fone", "rare"))
	for _, typed := range []string{"foen", "fase", "phon", "rair"} {
		got, want := Speller{Words: words, Sounds: sounds}.Suggest(typed, -1), Speller{Words: words}.Suggest(typed, -1)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", typed, got, want)
		}
	}
}
