package index

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
)

// show reads what a search shows of a page of matches: keys, fields, snippets.
func (s *Snapshot) show(p *planner, page []found, q query.Query, opt SearchOptions) ([]Hit, error) {
	read := opt.Fields
	for field := range opt.Snippets {
		if !slices.Contains(opt.Fields, field) {
			read = append(slices.Clip(read), field)
		}
	}
	hits, err := s.hits(p.run, page, read)
	if err != nil || len(opt.Snippets) == 0 {
		return hits, err
	}
	for _, field := range slices.Sorted(maps.Keys(opt.Snippets)) {
		if err := p.highlight(hits, q, field, opt.Snippets[field]); err != nil {
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

// highlight gives hits their snippets of a field. Of a search that is to answer in part
// the first hits have theirs even after its time, as they have their fields.
func (p *planner) highlight(hits []Hit, q query.Query, field string, opt highlight.Options) error {
	t, _ := p.schema.Field(field)
	if err := (Schema{t}).checkAnalyzers(p.analyzers); err != nil {
		return err
	}
	opt.Field, opt.Expander, opt.Typos = field, p.expander, p.typos
	of := highlight.For(q, p.analyzers[t.Analyzer], opt)
	for i := range hits {
		if p.run.ctx.Err() != nil && (!p.run.partial || i >= readEvery) {
			if p.run.partial {
				p.run.cut = true
				return nil
			}
			return context.Cause(p.run.ctx)
		}
		h := &hits[i]
		if _, ok := h.Fields[field]; !ok {
			continue
		}
		if h.Snippets == nil {
			h.Snippets = map[string]highlight.Snippet{}
		}
		err := guarded("making a snippet", func() error {
			h.Snippets[field] = of.Snippet(h.Text(field))
			return nil
		})
		if panicked, ok := errors.AsType[*panicError](err); ok { // over this text: the other hits have theirs
			delete(h.Snippets, field)
			p.warn(query.WarnNoSnippet, field, "document %s has no snippet of %s: %v", quoted(h.Key), field, panicked.value)
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}
