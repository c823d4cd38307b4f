package index

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/webquarry/quarry/rank"
)

// readEvery is how many hits are read between looks at the context. So many are
// read even after the time of a search that is to answer in part, which is quick.
const readEvery = 128

// presetLimit is how many hits are returned when no number is given.
const presetLimit = 10

// Search implements [Searcher]. A page after the first is asked for with Offset
// on the same snapshot: pages never overlap and leave nothing out.
func (s *Snapshot) Search(ctx context.Context, q Query, opt SearchOptions) (res *Results, err error) {
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

func (s *Snapshot) search(ctx context.Context, q Query, opt SearchOptions, start time.Time) (*Results, error) {
	if err := s.schema.checkShown(opt.Fields); err != nil {
		return nil, err
	}
	p := s.planner(ctx, opt)
	defer p.run.leave()
	if ctx.Err() != nil {
		p.run.err = context.Cause(ctx)
	}
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
	all, total, err := s.commit.matches(p.run, root, add(offset, limit), opt.CountUpTo)
	if err != nil {
		return nil, err
	}
	page, err := s.commit.ranked(p.run, all, offset, limit)
	if err != nil {
		return nil, err
	}
	res := &Results{Total: total, Warnings: p.warnings}
	if res.Hits, err = s.hits(p.run, page, opt.Fields); err != nil {
		return nil, err
	}
	res.Partial = p.run.cut
	if n := len(res.Hits); n > 0 && n == limit {
		res.Next = p.nextByScore(q, opt, res.Hits[n-1])
	}
	res.Took = time.Since(start)
	return res, nil
}

func (s *Snapshot) planner(ctx context.Context, opt SearchOptions) *planner {
	p := &planner{
		ix:        s.ix,
		run:       &run{ctx: ctx, span: cmp.Or(opt.test.span, presetSpan), exhaustive: opt.test.exhaustive, work: opt.test.work, shared: &s.commit.shared, limits: limits{partial: opt.Effort.Partial, threads: opt.Effort.Threads}},
		commit:    s.commit,
		schema:    s.schema,
		analyzers: s.ix.known,
		scorer:    opt.Scorer,
		expander:  opt.Expander,
		effort:    opt.Effort,
		numbers:   map[any]int{},
		lists:     map[listKey]int{},
	}
	if p.scorer == nil {
		p.scorer = s.ix.opt.scorer()
	}
	return p
}

// root plans a whole query, and what is added to its scores.
func (p *planner) root(q Query, add []Static) (plan, error) {
	if err := check(q); err != nil {
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
		p.warn("all words of the query were dropped")
		root = nonePlan{}
	}
	return p.static(root, add)
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

// hits reads keys and stored fields.
func (s *Snapshot) hits(r *run, page []found, fields []string) ([]rank.Hit, error) {
	var wanted map[int]string
	for number, f := range s.commit.schema {
		if f.Stored && slices.Contains(fields, f.Name) {
			if wanted == nil {
				wanted = map[int]string{}
			}
			wanted[number] = f.Name
		}
	}
	columns := s.commit.shownColumns(fields)
	hits := make([]rank.Hit, 0, len(page))
	keys, ends := r.space().keys[:0], r.space().ends[:0]
	for i, f := range page {
		if i%readEvery == 0 && r.ctx.Err() != nil {
			if !r.partial {
				return nil, context.Cause(r.ctx)
			}
			if i > 0 {
				r.cut = true
				break
			}
		}
		var err error
		if keys, err = s.commit.appendKey(keys, f); err != nil {
			return nil, err
		}
		ends = append(ends, len(keys))
		h := rank.Hit{Score: f.score}
		if len(wanted) > 0 {
			if h.Fields, err = s.commit.stored(f, wanted); err != nil {
				return nil, err
			}
		}
		if h.Fields, err = columns.add(f, h.Fields); err != nil {
			return nil, err
		}
		hits = append(hits, h)
	}
	r.space().keys, r.space().ends = keys, ends
	all, from := string(keys), 0 // one string for all: it costs less, and hits are mostly dropped together
	for i, end := range ends {
		hits[i].Key, from = all[from:end], end
	}
	return hits, nil
}

// stored reads the wanted fields of a match, by number; several values of one
// are joined by line breaks.
func (c *commit) stored(f found, wanted map[int]string) (map[string]string, error) {
	v := c.views[f.view]
	values, err := v.seg.Values(f.doc, func(field int) bool { return wanted[field] != "" })
	if err != nil {
		return nil, damage(v.name(), err)
	}
	out := make(map[string]string, len(values))
	for _, value := range values {
		out[wanted[value.Field]] = strings.Join(value.Strings, "\n")
	}
	return out, nil
}
