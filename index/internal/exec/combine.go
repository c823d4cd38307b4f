package exec

import (
	"fmt"
	"slices"

	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/rank"
)

// CombinedPlan is a leaf that scores once over several fields, by a
// [rank.Combiner]: its fields score what they add to the frequency.
type CombinedPlan struct {
	of   Plan            // any of the fields
	by   []rank.Combined // for each word of the leaf
	text string
}

// combine plans a leaf over fields.
func (p *Planner) combine(by rank.Combiner, fields []schema.Field, of func(*fieldPlan) (Plan, error)) (Plan, error) {
	l, err := p.overFields(fields, of)
	if err != nil || len(l.plans) == 0 {
		return nil, err
	}
	return l.combined(by), nil
}

// overForms plans a leaf over fields for each of the phrases that its text may stand for.
func (p *Planner) overForms(of func() (Plan, error)) (Plan, error) {
	var plans []Plan
	for p.form, p.moreForms = 0, true; p.moreForms; p.form++ {
		p.moreForms = false
		pl, err := of()
		if err != nil {
			return nil, err
		}
		if pl != nil {
			plans = append(plans, pl)
		}
	}
	return anyOf(plans), nil
}

// leafOverFields is a leaf in several fields, before it is scored.
type leafOverFields struct {
	plans []Plan // by field
	stats []rank.FieldStats
	asked []rank.Stats // for each word of the leaf
	text  string
}

func (p *Planner) overFields(fields []schema.Field, of func(*fieldPlan) (Plan, error)) (l leafOverFields, err error) {
	p.across = true
	defer func() { p.across = false }()
	for _, t := range fields {
		f, err := p.field(t)
		if err != nil {
			return l, err
		}
		pl, err := of(f)
		if err != nil {
			return l, err
		}
		if pl == nil {
			continue
		}
		l.plans = append(l.plans, pl)
		l.stats = append(l.stats, rank.FieldStats{Name: f.Name, Weight: t.Weight, AvgLen: f.avgLen})
		l.text = ""
		for i, w := range wordsOf(pl) {
			if i == len(l.asked) {
				l.asked = append(l.asked, rank.Stats{Docs: p.docs()})
			}
			l.asked[i].DocFreq = max(l.asked[i].DocFreq, w.stats.DocFreq)
			l.asked[i].CollFreq += w.stats.CollFreq
			l.text += " " + w.text
		}
	}
	return l, nil
}

// combined scores a leaf that stands in at least one field.
func (l leafOverFields) combined(by rank.Combiner) *CombinedPlan {
	c := &CombinedPlan{of: orPlan(l.plans), text: l.text}
	if len(l.plans) == 1 {
		c.of = l.plans[0]
	}
	for _, s := range l.asked {
		c.by = append(c.by, by.Combine(s, l.stats))
	}
	for i, pl := range l.plans {
		for n, w := range wordsOf(pl) {
			w.byDoc = nil
			w.Score = func(uint32, uint32) float64 { return 0 }
			if n == 0 { // how often a phrase stands counts once
				w.Score = c.by[0].Frequency[i]
			}
			w.scorer = share{w.Score, l.stats[i].Weight}
		}
	}
	return c
}

// wordsOf returns the words of a leaf in one field.
func wordsOf(pl Plan) []*word {
	switch pl := pl.(type) {
	case *wordPlan:
		return []*word{pl.word}
	case *phrasePlan:
		return pl.Words
	}
	return nil
}

// share explains what a field adds to the frequency of a word.
type share struct {
	score  rank.Score
	weight float64
}

func (s share) Term(rank.Stats) rank.Score { return s.score }

func (s share) Explain(stats rank.Stats, tf, length uint32) rank.Explanation {
	return rank.Explanation{
		Value: s.score(tf, length),
		Text:  fmt.Sprintf("f: weight = %g, tf = %d, length = %d, avglen = %g", s.weight, tf, length, stats.AvgLen),
	}
}

// Score is what the frequencies over all fields, added up, score.
func (p *CombinedPlan) Score(frequency float64) float64 {
	sum := 0.0
	for _, c := range p.by {
		sum += c.Score(frequency)
	}
	return sum
}

// Open implements [Plan].
func (p *CombinedPlan) Open(r *Run, view int) Iterator {
	return &CombinedIterator{p.of.Open(r, view), p}
}

// CombinedIterator scores by the frequencies that another iterator adds up.
type CombinedIterator struct {
	Iterator
	Plan *CombinedPlan
}

// Score implements [Iterator].
func (w *CombinedIterator) Score() float64 { return w.Plan.Score(w.Iterator.Score()) }

// Bound implements [Iterator].
func (w *CombinedIterator) Bound(from uint32) (float64, uint32) {
	most, last := w.Iterator.Bound(from)
	return w.Plan.Score(most), last
}

func (w *CombinedIterator) explain(doc uint32) rank.Explanation {
	ex := rank.Explanation{Value: w.Score(), Text: "over all fields:" + w.Plan.text}
	frequency := w.Iterator.Score()
	for _, c := range w.Plan.by {
		word := rank.Explanation{Text: "of the sum of what the fields add"}
		if c.Explain != nil {
			word = c.Explain(frequency)
		}
		word.Value = c.Score(frequency)
		ex.Parts = append(ex.Parts, word)
	}
	ex.Parts = append(ex.Parts, Explain(w.Iterator, doc))
	return ex
}

// alternative is a term that may stand for a word, and the fields in which it
// does.
type alternative struct {
	term   string
	weight float64
	fields []schema.Field
}

// matchAcross plans a word of a Match over all fields with an expander: an Or of
// the terms that may stand for it, each over those fields in which it may. Where
// a word is not a single term in each field, it is not expanded.
func (p *Planner) matchAcross(by rank.Combiner, field, text string) (Plan, error) {
	fields, ok := p.searched(field)
	if !ok {
		return nonePlan{}, nil
	}
	var any []alternative
	for _, t := range fields {
		f, err := p.field(t)
		if err != nil {
			return nil, err
		}
		slots, err := p.analyse(f, text)
		if err != nil {
			return nil, err
		}
		if len(slots) == 0 {
			continue
		}
		if len(slots) > 1 || len(slots[0].Terms) > 1 {
			return p.leaf(field, func(f *fieldPlan) (Plan, error) { return p.phrase(f, text, 0, false) })
		}
		or, err := p.alternatives(slots[0].Terms[0])
		if err != nil {
			return nil, err
		}
		any = across(any, or, t)
	}
	leaves := make([]leafOverFields, len(any))
	most := 0
	for i, a := range any {
		var err error
		if leaves[i], err = p.overFields(a.fields, func(f *fieldPlan) (Plan, error) { return p.term(f, a.term) }); err != nil {
			return nil, err
		}
		most = max(most, leaves[i].asked[0].DocFreq)
	}
	var plans []Plan
	for i, a := range any {
		leaves[i].asked[0].DocFreq, leaves[i].asked[0].CollFreq = most, 0 // as blend does
		plans = append(plans, boosted(leaves[i].combined(by), a.weight))
	}
	return p.bestOf(plans), nil
}

// across adds the alternatives of a field to those of others.
func across(any, or []alternative, t schema.Field) []alternative {
	for _, a := range or {
		i := slices.IndexFunc(any, func(b alternative) bool { return a.term == b.term && a.weight == b.weight })
		if i < 0 {
			i = len(any)
			any = append(any, a)
		}
		any[i].fields = append(any[i].fields, t)
	}
	return any
}
