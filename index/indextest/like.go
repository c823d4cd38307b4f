package indextest

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// telling is a word of the document that others should be like.
type telling struct {
	field index.FieldType
	place int
	term  string
	tf    int
	value float64
}

// like answers a Like.
func (e *evaluation) like(q query.Like) *answer {
	at := slices.IndexFunc(e.docs, func(d document) bool { return d.Key == q.Key })
	var words []telling
	asked := false
	for place, f := range e.schema {
		if !f.Stored || f.Kind == index.StoredOnly || q.Field != f.Name && (q.Field != "" || f.Kind != index.Text || f.NamedOnly) {
			continue
		}
		asked = true
		if at < 0 {
			continue
		}
		for _, t := range e.docs[at].tokens[f.Name] {
			i := slices.IndexFunc(words, func(w telling) bool { return w.place == place && w.term == t.Text })
			if i < 0 {
				i = len(words)
				words = append(words, telling{field: f, place: place, term: t.Text})
			}
			words[i].tf++
		}
	}
	if !asked {
		e.warn(query.WarnUnfitField)
	}
	if at < 0 {
		e.warn(query.WarnNoDocument)
	}
	if !asked || at < 0 {
		return e.nothing()
	}
	a := e.query(query.And{e.most(words, q), query.All{}})
	a.match[at], a.score[at] = false, 0
	return a
}

// most makes a query of the words that tell most.
func (e *evaluation) most(words []telling, q query.Like) (any query.Or) {
	for i, w := range words {
		df := e.stats(w.field, place{terms: []string{w.term}}).DocFreq
		n := float64(len(e.docs))
		if df > 1 {
			words[i].value = float64(w.tf) * math.Log1p((n-float64(df)+0.5)/(float64(df)+0.5))
		}
	}
	slices.SortFunc(words, func(a, b telling) int {
		return cmp.Or(cmp.Compare(b.value, a.value), a.place-b.place, strings.Compare(a.term, b.term))
	})
	for _, w := range words[:min(len(words), cmp.Or(q.Words, 25))] {
		if w.value > 0 {
			weight := cmp.Or(w.field.Weight, 1)
			if q.Field != "" {
				weight = 1
			}
			any = append(any, query.Boost{Query: query.Term{Field: w.field.Name, Text: w.term}, By: weight})
		}
	}
	return any
}
