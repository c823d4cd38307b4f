package index

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/webquarry/quarry/index/analysis"
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
		defer p.run.leave()
		p.needs.CollFreq = true
		out, err = p.expand(q, by, res.Hits)
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

// expand adds words of some hits to a query.
func (p *planner) expand(q query.Query, by rank.Feedback, hits []Hit) (query.Query, error) {
	var at []foundDoc
	docs := make([]rank.FeedbackDoc, len(hits))
	for i, h := range hits {
		v, doc, err := p.commit.find(h.Key)
		if err != nil {
			return nil, err
		}
		at = append(at, foundDoc{v, doc})
		docs[i].Score = h.Score
	}
	var fields []FieldType
	for _, f := range p.schema {
		if !f.unnamed() {
			continue
		}
		fields = append(fields, f)
		vectors, err := p.termVectors(f, at)
		if err != nil {
			return nil, err
		}
		for i, terms := range vectors {
			docs[i].Terms = addCounts(docs[i].Terms, terms)
		}
	}
	var failed error
	words, keeps := by.Expand(docs, func(word string) rank.Stats {
		stats, err := p.statsOver(fields, word)
		failed = cmp.Or(failed, err)
		return stats
	})
	if failed != nil || len(words) == 0 {
		return q, failed
	}
	more := make(query.Or, 0, len(words)+1)
	asked := float64(max(p.words(q), 1))
	for _, w := range words {
		more = append(more, query.Boost{Query: query.Term{Text: w.Word}, By: (1 - keeps) * asked * w.Weight})
	}
	if or, ok := q.(query.Or); ok {
		return append(query.Or{query.Boost{Query: or, By: keeps}}, more...), nil
	}
	return query.And{query.Boost{Query: q, By: keeps}, append(query.Or{query.All{}}, more...)}, nil
}

// statsOver are the statistics of a term over fields.
func (p *planner) statsOver(fields []FieldType, term string) (sum rank.Stats, err error) {
	sum.Docs = p.docs()
	for _, t := range fields {
		f, err := p.field(t)
		if err != nil {
			return sum, err
		}
		w, err := p.exact(f, []string{term})
		if err != nil {
			return sum, err
		}
		sum.DocFreq = max(sum.DocFreq, w.stats.DocFreq)
		sum.CollFreq += w.stats.CollFreq
		sum.AvgLen += f.avgLen
	}
	return sum, nil
}

// words counts the words of a query that score.
func (p *planner) words(q query.Query) (n int) {
	switch q := q.(type) {
	case query.Constant, query.Not:
		return 0
	case query.Match:
		return p.slotsOf(q.Field, q.Text)
	case query.Phrase:
		return p.slotsOf(q.Field, q.Text)
	case query.Boost:
		if q.By == 0 {
			return 0
		}
	}
	_, members := query.Split(q)
	for _, m := range members {
		n += p.words(m)
	}
	if members == nil && q != query.Query(query.All{}) && q != query.Query(query.None{}) {
		return 1
	}
	return n
}

// slotsOf counts the words of a text, as the first field that it is searched in has them.
func (p *planner) slotsOf(field, text string) int {
	for _, f := range p.schema {
		if a := p.analyzers[f.Analyzer]; f.searchedBy(field) && a != nil {
			return len(analysis.Slots(a, text))
		}
	}
	return len(strings.Fields(text))
}
