package suggest_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/webquarry/quarry/index"
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
		{"st", 0, nil},
		{`"pole st`, 10, nil},
		{"site:st", 10, nil},
		{"-st", 10, nil},
		{"st*", 10, nil},
		{"zzz", 10, nil},
	} {
		list, err := s.Complete(t.Context(), test.typed, test.limit)
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
		if got, ok, err := s.DidYouMean(t.Context(), text, 0); err != nil || ok {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func TestDidYouMean(t *testing.T) {
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
		got, ok, err := s.DidYouMean(t.Context(), test.text, test.hits)
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
	if list, err := s.Complete(t.Context(), "com", 5); err != nil || len(list) != 0 {
		t.Fatal(list, err)
	}
	add("comet")
	for { // late by twenty times what reading took
		list, err := s.Complete(t.Context(), "com", 5)
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
				if list, err := s.Complete(t.Context(), "pol", 5); err != nil || len(list) != 1 {
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
	if _, err := bad.Complete(t.Context(), "pol", 5); err == nil {
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
