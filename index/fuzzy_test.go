package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/fuzzy"
	"github.com/webquarry/quarry/index/query"
)

// Fuzzy finds the words of all segments that are near, and Wildcard those that
// match, whether they walk their dictionaries or have sieves of them.
func TestSieves(t *testing.T) {
	t.Parallel()
	ix, err := New(Options{Schema: Schema{{Name: "text", Kind: Keyword}}})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	rnd := rand.New(rand.NewPCG(6, 1))
	word := func() string {
		letters := make([]rune, 1+rnd.IntN(7))
		for i := range letters {
			letters[i] = []rune("abcdeé益1")[min(rnd.IntN(8), rnd.IntN(8))]
		}
		return string(letters)
	}
	words := map[string]string{} // by key
	for range 3 {
		for range 150 {
			key := fmt.Sprint(rnd.IntN(400)) // some come again
			words[key] = word()
			if err := w.Add(t.Context(), Document{Key: key, Fields: []Field{{"text", words[key]}}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sieves := func() (n int) {
		for _, v := range s.commit.Views {
			if f, _ := v.Field("text"); f.Sieve.Made() != nil {
				n++
			}
		}
		return n
	}
	for range 100 {
		text, dist := word(), 1+rnd.IntN(3)
		var q query.Query = query.Fuzzy{Field: "text", Text: text, Distance: dist}
		near := func(word string) bool { return fuzzy.OSA(word, text) <= dist }
		if rnd.IntN(2) == 0 {
			q = query.Wildcard{Field: "text", Pattern: "*" + text + "*"}
			near = func(word string) bool { return strings.Contains(word, text) }
		}
		var want, got []string
		for key, word := range words {
			if near(word) {
				want = append(want, key)
			}
		}
		res, err := s.Search(t.Context(), q, SearchOptions{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range res.Hits {
			got = append(got, h.Key)
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%v: %q, want %q", q, got, want)
		}
	}
	ix.sieves.Wait()
	if n := sieves(); n != len(s.commit.Views) {
		t.Errorf("%d sieves of %d", n, len(s.commit.Views))
	}
	if st, err := s.Stats(); err != nil || st.Sieves < 8*100 || st.Sieves > 9*450 {
		t.Errorf("%d bytes of sieves, %v", st.Sieves, err)
	}
}

// A sieve that is being made when the index or the snapshot is closed ends without
// a trace, and searches of a snapshot that is still open go on.
func TestSievesClosed(t *testing.T) {
	t.Parallel()
	for _, snapshotFirst := range []bool{true, false} {
		ix, err := New(Options{Schema: Schema{{Name: "text", Kind: Keyword}}})
		if err != nil {
			t.Fatal(err)
		}
		w, err := ix.Writer()
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2000 {
			if err := w.Add(t.Context(), Document{Key: fmt.Sprint(i), Fields: []Field{{"text", fmt.Sprint(1e6 + i)}}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		s, err := ix.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		search := func() {
			res, err := s.Search(t.Context(), query.Wildcard{Field: "text", Pattern: "*999"}, SearchOptions{})
			if err != nil || len(res.Hits) != 2 {
				t.Errorf("%d hits, %v", len(res.Hits), err)
			}
		}
		search() // looks at all
		closers := []func() error{s.Close, ix.Close}
		if !snapshotFirst {
			closers = []func() error{ix.Close, func() error { search(); return s.Close() }}
		}
		for _, c := range closers {
			if err := c(); err != nil {
				t.Error(err)
			}
		}
		if s.commit.Retain() {
			t.Error("the commit has users")
		}
	}
}
