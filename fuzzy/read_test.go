package fuzzy

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
)

func TestRead(t *testing.T) {
	t.Parallel()
	g, err := Read(strings.NewReader("\ufeffthe 23135851162\r\nof\t12.5\r\n\r\n  naïve  \nnew york 7\nto infinity\n2024\nof 1e1"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"the": 23135851162, "of": 22.5, "naïve": 1, "new york": 7, "to infinity": 1, "2024": 1}
	for word, weight := range want {
		if got, ok := g.Weight(word); got != weight || !ok {
			t.Errorf("Weight(%q) = %v, %v, want %v", word, got, ok, weight)
		}
	}
	if g.Len() != len(want) {
		t.Errorf("%d words, want %d", g.Len(), len(want))
	}
	// Neither mark nor carriage return is part of a word.
	for _, word := range []string{"the", "of"} {
		if m := g.Match(word, 0, -1); len(m) != 1 || m[0].Distance != 0 {
			t.Errorf("Match(%q, 0) = %v", word, m)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	cases := []struct {
		text string
		line int
		says string
	}{
		{"the 1\nof -3\n", 2, `fuzzy: dictionary line 2: "-3" is no weight`},
		{"the 1x", 1, `fuzzy: dictionary line 1: "1x" is no weight`},
		{"the +inf", 1, `fuzzy: dictionary line 1: "+inf" is no weight`},
		{"the 1e999", 1, `fuzzy: dictionary line 1: "1e999" is no weight`},
		{"a\n\xff\xfet\x00h\x00e\x00", 2, "fuzzy: dictionary line 2: not UTF-8"},
		{"a\n" + strings.Repeat("x", maxLine+1), 2, "fuzzy: dictionary line 2: longer than 1048576 bytes"},
	}
	for _, c := range cases {
		_, err := Read(strings.NewReader(c.text))
		if e, ok := errors.AsType[*DictionaryError](err); !ok || e.Line != c.line || err.Error() != c.says {
			t.Errorf("error %v, want %s", err, c.says)
		}
	}
	broken := errors.New("broken pipe")
	if _, err := Read(io.MultiReader(strings.NewReader("a\nb\n"), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("\ufeffthe 23135851162\r\nof\t12.5\r\n\r\n  naïve  \nnew york 7")
	f.Add("the -3")
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, text string) {
		g, err := Read(strings.NewReader(text))
		if err != nil {
			if _, ok := errors.AsType[*DictionaryError](err); !ok {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		for i := range g.Len() {
			word := g.words.word(i)
			if word == "" || strings.TrimSpace(word) != word {
				t.Fatalf("word %q", word)
			}
			if weight, ok := g.Weight(word); !ok || math.IsNaN(weight) || weight < 0 {
				t.Fatalf("Weight(%q) = %v, %v", word, weight, ok)
			}
		}
	})
}
