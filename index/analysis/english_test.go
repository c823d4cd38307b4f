package analysis

import (
	"bufio"
	"compress/gzip"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestEnglish(t *testing.T) {
	t.Parallel()
	e := &English{}
	for _, c := range []struct{ text, want string }{
		{"connected connecting CONNECTIONS", "connect connect connect"},
		{"The dog's dogs don't vacuuming", "the dog dog dont vacuum"},
		{"naïve résumés pg_dumping C++ Привет", "naiv resum pg dump c++ привет"},
		{"skies 3rd utf8 a", "sky 3rd utf8 a"},
	} {
		if got := words(e, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// The vocabulary of the Snowball project, with the stems of its own program.
func TestSnowballVocabulary(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/snowball-english.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	s, all := newStemmer(), 0
	for sc := bufio.NewScanner(zr); sc.Scan(); all++ {
		word, want, _ := strings.Cut(sc.Text(), "\t")
		if got := s.stem(word); got != want {
			t.Errorf("the stem of %q is %q, want %q", word, got, want)
		}
	}
	if all != 42_649 {
		t.Errorf("%d words", all)
	}
}

func TestStemmerForgets(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many words")
	}
	s := newStemmer()
	for i := range maxKnown + 100 {
		s.stem(strings.Map(func(r rune) rune { return r - '0' + 'a' }, strconv.Itoa(1_000_000+i)))
	}
	if len(s.known) > maxKnown {
		t.Errorf("knows %d words", len(s.known))
	}
	if got := s.stem("running"); got != "run" {
		t.Errorf("running: %q", got)
	}
}

func TestEnglishConcurrently(t *testing.T) {
	t.Parallel()
	e := &English{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if got := words(e, "running connections"); got != "run connect" {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	wg.Wait()
}

func TestStopWords(t *testing.T) {
	t.Parallel()
	a := NewStopWords(nil, "the", "of", "Été")
	for _, c := range []struct{ text, want string }{
		{"The soup of the day", "soup   day"},
		{"the of THE", ""},
		{"l'été dernier", "dernier"},
	} {
		if got := words(a, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
	e := &English{Words: NewStopWords(nil, EnglishStopWords()...)}
	if got := words(e, "I don't think it's the connections"); got != "think   connect" {
		t.Errorf("got %q", got)
	}
	if n := len(EnglishStopWords()); n != 174 {
		t.Errorf("%d English stop words", n)
	}
}

func TestSlots(t *testing.T) {
	t.Parallel()
	stop := NewStopWords(nil, "the", "of")
	for _, c := range []struct {
		a    Analyzer
		text string
		want string
	}{
		{Standard{}, "", ""},
		{Standard{}, "--", ""},
		{Standard{}, "pg_dump", "0:pg 1:dump"},
		{Standard{}, "張益唐", "0:張益 1:益唐"},
		{Standard{}, "益", "0:益"},
		{Standard{}, "Go語言 益", "0:go 1:語言 3:益"},
		{stop, "the soup of the day", "0:soup 3:day"},
		{stop, "of the", ""},
	} {
		var got []string
		for _, s := range Slots(c.a, c.text) {
			got = append(got, string(rune('0'+s.Pos))+":"+strings.Join(s.Terms, "|"))
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%q: got %q, want %q", c.text, g, c.want)
		}
	}
}
