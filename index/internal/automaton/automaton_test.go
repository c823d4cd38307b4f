package automaton

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// sorted is a Dictionary in memory.
type sorted struct {
	terms []string
	next  int
	looks int
}

func (s *sorted) Next() bool {
	s.next++
	s.looks++
	return s.next <= len(s.terms)
}

func (s *sorted) Seek(text []byte) bool {
	i, _ := slices.BinarySearch(s.terms, string(text))
	s.next = i + 1
	s.looks++
	return i < len(s.terms)
}

func (s *sorted) Term() []byte { return []byte(s.terms[s.next-1]) }

// distance is optimal string alignment by its definition.
func distance(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0:
				rows[i][j] = j
			case j == 0:
				rows[i][j] = i
			default:
				cost := 1
				if a[i-1] == b[j-1] {
					cost = 0
				}
				rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
				if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
					rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
				}
			}
		}
	}
	return rows[len(a)][len(b)]
}

// words draws strings over few letters, of which some are no UTF-8.
func words() *rapid.Generator[string] {
	letter := rapid.SampledFrom([]string{"a", "b", "c", "a", "b", "é", "ü", "益", "京", "\xff", "\xe4", "\xe4\xb8", "😀", "z", "\x00"})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(letter, 0, 6).Draw(t, "letters"), "") })
}

func dictionary(t *rapid.T) *sorted {
	terms := rapid.SliceOfN(words(), 0, 200).Draw(t, "terms")
	slices.Sort(terms)
	return &sorted{terms: slices.Compact(terms)}
}

// agree holds that Walk and Match find what want says.
func agree(t *rapid.T, a *Automaton, dict *sorted, want func(string) int) {
	var got []string
	err := a.Walk(dict, func(term []byte, far int) bool {
		got = append(got, string(term))
		if w := want(string(term)); far != w {
			t.Fatalf("%q is %d from the pattern, not %d", term, w, far)
		}
		return true
	})
	var all []string
	for _, s := range dict.terms {
		w := want(s)
		if w >= 0 {
			all = append(all, s)
			has(t, a.Needs(), s)
		}
		if m := a.Match([]byte(s)); m != w {
			t.Fatalf("Match of %q is %d, want %d", s, m, w)
		}
	}
	if err != nil || !slices.Equal(got, all) {
		t.Fatalf("found %q, %v\nwant %q\nof %q", got, err, all, dict.terms)
	}
}

// has holds that a string has what is needed.
func has(t *rapid.T, n Needs, s string) {
	runes := []rune(s)
	for _, any := range n.Runes {
		if !slices.ContainsFunc(runes, func(r rune) bool { return slices.Contains(any, r) }) {
			t.Fatalf("%q has none of %q", s, any)
		}
	}
	if len(runes) < n.Least {
		t.Fatalf("%q has less than %d runes", s, n.Least)
	}
}

func TestFuzzy(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, dist := words().Draw(t, "text"), rapid.IntRange(0, 4).Draw(t, "dist")
		agree(t, Fuzzy(text, dist, 0), dictionary(t), func(s string) int {
			if d := distance([]rune(text), []rune(s)); d <= dist {
				return d
			}
			return -1
		})
	})
	for _, c := range []struct {
		a, b string
		want int
	}{{"ca", "abc", 3}, {"recieve", "receive", 1}, {"страх", "страхов", 2}, {"", "", 0}, {"", "ab", 2}, {"abcd", "badc", 2}} {
		if got := Fuzzy(c.a, 3, 0).Match([]byte(c.b)); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestRegexp(t *testing.T) {
	t.Parallel()
	patterns := []string{"", "a", "a*", ".*", "a.c?", "(a|bc)+", "[^a]*z", "[é-ü]|京", "^ab?$", "(?:^a|b$)+", "\\x00.*", "a{2,3}b", "[a-c]{0,2}益.", "A", ".", "(ab|b)[bc]a+", "[\\x{4e00}-\\x{9fff}]+", "a$b"}
	rapid.Check(t, func(t *rapid.T) {
		pattern, fold := rapid.SampledFrom(patterns).Draw(t, "pattern"), rapid.Bool().Draw(t, "fold")
		a, err := Regexp(pattern, fold)
		if err != nil {
			t.Fatal(err)
		}
		flags := "(?s)"
		if fold {
			flags = "(?si)"
		}
		re := regexp.MustCompile(flags + `\A(?:` + pattern + `)\z`)
		agree(t, a, dictionary(t), func(s string) int {
			if re.MatchString(s) {
				return 0
			}
			return -1
		})
	})
}

func TestWildcard(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		signs := rapid.SampledFrom([]string{"a", "b", "*", "?", "é", "益", "*", `\`, `\*`})
		pattern := strings.Join(rapid.SliceOfN(signs, 0, 5).Draw(t, "pattern"), "")
		a, err := Wildcard(pattern, func(s string) string { return s })
		if err != nil {
			t.Fatal(err)
		}
		agree(t, a, dictionary(t), func(s string) int {
			if glob(Pieces(pattern), []rune(s)) {
				return 0
			}
			return -1
		})
	})
}

func glob(pieces []Piece, s []rune) bool {
	if len(pieces) == 0 {
		return len(s) == 0
	}
	switch p := pieces[0]; p.Op {
	case '*':
		return glob(pieces[1:], s) || len(s) > 0 && glob(pieces, s[1:])
	case '?':
		return len(s) > 0 && glob(pieces[1:], s[1:])
	default:
		text := []rune(p.Text)
		return len(s) >= len(text) && string(s[:len(text)]) == string(text) && glob(pieces[1:], s[len(text):])
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	want := []Piece{{Text: "a*"}, {Op: '?'}, {Text: `b\`}, {Op: '*'}, {Text: `c\`}}
	if got := Pieces(`a\*?b\\*c\`); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What cannot match is leapt over.
func TestLeaps(t *testing.T) {
	t.Parallel()
	dict := &sorted{}
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			for c := 'a'; c <= 'z'; c++ {
				dict.terms = append(dict.terms, string([]rune{a, b, c, 'x', 'y'}))
			}
		}
	}
	n := 0
	if err := Fuzzy("helxy", 1, 0).Walk(dict, func([]byte, int) bool { n++; return true }); err != nil || n != 1+3*25+2 {
		t.Errorf("found %d, %v", n, err)
	}
	if dict.looks > len(dict.terms)/10 {
		t.Errorf("looked %d times at %d strings", dict.looks, len(dict.terms))
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"(", "a{1001}", `\ba`, "[b-a]", strings.Repeat("a{1000}", 300), strings.Repeat("a", 5000), "(((a{100}){100}){10})", "\xff"} {
		if _, err := Regexp(pattern, false); err == nil {
			t.Errorf("%s is accepted", pattern)
		}
	}
	a, err := Regexp("(a|b)*a(a|b){20}", false)
	if err != nil {
		t.Fatal(err)
	}
	dict := &sorted{}
	for i := range 1 << 15 {
		s := []byte("aaaaaaaaaaaaaaaaaaaaaa")
		for bit := range 15 {
			s[bit] += byte(i >> bit & 1)
		}
		dict.terms = append(dict.terms, string(s))
	}
	slices.Sort(dict.terms)
	if err := a.Walk(dict, func([]byte, int) bool { return true }); !errors.Is(err, ErrLarge) {
		t.Errorf("got %v", err)
	}
}

// What patterns need, and whether they begin in many ways.
func TestNeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		fold    bool
		runes   string // the lists, parted by spaces
		least   int
		open    bool
	}{
		{"kz", true, "kK\u212a zZ", 2, false},
		{".*(foo|ba)[xy]{3}z?", false, "xy", 5, true},
		{"[a-z]+tion", false, "t i o n", 5, true},
		{"..ab", false, "a b", 4, false},
		{"a?(b)+", false, "b", 1, false},
		{"()|x", false, "", 0, false},
	} {
		a, err := Regexp(c.pattern, c.fold)
		if err != nil {
			t.Fatal(err)
		}
		var lists []string
		for _, any := range a.Needs().Runes {
			slices.Sort(any)
			lists = append(lists, string(any))
		}
		want := strings.Fields(c.runes)
		for i, s := range want {
			any := []rune(s)
			slices.Sort(any)
			want[i] = string(any)
		}
		if !slices.Equal(lists, want) || a.Needs().Least != c.least || a.Open() != c.open {
			t.Errorf("%s: %q, %d, %v", c.pattern, lists, a.Needs().Least, a.Open())
		}
	}
}
