package index

import (
	"cmp"
	"slices"

	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// presetLikeWords is how many words a Like takes when no number is given.
const presetLikeWords = 25

// telling is a word of the document that others should be like.
type telling struct {
	field FieldType
	place int // of the field
	term  string
	tf    int
	value float64
}

// like plans a Like: an Or of the words that tell most, without the document
// itself.
func (p *planner) like(q query.Like) (plan, error) {
	if p.told != nil || p.global != nil {
		return nil, &query.Error{Pos: -1, Msg: "a Like has no statistics of several shards: one of them has its document"}
	}
	v, doc, err := p.commit.find(q.Key)
	if err != nil {
		return nil, err
	}
	fields := p.likeFields(q.Field)
	if v == nil {
		p.warn(query.WarnNoDocument, "", "there is no document %s to be like", quoted(q.Key))
	}
	if v == nil || len(fields) == 0 {
		return nonePlan{}, nil
	}
	words, err := p.telling(v, doc, fields)
	if err != nil {
		return nil, err
	}
	words = words[:min(len(words), cmp.Or(q.Words, presetLikeWords))]
	var any query.Or
	for _, w := range words {
		weight := w.field.Weight
		if q.Field != "" {
			weight = 1
		}
		any = append(any, query.Boost{Query: query.Term{Field: w.field.Name, Text: w.term}, By: weight})
	}
	of, err := p.or(any)
	if err != nil {
		return nil, err
	}
	return andPlan{of, notPlan{p.commit, onePlan{v, doc, p.commit}}}, nil
}

// likeFields lists the stored fields that are looked at.
func (p *planner) likeFields(name string) (fields []FieldType) {
	for _, f := range p.schema {
		named := f.Name == name && f.Kind != StoredOnly
		if f.Stored && (named || name == "" && f.unnamed()) {
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 {
		p.warn(query.WarnUnfitField, name, "no field to compare documents by: none is searched and stored")
	}
	return fields
}

// telling lists the words of a document, those that tell most first.
func (p *planner) telling(v *view, doc uint32, fields []FieldType) (out []*telling, err error) {
	known := map[int]FieldType{} // by number
	for number, t := range p.commit.schema {
		for _, f := range fields {
			if f.Name == t.Name {
				known[number] = f
			}
		}
	}
	values, err := v.seg.Values(doc, func(number int) bool { return known[number].Name != "" })
	if err != nil {
		return nil, damage(v.name(), err)
	}
	language := new(speech)
	for _, value := range values {
		if f, ok := p.commit.field(value); ok {
			language.doc.Fields = append(language.doc.Fields, f)
		}
	}
	for _, value := range values {
		if out, err = p.tally(out, known[value.Field], value, language); err != nil {
			return nil, err
		}
	}
	for _, w := range out {
		df, err := p.docFreq(w.field, w.term)
		if err != nil {
			return nil, err
		}
		if df > 1 {
			w.value = float64(w.tf) * rank.Probabilistic.Weight(p.commit.docs, df)
		}
	}
	out = slices.DeleteFunc(out, func(w *telling) bool { return w.value == 0 })
	slices.SortFunc(out, func(a, b *telling) int {
		return cmp.Or(cmp.Compare(b.value, a.value), a.place-b.place, cmp.Compare(a.term, b.term))
	})
	return out, nil
}

// tally counts the words of a field.
func (p *planner) tally(out []*telling, f FieldType, v segment.Value, language *speech) ([]*telling, error) {
	if err := (Schema{f}).checkAnalyzers(p.analyzers); err != nil {
		return nil, err
	}
	byTerm := map[string]*telling{}
	count := func(term string) bool {
		w := byTerm[term]
		if w == nil {
			w = &telling{field: f, place: v.Field, term: term}
			byTerm[term], out = w, append(out, w)
		}
		w.tf++
		return !p.run.stop()
	}
	for _, text := range v.Strings {
		if f.Kind == Keyword {
			count(text)
			continue
		}
		for t := range language.of(p.analyzers[f.Analyzer]).Tokens(text) {
			if !count(t.Text) {
				return nil, p.run.err
			}
		}
	}
	return out, nil
}

// docFreq counts the documents with a term.
func (p *planner) docFreq(t FieldType, term string) (int, error) {
	f, err := p.field(t)
	if err != nil {
		return 0, err
	}
	w, err := p.exact(f, []string{term})
	if err != nil {
		return 0, err
	}
	return w.docs, nil
}

// onePlan is one document.
type onePlan struct {
	view   *view
	doc    uint32
	commit *commit
}

func (p onePlan) open(_ *run, view int) walk {
	if p.commit.views[view] != p.view {
		return noneWalk{}
	}
	return oneWalk{p.doc}
}

// oneWalk walks one document; score 0.
type oneWalk struct{ doc uint32 }

func (w oneWalk) advance(target uint32) uint32 {
	if target > w.doc {
		return end
	}
	return w.doc
}
func (oneWalk) score() float64                 { return 0 }
func (oneWalk) size() int                      { return 1 }
func (oneWalk) bound(uint32) (float64, uint32) { return 0, end }
