package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// Rerank has a second stage score and order the best hits of a search anew. It is for
// formulas that cost too much for every match. What it does not see follows it as it was,
// so that pages leave nothing out and repeat nothing.
type Rerank struct {
	By     rank.Ranker // nil: none
	Depth  int         // how many of the best hits By sees; 0: 100; negative: none
	Fields []string    // the fields of each that By sees, stored ones or columns
	Text   string      // the query that By is told; "": as it prints itself
}

// presetDepth is how many hits a second stage sees when no number is given.
const presetDepth = 100

func (r Rerank) depth() int {
	if r.Depth == 0 {
		return presetDepth
	}
	return max(r.Depth, 0)
}

// checkRerank reports what cannot be reranked.
func (o SearchOptions) checkRerank() error {
	switch {
	case len(o.Sort) > 0:
		return &query.Error{Pos: -1, Msg: "Rerank orders hits by score, and Sort by something else"}
	case o.After != "":
		return &query.Error{Pos: -1, Msg: "After is not for searches with Rerank: pages are asked for with Offset"}
	}
	return nil
}

// reranked answers a search whose best hits a second stage orders.
func (s *Snapshot) reranked(ctx context.Context, q query.Query, opt SearchOptions) (*Results, error) {
	start := time.Now()
	if err := opt.checkRerank(); err != nil {
		return nil, err
	}
	offset, limit := opt.page()
	first := opt
	first.Rerank, first.Snippets = Rerank{}, nil
	first.Offset, first.Limit = 0, max(opt.Rerank.depth(), offset+limit)
	first.Fields = slices.Concat(opt.Fields, opt.Rerank.Fields, slices.Collect(maps.Keys(opt.Snippets)))
	if err := checkSnippets(s.schema, opt.Snippets); err != nil {
		return nil, err
	}
	res, err := s.Search(ctx, q, first)
	if err != nil {
		return nil, err
	}
	best := res.Hits[:min(opt.Rerank.depth(), len(res.Hits))]
	err = fault.Guard("reranking", func() error { return opt.Rerank.rank(ctx, q, best) })
	switch {
	case err != nil && opt.Effort.Partial && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		res.Partial = true
	case err != nil:
		return nil, err
	}
	res.Hits = res.Hits[min(offset, len(res.Hits)):]
	res.Hits = res.Hits[:min(limit, len(res.Hits))]
	res.Next = ""
	if err := s.finish(ctx, q, opt, res); err != nil {
		return nil, err
	}
	res.Took = time.Since(start)
	return res, nil
}

// finish gives hits their snippets, and takes away the fields that only a second stage
// and the snippets were for.
func (s *Snapshot) finish(ctx context.Context, q query.Query, opt SearchOptions, res *Results) error {
	err := s.read(func() error {
		p, err := s.planner(ctx, opt)
		if err != nil {
			return err
		}
		defer p.Run.Leave()
		for _, field := range slices.Sorted(maps.Keys(opt.Snippets)) {
			if err := addSnippets(p, res.Hits, q, field, opt.Snippets[field]); err != nil {
				return err
			}
		}
		res.Partial = res.Partial || p.Run.Cut
		for _, w := range p.Warnings {
			if !slices.Contains(res.Warnings, w) {
				res.Warnings = append(res.Warnings, w)
			}
		}
		return nil
	})
	for _, h := range res.Hits {
		maps.DeleteFunc(h.Fields, func(name string, _ any) bool { return !slices.Contains(opt.Fields, name) })
	}
	return err
}

// rank has hits scored and ordered.
func (r Rerank) rank(ctx context.Context, q query.Query, hits []Hit) error {
	text := r.Text
	if text == "" {
		text = q.String()
	}
	seen := make([]rank.Hit, len(hits))
	byKey := make(map[string]Hit, len(hits))
	for i, h := range hits {
		seen[i] = rank.Hit{Key: h.Key, Score: h.Score, Fields: map[string]any{}}
		for _, name := range r.Fields {
			if v, ok := h.Fields[name]; ok {
				seen[i].Fields[name] = v
			}
		}
		byKey[h.Key] = h
	}
	if err := r.By.Rank(ctx, text, seen); err != nil {
		return err
	}
	ordered := make([]Hit, 0, len(hits))
	for _, h := range seen {
		of, ok := byKey[h.Key]
		if !ok {
			return fmt.Errorf("index: reranking: %T returned hit %s twice, or one that it was not given", r.By, strconv.Quote(h.Key))
		}
		delete(byKey, h.Key)
		of.Score = h.Score
		ordered = append(ordered, of)
	}
	copy(hits, ordered)
	return nil
}
