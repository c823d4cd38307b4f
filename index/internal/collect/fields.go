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
	for _, m := range members {
		switch m := m.(type) {
		case exec.NoneIterator:
		case *exec.TermIterator:
			fields = append(fields, g.field(m, w.Plan, weight))
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

// combinedFormula computes the score of a word over its fields.
type combinedFormula struct {
	of   formula // the frequency
	plan *exec.CombinedPlan
}

func (f combinedFormula) value(doc uint32) float64 { return f.plan.Score(f.of.value(doc)) }
