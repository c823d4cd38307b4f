package index

import (
	"cmp"
	"context"
	"math"
	"time"

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
	if err := cmp.Or(s.schema.checkShown(opt.Fields), s.schema.checkSnippets(opt.Snippets)); err != nil {
		return nil, err
	}
	p, err := s.planner(ctx, opt)
	if err != nil {
		return nil, err
	}
	defer p.run.leave()
	if ctx.Err() != nil {
		p.run.err = context.Cause(ctx)
	}
	if p.needs.Exhaustive {
		opt.CountUpTo, p.run.exhaustive = 0, true
	}
	p.counting = opt.Limit < 0 && !opt.arranged()
	root, err := p.root(q, opt.Static)
	switch {
	case p.run.enough(cmp.Or(err, p.run.err)):
		return p.nothing(), nil
	case err != nil || p.run.err != nil:
		return nil, cmp.Or(err, p.run.err)
	}
	if opt.arranged() {
		return s.arrange(p, root, q, opt, start)
	}
	offset, limit := opt.page()
	if p.run.after, err = p.readAfter(q, opt); err != nil {
		return nil, err
	}
	all, total, err := s.commit.matches(p.run, root, add(offset, limit), opt.countUpTo())
	if err != nil {
		return nil, err
	}
	page, err := s.commit.ranked(p.run, all, offset, limit)
	if err != nil {
		return nil, err
	}
	res := &Results{Total: total}
	if res.Hits, err = s.show(p, page, q, opt); err != nil {
		return nil, err
	}
	res.Partial, res.Warnings = p.run.cut, p.warnings
	if n := len(res.Hits); n > 0 && n == limit {
		res.Next = p.nextByScore(q, opt, res.Hits[n-1])
	}
	res.Took = time.Since(start)
	return res, nil
}

func (s *Snapshot) planner(ctx context.Context, opt SearchOptions) (*planner, error) {
	schema, err := s.schema.weighed(opt.Weights)
	if err != nil {
		return nil, err
	}
	spoken, err := s.commit.speak(s.ix.known, opt.Languages)
	if err != nil {
		return nil, err
	}
	p := &planner{
		ix:        s.ix,
		run:       &run{ctx: ctx, span: cmp.Or(opt.test.span, presetSpan), exhaustive: opt.test.exhaustive, work: opt.test.work, shared: &s.commit.shared, limits: limits{partial: opt.Effort.Partial, threads: opt.Effort.Threads}},
		commit:    s.commit,
		schema:    schema,
		languages: spoken.languages,
		analyzers: spoken.analyzers,
		expander:  opt.Expander,
		typos:     opt.Typos,
		global:    opt.Global,
		effort:    opt.Effort,
		numbers:   map[any]int{},
		lists:     map[listKey]int{},
	}
	p.scorer = p.scoredBy(opt.Scorer)
	p.needs = rank.NeedsOf(p.scorer)
	return p, nil
}

// root plans a whole query, and what is added to its scores.
func (p *planner) root(q query.Query, add []Static) (plan, error) {
	if err := query.Check(q); err != nil {
		return nil, err
	}
	var root plan
	err := guarded("planning a query", func() (err error) {
		root, err = p.plan(q)
		return err
	})
	if err != nil {
		return nil, err
	}
	if root == nil {
		p.warn(query.WarnNoWords, "", "all words of the query were dropped")
		root = nonePlan{}
	}
	return p.static(root, add)
}

// countUpTo is how many matches must be counted; 0: all.
func (o SearchOptions) countUpTo() int {
	if o.CountUpTo < 0 {
		return 1 // the same as none, for a hit is a match
	}
	return o.CountUpTo
}

// page returns how many of the best hits are left out, and how many follow.
func (o SearchOptions) page() (offset, limit int) {
	offset = max(0, o.Offset)
	switch {
	case o.Limit < 0:
		return offset, 0
	case o.Limit == 0:
		return offset, presetLimit
	}
	return offset, o.Limit
}

// add adds without overflow.
func add(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
