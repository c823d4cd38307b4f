package exec

import (
	"fmt"

	"github.com/webquarry/quarry/rank"
)

// Explain explains the score of an iterator that is at doc.
func Explain(w Iterator, doc uint32) rank.Explanation {
	ex := rank.Explanation{Value: w.Score()}
	switch w := w.(type) {
	case *Lagging:
		return Explain(w.Iterator, doc)
	case BoostIterator:
		ex.Text = fmt.Sprintf("%g times", w.By)
		ex.Parts = []rank.Explanation{Explain(w.Iterator, doc)}
	case ConstantIterator:
		ex.Text = "always"
	case *CombinedIterator:
		return w.explain(doc)
	case *atLeastIterator:
		ex = Explain(w.OrIterator, doc)
		ex.Text = fmt.Sprintf("at least %d of, the sum", w.need)
	case *StaticIterator:
		return w.explain(doc)
	case *nearestIterator:
		ex.Text = w.text
	case *AndIterator:
		ex.Text = "all of, the sum"
		for _, m := range w.Members {
			ex.Parts = append(ex.Parts, Explain(m, doc))
		}
	case *bestIterator:
		ex = Explain(w.OrIterator, doc)
		ex.Value, ex.Text = w.Score(), "any of, the best"
	case *OrIterator:
		ex.Text = "any of, the sum"
		for _, m := range w.Members {
			if m.Open && m.At == doc {
				ex.Parts = append(ex.Parts, Explain(m, doc))
			}
		}
	case *TermIterator:
		return w.Word.explain(w.view, doc, w.Cursor.TF())
	case *mergedIterator:
		return w.explain(doc)
	case *PhraseIterator:
		ex.Text = fmt.Sprintf("a phrase that stands %d times: the sum of its words, each as often", w.freq)
		for _, word := range w.Plan.Words {
			ex.Parts = append(ex.Parts, word.explain(w.view, doc, w.freq))
		}
	default:
		ex.Text = "matches, and does not score"
	}
	return ex
}

func (w *word) explain(view int, doc, tf uint32) rank.Explanation {
	ex := rank.Explanation{Value: w.scoreOf(view, doc, tf)}
	if m, ok := w.scorer.(rank.DocScorer); ok && w.byDoc != nil {
		ex = m.ExplainDoc(w.stats, tf, w.field.docStats(view, doc))
	} else if e, ok := w.scorer.(rank.Explainer); ok {
		ex = e.Explain(w.stats, tf, w.field.lengths[view].At(doc))
	}
	ex.Text = fmt.Sprintf("%s:%s, %s", w.field.Name, w.text, ex.Text)
	return ex
}
