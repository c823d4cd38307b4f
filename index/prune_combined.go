package index

import (
	"math"

	"github.com/webquarry/quarry/rank"
)

// combined gathers a word over several fields. What a [rank.Combiner] makes of a
// sum of frequencies is at most what it makes of each, added up, but for rounding:
// so the fields are summands like words, each rated as if the word stood there
// alone, and a bit more.
func (g *gatherer) combined(w *combinedWalk, weight float64) formula {
	members := []walk{w.walk}
	if or, ok := w.walk.(*orWalk); ok {
		members = members[:0]
		for _, m := range or.members {
			members = append(members, m.walk)
		}
	}
	var fields sumFormula
	for _, m := range members {
		switch m := m.(type) {
		case noneWalk:
		case *termWalk:
			fields = append(fields, g.field(m, w.plan, weight))
		default:
			return nil
		}
	}
	return combinedFormula{fields, w.plan}
}

// field gathers a word in one of its fields.
func (g *gatherer) field(w *termWalk, plan *combinedPlan, weight float64) *summand {
	g.nodes++
	frequency, slack := w.word.score, plan.score(math.Inf(1))*0x1p-48
	rated, alone := *w, *w.word
	alone.score = rank.Score(func(tf, length uint32) float64 {
		f := frequency(tf, length)
		if f == 0 {
			return 0
		}
		return plan.score(f)*(1+0x1p-40) + slack
	})
	rated.word = &alone
	s := g.word(&rated, weight)
	s.score = frequency
	return s
}

// combinedFormula computes the score of a word over its fields.
type combinedFormula struct {
	of   formula // the frequency
	plan *combinedPlan
}

func (f combinedFormula) value(doc uint32) float64 { return f.plan.score(f.of.value(doc)) }
