package collect

import (
	"math"

	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/rank"
)

// combined gathers a word over several fields. What a [rank.Combiner] makes of a
// sum of frequencies is at most what it makes of each, added up, but for rounding:
// so the fields are summands like words, each rated as if the word stood there
// alone, and a bit more.
func (g *gatherer) combined(w *exec.CombinedIterator, weight float64) formula {
	members := []exec.Iterator{w.Iterator}
	if or, ok := w.Iterator.(*exec.OrIterator); ok {
		members = members[:0]
		for _, m := range or.Members {
			members = append(members, m.Iterator)
		}
	}
	var fields sumFormula
	together := &allFields{most: weight * w.Plan.Score(math.Inf(1)) * (1 + 0x1p-39)}
	for _, m := range members {
		switch m := m.(type) {
		case exec.NoneIterator:
		case *exec.TermIterator:
			s := g.field(m, w.Plan, weight)
			s.fields = together
			fields = append(fields, s)
		default:
			return nil
		}
	}
	return combinedFormula{fields, w.Plan}
}

// field gathers a word in one of its fields.
func (g *gatherer) field(w *exec.TermIterator, plan *exec.CombinedPlan, weight float64) *summand {
	g.nodes++
	frequency, slack := w.Word.Score, plan.Score(math.Inf(1))*0x1p-48
	rated, alone := *w, *w.Word
	alone.Score = rank.Score(func(tf, length uint32) float64 {
		f := frequency(tf, length)
		if f == 0 {
			return 0
		}
		return plan.Score(f)*(1+0x1p-40) + slack
	})
	rated.Word = &alone
	s := g.word(&rated, weight)
	s.score = frequency
	return s
}

// allFields bounds what a word over several fields scores: no more than the fields in
// which it is alone, added up, and no more than the most that it can.
type allFields struct {
	most float64 // not a number: there is no such thing
	sum  float64 // of the fields that were added
}

// add adds the bound of a field, and returns by how much that raises the bound of the
// word.
func (f *allFields) add(bound float64) float64 {
	before := f.sum
	f.sum += bound
	if !(f.sum > f.most) {
		return bound
	}
	return max(f.most-before, 0)
}

// combinedFormula computes the score of a word over its fields.
type combinedFormula struct {
	of   formula // the frequency
	plan *exec.CombinedPlan
}

func (f combinedFormula) value(doc uint32) float64 { return f.plan.Score(f.of.value(doc)) }
