package index

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/internal/collect"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/query"
)

// show reads what a search shows of a page of matches: keys, fields, snippets.
func (s *Snapshot) show(p *exec.Planner, page []collect.Found, q query.Query, opt SearchOptions) ([]Hit, error) {
	read := opt.Fields
	for field := range opt.Snippets {
		if !slices.Contains(opt.Fields, field) {
			read = append(slices.Clip(read), field)
		}
	}
	hits, err := s.hits(p.Run, page, read)
	if err != nil || len(opt.Snippets) == 0 {
		return hits, err
	}
	for _, field := range slices.Sorted(maps.Keys(opt.Snippets)) {
		if err := addSnippets(p, hits, q, field, opt.Snippets[field]); err != nil {
			return nil, err
		}
	}
	for _, field := range read[len(opt.Fields):] {
		for _, h := range hits {
			delete(h.Fields, field)
		}
	}
	return hits, nil
}

// addSnippets gives hits their snippets of a field. Of a search that is to answer in part
// the first hits have theirs even after its time, as they have their fields.
func addSnippets(p *exec.Planner, hits []Hit, q query.Query, field string, opt highlight.Options) error {
	t, _ := p.Schema.Find(field)
	analyzer, err := t.AnalyzerIn(p.Analyzers)
	if err != nil {
		return err
	}
	opt.Field, opt.Expander, opt.Typos = field, p.Expander, p.Typos
	of := highlight.For(q, analyzer, opt)
	for i := range hits {
		if p.Run.Ctx.Err() != nil && (!p.Run.Partial || i >= collect.ReadEvery) {
			if p.Run.Partial {
				p.Run.Cut = true
				return nil
			}
			return context.Cause(p.Run.Ctx)
		}
		h := &hits[i]
		if _, ok := h.Fields[field]; !ok {
			continue
		}
		if h.Snippets == nil {
			h.Snippets = map[string]highlight.Snippet{}
		}
		err := fault.Guard("making a snippet", func() error {
			h.Snippets[field] = of.Snippet(h.Text(field))
			return nil
		})
		if panicked, ok := errors.AsType[*fault.PanicError](err); ok { // over this text: the other hits have theirs
			delete(h.Snippets, field)
			p.Warn(query.WarnNoSnippet, field, "document %s has no snippet of %s: %v", strconv.Quote(h.Key), field, panicked.Value)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
