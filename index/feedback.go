package index

import (
	"context"
	"errors"
	"time"

	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// Expand returns q with the words that [SearchOptions].Feedback, or rank.RM3 without one, adds to it. An Or then also
// finds what holds only some of them; of what another query matches, which stays the same, they change the order. It costs a
// search and a [Snapshot.TermVector] of each document that is looked at; the latter are quick where
// all text fields are stored. Shards are all asked the same expanded query.
func (s *Snapshot) Expand(ctx context.Context, q query.Query, opt SearchOptions) (query.Query, error) {
	by := opt.Feedback
	if by == nil {
		by = rank.RM3{}
	}
	if opt.Global != nil {
		return nil, &query.Error{Pos: -1, Msg: "Feedback looks at the documents of one index: expand the query once, by Snapshot.Expand, and search all shards with that"}
	}
	first := opt
	first.Feedback, first.Rerank, first.Snippets, first.Facets, first.Sort, first.After = nil, Rerank{}, nil, nil, nil, ""
	first.Fields, first.Offset, first.Limit, first.CountUpTo = nil, 0, max(by.Size(), 1), -1
	res, err := s.Search(ctx, q, first)
	if err != nil {
		return nil, err
	}
	out := q
	err = s.read(func() error {
		p, err := s.planner(ctx, first)
		if err != nil {
			return err
		}
		defer p.Run.Leave()
		out, err = p.Expand(q, by, res.Ranking())
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// fedBack answers a search whose query is expanded.
func (s *Snapshot) fedBack(ctx context.Context, q query.Query, opt SearchOptions) (*Results, error) {
	start := time.Now()
	expanded, err := s.Expand(ctx, q, opt)
	switch {
	case err != nil && opt.Effort.Partial && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		expanded = q
	case err != nil:
		return nil, err
	}
	opt.Feedback = nil
	res, err := s.Search(ctx, expanded, opt)
	if err == nil {
		res.Took = time.Since(start)
	}
	return res, err
}
