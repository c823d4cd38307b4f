package suggest_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/index/suggest"
)

func open(t testing.TB) (*index.Index, func(texts ...string)) {
	t.Helper()
	ix, err := index.New(index.Options{Schema: index.Schema{{Name: "body", Analyzer: "english"}, {Name: "word", Kind: index.Keyword}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); ix.Close() })
	n := 0
	return ix, func(texts ...string) {
		t.Helper()
		for _, text := range texts {
			n++
			doc := index.Document{Key: fmt.Sprint(n), Fields: []index.Field{{Name: "body", Value: text}, {Name: "word", Value: suggest.Words(text)}}}
			if err := w.Add(t.Context(), doc); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestComplete(t *testing.T) {
	t.Parallel()
	ix, add := open(t)
	add("the pole star", "pole stars and planets", "a star map", "starlings sing", "astronomy of stars")
	s := &suggest.Suggester{Index: ix, Field: "word"}
	for _, test := range []struct {
		typed string
		limit int
		want  []string
	}{
		{"st", 10, []string{"star 2", "stars 2", "starlings 1"}},
		{"st", 2, []string{"star 2", "stars 2"}},
		{"ST", 1, []string{"star 2"}},
		{"pole st", 10, []string{"pole star 2", "pole stars 2"}}, // as it is searched: by stems
		{"+pole +sta", 1, []string{"+pole +star 2"}},
		{"(sta", 1, []string{"(star 2"}},
		{"astrnom", 10, []string{"astronomy 1"}}, // a letter is missing
		{"pole ", 10, nil},
		{"", 10, nil},
		{"st", -1, nil},
		{`"pole st`, 10, nil},
		{"site:st", 10, nil},
		{"-st", 10, nil},
		{"st*", 10, nil},
		{"zzz", 10, nil},
	} {
		list, err := s.Suggest(t.Context(), test.typed, suggest.Options{Limit: test.limit})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range list {
			got = append(got, fmt.Sprint(c.Text, " ", c.Docs))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.typed, got, test.want)
		}
	}
}

// A word is known in each form in which people write it, although a near one is more
// frequent.
func TestNothingToMean(t *testing.T) {
	t.Parallel()
	ix, add := open(t)
	add("le cœur", "cœur", "mon cœur", "la cour", "cour", "une cour", "sa cour", "don't", "a dot", "dot", "dot", "Łódź", "lodge", "می\u200cروم", "O'Reilly", "smørrebrød")
	s := &suggest.Suggester{Index: ix, Field: "word"}
	for _, text := range []string{"cœur", "coeur", "COEUR", "don't", "dont", "don’t", "Łódź", "lodz", "میروم", "ميروم", "O'Reilly", "oreilly", "smorrebrod", "smørrebrød"} {
		if got, ok, err := s.Correct(t.Context(), text, suggest.Options{}); err != nil || ok {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestCorrect(t *testing.T) {
	t.Parallel()
	ix, add := open(t)
	add("the pole star", "pole stars and planets", "a star map")
	s := &suggest.Suggester{Index: ix, Field: "word"}
	for _, test := range []struct {
		text string
		hits int
		want string
	}{
		{"planits", 0, "planets"},
		{"pole planits", 0, "pole planets"},
		{"planits", 6, ""}, // many hits: it was meant
		{"planets", 1, ""},
		{"  ", 0, ""},
		{"qqqq", 0, ""},
	} {
		got, ok, err := s.Correct(t.Context(), test.text, suggest.Options{Hits: test.hits})
		if err != nil || got != test.want || ok != (test.want != "") {
			t.Errorf("%q: %q, %v, %v, want %q", test.text, got, ok, err, test.want)
		}
	}
}

// What is committed is suggested; a field without terms is an error; many may ask.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	ix, add := open(t)
	add("pole")
	s := &suggest.Suggester{Index: ix, Field: "word"}
	if list, err := s.Suggest(t.Context(), "com", suggest.Options{Limit: 5}); err != nil || len(list) != 0 {
		t.Fatal(list, err)
	}
	add("comet")
	for { // late by twenty times what reading took
		list, err := s.Suggest(t.Context(), "com", suggest.Options{Limit: 5})
		if err != nil {
			t.Fatal(err)
		}
		if len(list) == 1 && list[0].Word == "comet" {
			break
		}
	}
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() {
			for range 50 {
				if list, err := s.Suggest(t.Context(), "pol", suggest.Options{Limit: 5}); err != nil || len(list) != 1 {
					t.Error(list, err)
				}
			}
		})
	}
	for i := range 20 {
		add(fmt.Sprint("comet of ", i))
	}
	asking.Wait()
	bad := &suggest.Suggester{Index: ix, Field: "nowhere"}
	if _, err := bad.Suggest(t.Context(), "pol", suggest.Options{}); err == nil {
		t.Error("an unknown field suggests")
	} else if _, ok := errors.AsType[*index.SchemaError](err); !ok {
		t.Errorf("an unknown field: %v", err)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	got := suggest.Words("The Café's cafe, in 2026: C++ x11 straße", "the end")
	if want := []string{"cafe", "end", "strasse", "the"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A titled index has titles and pairs, too.
func titled(t testing.TB) (*suggest.Suggester, *index.Writer, func(key, title, body, host string)) {
	t.Helper()
	ix, err := index.New(index.Options{Schema: index.Schema{
		{Name: "title", Analyzer: "english"}, {Name: "body", Analyzer: "english"}, {Name: "host", Kind: index.Keyword},
		{Name: "word", Kind: index.Keyword}, {Name: "name", Kind: index.Keyword}, {Name: "pair", Kind: index.Keyword},
	}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); ix.Close() })
	return &suggest.Suggester{Index: ix, Field: "word", Titles: "name", Pairs: "pair"}, w, func(key, title, body, host string) {
		t.Helper()
		if err := w.Add(t.Context(), index.Document{Key: key, Fields: []index.Field{
			{Name: "title", Value: title}, {Name: "body", Value: body}, {Name: "host", Value: host},
			{Name: "word", Value: suggest.Written(title, body)}, {Name: "name", Value: title}, {Name: "pair", Value: suggest.Pairs(title, body)},
		}}); err != nil {
			t.Fatal(err)
		}
	}
}

func texts(t *testing.T, s *suggest.Suggester, typed string, opt suggest.Options) (list []string) {
	t.Helper()
	found, err := s.Suggest(t.Context(), typed, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found {
		list = append(list, fmt.Sprint(c.Text, " ", c.Docs, " ", c.Title))
	}
	return list
}

// Titles and words as they are written, corrections that fit, and all of it by filter;
// what is gone is not suggested.
func TestTitles(t *testing.T) {
	t.Parallel()
	s, w, add := titled(t)
	for i := range 40 {
		add(fmt.Sprint("w", i), "Weather forecast", "The weather forecast for Zürich tells whether rain comes", "a")
	}
	for i := range 300 { // other words, of which there are many
		add(fmt.Sprint("f", i), "", fmt.Sprintf("%c%c %[2]c%[1]cx %[1]cy%[2]c abc%[1]c def%[2]c", 'a'+i%17, 'k'+i%11), "c")
	}
	add("1", "Wether sheep", "A wether is a sheep", "b")
	add("2", "Whether or not", "Whether it rains", "b")
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		typed string
		opt   suggest.Options
		want  []string
	}{
		{"wea", suggest.Options{}, []string{"weather 40 false", "wether 1 false", "Weather forecast 40 true", "Wether sheep 1 true"}}, // the second with an error
		{"fore", suggest.Options{}, []string{"forecast 40 false", "for 40 false", "Weather forecast 40 true"}},
		{"weather f", suggest.Options{}, []string{"weather for 40 false", "weather forecast 40 false"}},
		{"zur", suggest.Options{}, []string{"Zürich 40 false"}},
		{"we", suggest.Options{Limit: 1}, []string{"weather 40 false"}},
		{"she", suggest.Options{Filter: query.Term{Field: "host", Text: "a"}}, nil},
		{"she", suggest.Options{Filter: query.Term{Field: "host", Text: "b"}}, []string{"sheep 1 false", "Wether sheep 1 true"}},
		{"wethr sh", suggest.Options{}, []string{"Wether sheep 1 true"}},
		{"", suggest.Options{}, nil},
	} {
		if got := texts(t, s, test.typed, test.opt); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.typed, got, test.want)
		}
	}
	for text, want := range map[string]string{"wether forecast": "weather forecast", "wether sheep": "", "weatherforecast": "weather forecast", "zurch": "Zürich"} {
		if got, _, err := s.Correct(t.Context(), text, suggest.Options{}); err != nil || got != want {
			t.Errorf("%q becomes %q, %v, want %q", text, got, err, want)
		}
	}
	if got, ok, err := s.Correct(t.Context(), "shep", suggest.Options{Filter: query.Term{Field: "host", Text: "a"}}); ok || err != nil {
		t.Errorf("what the filter leaves nothing of is suggested: %q, %v", got, err)
	}
	if err := w.Delete(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	add("3", "Sheepdog", "a dog", "a")
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for start := time.Now(); time.Since(start) < 10*time.Second && !slices.Equal(got, []string{"Sheepdog 1 false"}); { // late by twenty times what reading took
		got = texts(t, s, "sheep", suggest.Options{})
	}
	if !slices.Equal(got, []string{"Sheepdog 1 false"}) {
		t.Errorf("when one is gone and another came: %q", got)
	}
}

func TestPairs(t *testing.T) {
	t.Parallel()
	if got, want := suggest.Pairs("The Café's cafe", "one two one two"), []string{"cafe cafe", "one two", "the cafe", "two one"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := suggest.Written("The Café, café; don't C++ x1 'Müller'"), []string{"Café", "Müller", "The", "café", "don't"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
