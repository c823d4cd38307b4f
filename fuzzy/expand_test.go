package fuzzy

import (
	"iter"
	"testing"
)

// expander is what an index asks for.
type expander interface {
	Expand(term string) iter.Seq2[string, float64]
}

var _ expander = Expansion{}

func TestExpand(t *testing.T) {
	t.Parallel()
	g := New(seq("receive", "relieve", "deceive", "cat"))
	collect := func(e Expansion, term string) map[string]float64 {
		words := map[string]float64{}
		for word, weight := range e.Expand(term) {
			words[word] = weight
		}
		return words
	}
	near := collect(Expansion{Matcher: g}, "recieve")
	if len(near) != 3 || near["receive"] != 0.5 || near["relieve"] != 0.5 || near["deceive"] != 1./3 {
		t.Errorf("recieve becomes %v", near)
	}
	if same := collect(Expansion{Matcher: g}, "receive"); same["receive"] != 1 || len(same) != 3 {
		t.Errorf("receive becomes %v", same)
	}
	if one := collect(Expansion{Matcher: g, Limit: 1}, "recieve"); len(one) != 1 || one["receive"] != 0.5 {
		t.Errorf("with a limit of 1 recieve becomes %v", one)
	}
	exact := Expansion{Matcher: g, Distance: func(string) int { return 0 }}
	if none := collect(exact, "recieve"); len(none) != 0 {
		t.Errorf("without edits recieve becomes %v", none)
	}
	if none := collect(Expansion{}, "recieve"); len(none) != 0 {
		t.Errorf("without words recieve becomes %v", none)
	}
	for range (Expansion{Matcher: g}).Expand("recieve") {
		break // a consumer may stop
	}
}

func TestSpellerExpand(t *testing.T) {
	t.Parallel()
	s := English(vocabulary())
	collect := func(term string) (words []string, by []float64) {
		for w, b := range s.Expand(term) {
			words, by = append(words, w), append(by, b)
		}
		return words, by
	}
	if words, by := collect("form"); len(words) != 1 || words[0] != "form" || by[0] != 1 {
		t.Errorf("a known word becomes %q, %v", words, by)
	}
	words, by := collect("databse")
	if len(words) == 0 || words[0] != "database" || by[0] != 1 {
		t.Errorf("databse becomes %q, %v", words, by)
	}
	for i := range by[1:] {
		if by[i+1] > by[i] || by[i+1] < 1.0/farBehind {
			t.Errorf("%q count %v", words, by)
		}
	}
	for _, term := range []string{"", "qqqqqqqq", "\xff"} {
		if words, _ := collect(term); len(words) > 0 {
			t.Errorf("%q becomes %q", term, words)
		}
	}
	for range s.Expand("databse") {
		break // stops when asked to
	}
	for range (Speller{}).Expand("databse") {
		t.Error("without words there is one")
	}
}
