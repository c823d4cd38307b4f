package index

import (
	"context"
	"fmt"

	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// Explain tells where the score of the document of a key comes from, and
// whether it matches q at all. The Value of the explanation is the score that
// Search gives, bit for bit, with the same Scorer, Expander, Typos, Weights, Languages, Global,
// Static and Effort.Terms. That of a second stage is not explained. The other options say
// which matches are returned, how they are ordered and what is told of them. They change no
// score, and are not looked at.
func (s *Snapshot) Explain(ctx context.Context, q query.Query, key string, opt SearchOptions) (ex rank.Explanation, matches bool, err error) {
	err = s.read(func() (err error) {
		ex, matches, err = s.explain(ctx, q, key, opt)
		return err
	})
	if err != nil {
		return rank.Explanation{}, false, err
	}
	return ex, matches, nil
}

func (s *Snapshot) explain(ctx context.Context, q query.Query, key string, opt SearchOptions) (ex rank.Explanation, matches bool, err error) {
	p, err := s.planner(ctx, opt)
	if err != nil {
		return ex, false, err
	}
	root, err := p.root(q, opt.Static)
	if err != nil {
		return ex, false, err
	}
	for i, v := range s.commit.views {
		doc, err := v.seg.Find(key)
		if err != nil {
			return ex, false, damage(v.name(), err)
		}
		if doc == segment.NoDoc || v.deleted.Has(doc) {
			continue
		}
		w := root.open(p.run, i)
		if matches = w.advance(doc) == doc; matches {
			ex = explain(w, doc)
		}
		return ex, matches, p.run.done(v)
	}
	return ex, false, nil
}

// explain explains the score of a walk that is at doc.
func explain(w walk, doc uint32) rank.Explanation {
	ex := rank.Explanation{Value: w.score()}
	switch w := w.(type) {
	case *lagging:
		return explain(w.walk, doc)
	case boostWalk:
		ex.Text = fmt.Sprintf("%g times", w.by)
		ex.Parts = []rank.Explanation{explain(w.walk, doc)}
	case constantWalk:
		ex.Text = "always"
	case *combinedWalk:
		return w.explain(doc)
	case *atLeastWalk:
		ex = explain(w.orWalk, doc)
		ex.Text = fmt.Sprintf("at least %d of, the sum", w.need)
	case *staticWalk:
		return w.explain(doc)
	case *andWalk:
		ex.Text = "all of, the sum"
		for _, m := range w.members {
			ex.Parts = append(ex.Parts, explain(m, doc))
		}
	case *bestWalk:
		ex = explain(w.orWalk, doc)
		ex.Value, ex.Text = w.score(), "any of, the best"
	case *orWalk:
		ex.Text = "any of, the sum"
		for _, m := range w.members {
			if m.open && m.at == doc {
				ex.Parts = append(ex.Parts, explain(m, doc))
			}
		}
	case *termWalk:
		return w.word.explain(w.view, doc, w.cursor.TF())
	case *mergedWalk:
		return w.explain(doc)
	case *phraseWalk:
		ex.Text = fmt.Sprintf("a phrase that stands %d times: the sum of its words, each as often", w.freq)
		for _, word := range w.plan.words {
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
