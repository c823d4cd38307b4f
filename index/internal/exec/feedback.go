package exec

import (
	"cmp"
	"strings"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// Expand adds words of some documents to a query, which were found by it with the given scores.
func (p *Planner) Expand(q query.Query, by rank.Feedback, hits []rank.Hit) (query.Query, error) {
	p.Needs.CollFreq = true
	var at []FoundDoc
	docs := make([]rank.FeedbackDoc, len(hits))
	for i, h := range hits {
		v, doc, err := commit.Find(p.Commit.Views, h.Key)
		if err != nil {
			return nil, err
		}
		at = append(at, FoundDoc{v, doc})
		docs[i].Score = h.Score
	}
	var fields []schema.Field
	for _, f := range p.Schema {
		if !f.Unnamed() {
			continue
		}
		fields = append(fields, f)
		vectors, err := p.TermVectors(f, at)
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
func (p *Planner) statsOver(fields []schema.Field, term string) (sum rank.Stats, err error) {
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
func (p *Planner) words(q query.Query) (n int) {
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
func (p *Planner) slotsOf(field, text string) int {
	for _, f := range p.Schema {
		if a := p.Analyzers[f.Analyzer]; f.SearchedBy(field) && a != nil {
			return len(analysis.Slots(a, text))
		}
	}
	return len(strings.Fields(text))
}
