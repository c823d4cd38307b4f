package index

import (
	"context"

	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/fault"
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
	root, err := p.Root(q, opt.added())
	if err != nil {
		return ex, false, err
	}
	for i, v := range s.commit.Views {
		doc, err := v.Seg.Find(key)
		if err != nil {
			return ex, false, fault.Damage(v.Name(), err)
		}
		if doc == segment.NoDoc || v.Deleted.Has(doc) {
			continue
		}
		w := root.Open(p.Run, i)
		if matches = w.Advance(doc) == doc; matches {
			ex = exec.Explain(w, doc)
		}
		return ex, matches, p.Run.Done(v)
	}
	return ex, false, nil
}
