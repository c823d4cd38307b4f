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
