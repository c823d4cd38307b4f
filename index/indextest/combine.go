package indextest

import (
	"cmp"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/rank"
)

// combination is a leaf that is scored once over several fields.
type combination struct {
	by     rank.Combiner
	fields []rank.FieldStats
	asked  []rank.Stats // for each word of the leaf
}

// in notes the statistics of word i in a field, and returns the share of the
// field; nil for further words, since a phrase counts once.
func (c *combination) in(f index.FieldType, i int, s rank.Stats) rank.Score {
	if i == len(c.asked) {
		c.asked = append(c.asked, rank.Stats{Docs: s.Docs})
	}
	c.asked[i].DocFreq = max(c.asked[i].DocFreq, s.DocFreq)
	c.asked[i].CollFreq += s.CollFreq
	for n, field := range c.fields {
		if field.Name == f.Name && i == 0 {
			return c.by.Combine(s, c.fields).Frequency[n]
		}
	}
	return nil
}

// combined scores a leaf over fields.
func (e *evaluation) combined(by rank.Combiner, fields []index.FieldType, in func(index.FieldType) *answer) *answer {
	c := &combination{by: by}
	for _, f := range fields {
		c.fields = append(c.fields, rank.FieldStats{Name: f.Name, Weight: f.Weight, AvgLen: e.stats(f, place{}).AvgLen})
	}
	e.over = c
	defer func() { e.over = nil }()
	sum, asks := e.nothing(), false
	for _, f := range fields {
		a := in(f)
		if a == nil {
			continue
		}
		asks = true
		for i := range e.docs {
			if a.match[i] {
				sum.match[i] = true
				sum.score[i] += a.score[i]
			}
		}
	}
	if !asks {
		return nil
	}
	for i, m := range sum.match {
		frequency := sum.score[i]
		sum.score[i] = 0
		for _, s := range c.asked {
			if m {
				sum.score[i] += by.Combine(s, c.fields).Score(frequency)
			}
		}
	}
	return sum
}

// searched lists the fields of a leaf with their weights; nil: the one that is
// named is not searched.
func (e *evaluation) searched(name string) (fields []index.FieldType) {
	if name != "" {
		f, ok := e.schema.Field(name)
		if !ok || f.Kind == index.StoredOnly {
			e.warnField(ok)
			return nil
		}
		f.Weight = 1
		return []index.FieldType{f}
	}
	fields = []index.FieldType{}
	for _, f := range e.schema {
		if f.Kind == index.Text && !f.NamedOnly {
			f.Weight = cmp.Or(f.Weight, 1)
			fields = append(fields, f)
		}
	}
	return fields
}

// across answers a word by the terms that may stand for it, each over the
// fields in which it does.
func (e *evaluation) across(by rank.Combiner, field, word string) *answer {
	type alternative struct {
		term   string
		weight float64
	}
	var any []alternative
	in := map[alternative][]index.FieldType{}
	fields := e.searched(field)
	if fields == nil {
		return e.nothing()
	}
	for _, f := range fields {
		places := e.places(f, word)
		if len(places) == 0 {
			continue
		}
		if len(places) > 1 || len(places[0].terms) > 1 {
			return e.leaf(field, func(f index.FieldType) []place { return e.places(f, word) }, 0)
		}
		or := []alternative{{places[0].terms[0], 1}}
		for other, weight := range e.expander.Expand(or[0].term) {
			if other != or[0].term {
				or = append(or, alternative{other, weight})
			}
		}
		for _, a := range or {
			if in[a] == nil {
				any = append(any, a)
			}
			in[a] = append(in[a], f)
		}
	}
	if any == nil {
		return nil
	}
	most := 0
	for _, a := range any {
		for _, f := range in[a] {
			most = max(most, e.stats(f, place{terms: []string{a.term}}).DocFreq)
		}
	}
	e.blended = most
	defer func() { e.blended = 0 }()
	best := e.nothing()
	for _, a := range any {
		one := e.combined(by, in[a], func(f index.FieldType) *answer {
			return e.together(f, []place{{terms: []string{a.term}}}, 0)
		})
		best.improve(one, a.weight)
	}
	return best
}
