package exec

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// presetLikeWords is how many words a Like takes when no number is given.
const presetLikeWords = 25

// telling is a word of the document that others should be like.
type telling struct {
	field schema.Field
	place int // of the field
	term  string
	tf    int
	value float64
}

// like plans a Like: an Or of the words that tell most, without the document
// itself.
func (p *Planner) like(q query.Like) (Plan, error) {
	if p.told != nil || p.Global != nil {
		return nil, &query.Error{Pos: -1, Msg: "a Like has no statistics of several shards: one of them has its document"}
	}
	v, doc, err := commit.Find(p.Commit.Views, q.Key)
	if err != nil {
		return nil, err
	}
	fields := p.likeFields(q.Field)
	if v == nil {
		p.Warn(query.WarnNoDocument, "", "there is no document %s to be like", strconv.Quote(q.Key))
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
	return andPlan{of, notPlan{p.Commit, onePlan{v, doc, p.Commit}}}, nil
}

// likeFields lists the stored fields that are looked at.
func (p *Planner) likeFields(name string) (fields []schema.Field) {
	for _, f := range p.Schema {
		named := f.Name == name && f.Kind != schema.StoredOnly
		if f.Stored && (named || name == "" && f.Unnamed()) {
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 {
		p.Warn(query.WarnUnfitField, name, "no field to compare documents by: none is searched and stored")
	}
	return fields
}

// telling lists the words of a document, those that tell most first.
func (p *Planner) telling(v *commit.View, doc uint32, fields []schema.Field) (out []*telling, err error) {
	known := map[int]schema.Field{} // by number
	for number, t := range p.Commit.Schema {
		for _, f := range fields {
			if f.Name == t.Name {
				known[number] = f
			}
		}
	}
	values, err := v.Seg.Values(doc, func(number int) bool { return known[number].Name != "" })
	if err != nil {
		return nil, fault.Damage(v.Name(), err)
	}
	var texts []string
	for _, value := range values {
		texts = append(texts, value.Strings...)
	}
	language := &schema.Speech{Texts: slices.Values(texts)}
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
			w.value = float64(w.tf) * rank.Probabilistic.Weight(p.Commit.Docs, df)
		}
	}
	out = slices.DeleteFunc(out, func(w *telling) bool { return w.value == 0 })
	slices.SortFunc(out, func(a, b *telling) int {
		return cmp.Or(cmp.Compare(b.value, a.value), a.place-b.place, cmp.Compare(a.term, b.term))
	})
	return out, nil
}

// tally counts the words of a field.
func (p *Planner) tally(out []*telling, f schema.Field, v segment.Value, language *schema.Speech) ([]*telling, error) {
	byTerm := map[string]*telling{}
	count := func(term string) bool {
		w := byTerm[term]
		if w == nil {
			w = &telling{field: f, place: v.Field, term: term}
			byTerm[term], out = w, append(out, w)
		}
		w.tf++
		return !p.Run.Stop()
	}
	if f.Kind == schema.Keyword {
		for _, text := range v.Strings {
			count(text)
		}
		return out, nil
	}
	analyzer, err := f.AnalyzerIn(p.Analyzers)
	if err != nil {
		return nil, err
	}
	analyzer = language.Of(analyzer)
	for _, text := range v.Strings {
		for t := range analyzer.Tokens(text) {
			if !count(t.Text) {
				return nil, p.Run.Err
			}
		}
	}
	return out, nil
}

// docFreq counts the documents with a term.
func (p *Planner) docFreq(t schema.Field, term string) (int, error) {
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
	view   *commit.View
	doc    uint32
	commit *Collection
}

func (p onePlan) Open(_ *Run, view int) Iterator {
	if p.commit.Views[view] != p.view {
		return NoneIterator{}
	}
	return oneIterator{p.doc}
}

// oneIterator goes over one document; score 0.
type oneIterator struct{ doc uint32 }

func (w oneIterator) Advance(target uint32) uint32 {
	if target > w.doc {
		return End
	}
	return w.doc
}
func (oneIterator) Score() float64                 { return 0 }
func (oneIterator) Size() int                      { return 1 }
func (oneIterator) Bound(uint32) (float64, uint32) { return 0, End }
