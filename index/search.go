package index

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/webquarry/quarry/index/internal/collect"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// presetLimit is how many hits are returned when no number is given.
const presetLimit = 10

// Search implements [Searcher]. A page after the first is asked for with Offset
// on the same snapshot: pages never overlap and leave nothing out.
func (s *Snapshot) Search(ctx context.Context, q query.Query, opt SearchOptions) (res *Results, err error) {
	if opt.Feedback != nil {
		return s.fedBack(ctx, q, opt)
	}
	if opt.Rerank.By != nil && opt.Limit >= 0 {
		return s.reranked(ctx, q, opt)
	}
	start := time.Now()
	err = s.read(func() (err error) {
		res, err = s.search(ctx, q, opt, start)
		return err
	})
	if err != nil {
		return nil, err
	}
	return res, nil
}

func (s *Snapshot) search(ctx context.Context, q query.Query, opt SearchOptions, start time.Time) (*Results, error) {
	if err := cmp.Or(checkShown(s.schema, opt.Fields), checkSnippets(s.schema, opt.Snippets)); err != nil {
		return nil, err
	}
	p, err := s.planner(ctx, opt)
	if err != nil {
		return nil, err
	}
	defer p.Run.Leave()
	if ctx.Err() != nil {
		p.Run.Err = context.Cause(ctx)
	}
	if p.Needs.Exhaustive {
		opt.CountUpTo, p.Run.Exhaustive = 0, true
	}
	root, err := p.Root(q, opt.added())
	switch {
	case p.Run.Enough(cmp.Or(err, p.Run.Err)):
		return &Results{Partial: true, Warnings: p.Warnings}, nil
	case err != nil || p.Run.Err != nil:
		return nil, cmp.Or(err, p.Run.Err)
	}
	found, err := collect.Find(p, root, opt.request(q))
	if err != nil {
		return nil, err
	}
	res := &Results{Total: Count{found.Total.Value, found.Total.Exact}}
	if res.Hits, err = s.show(p, found.Page, q, opt); err != nil {
		return nil, err
	}
	for i := range res.Hits {
		if res.Hits[i].Sort, err = found.SortValues(i); err != nil {
			return nil, err
		}
	}
	res.Partial, res.Warnings = p.Run.Cut, p.Warnings
	if n := len(res.Hits); n > 0 {
		if res.Next, err = found.Next(n, res.Hits[n-1].Key); err != nil {
			return nil, err
		}
	}
	if res.Facets, err = found.Counts(); err != nil {
		return nil, err
	}
	res.Took = time.Since(start)
	return res, nil
}

func (s *Snapshot) planner(ctx context.Context, opt SearchOptions) (*exec.Planner, error) {
	schema, err := s.schema.Weighed(opt.Weights)
	if err != nil {
		return nil, err
	}
	spoken, err := s.commit.Speak(s.ix.known, opt.Languages)
	if err != nil {
		return nil, err
	}
	p := exec.NewPlanner(s.commit, exec.Options{
		Ctx:       ctx,
		Fields:    schema,
		Languages: spoken.Languages,
		Analyzers: spoken.Analyzers,
		Known:     s.ix.known,
		Expander:  opt.Expander,
		Typos:     opt.Typos,
		Global:    (*exec.Stats)(opt.Global),
		Counting:  opt.Limit < 0 && !opt.request(nil).Arranged(),
		Terms:     opt.Effort.terms(),
		Threads:   opt.Effort.Threads,
		Partial:   opt.Effort.Partial,
		Filters:   s.ix.opt.KeepFilters,
		Sieves:    &s.ix.sieves,
		Tests:     opt.test,
	})
	p.ScoreBy(s.ix.scoredBy(p, opt.Scorer))
	return p, nil
}

// request is what of the matches of q is wanted.
func (o SearchOptions) request(q query.Query) collect.Request {
	r := collect.Request{Query: q, CountUpTo: o.countUpTo(), After: o.After, Collapse: collect.Collapse{Field: o.Collapse.Field, Keep: o.Collapse.Keep}, Facets: o.Facets, Adds: o.added(), Asked: o.Languages}
	r.Offset, r.Limit = o.page()
	for _, by := range o.Sort {
		r.Sort = append(r.Sort, collect.SortBy{Field: by.Field, Descending: by.Descending, MissingFirst: by.MissingFirst})
	}
	return r
}

// added is what columns add to scores.
func (o SearchOptions) added() []exec.Added {
	out := make([]exec.Added, len(o.Static))
	for i, s := range o.Static {
		out[i] = exec.Added{Field: s.Field, Prior: s.Prior}
	}
	return out
}

// countUpTo is how many matches must be counted; 0: all.
func (o SearchOptions) countUpTo() int {
	if o.CountUpTo < 0 {
		return 1 // the same as none, for a hit is a match
	}
	return o.CountUpTo
}

// page returns how many of the best hits are left out, and how many follow. The sum of
// both does not overflow.
func (o SearchOptions) page() (offset, limit int) {
	offset = max(0, o.Offset)
	switch {
	case o.Limit < 0:
		return offset, 0
	case o.Limit == 0:
		return offset, min(presetLimit, math.MaxInt-offset)
	}
	return offset, min(o.Limit, math.MaxInt-offset)
}

// scoredBy returns the scorer of a search: its own, that of the options that the index
// was opened with, or the one that is kept with the index.
func (ix *Index) scoredBy(p *exec.Planner, own rank.Scorer) rank.Scorer {
	switch kept := p.Commit.Manifest.Scorer; {
	case own != nil:
		return own
	case ix.opt.Scorer != nil:
		return ix.opt.Scorer
	case p.Commit.Scorer != nil:
		return p.Commit.Scorer
	case kept != nil:
		p.Warn(query.WarnNoScorer, "", "the index was made with the scorer %s, which is not kept with it: rank.BM25F ranks unless Options.Scorer is set", kept.Type)
	}
	return rank.BM25F{}
}
