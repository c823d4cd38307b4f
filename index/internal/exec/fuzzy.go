package exec

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/automaton"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/sieve"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// longestFuzzy is the greatest length of a word with typing errors, in runes. Time
// and memory grow with its square; only a Keyword can be longer.
const longestFuzzy = 512

// fuzzy plans a Fuzzy. Of one token a document scores what the best of the terms near it
// does, each with the statistics of the most frequent of them, as terms of an Expander
// do, see [Planner.blend]. Of several tokens, which must stand together, each may differ;
// they score as a phrase.
func (p *Planner) fuzzy(q query.Fuzzy) (Plan, error) {
	if t, _ := p.Schema.Find(q.Field); t.Kind < schema.Integer {
		if fields, ok := p.searched(q.Field); ok {
			if by, ok := p.combiner(fields); ok {
				return p.fuzzyAcross(by, q)
			}
		}
	}
	return p.patternLeaf(q.Field, func(f *fieldPlan) (Plan, error) {
		near, err := p.near(f, q)
		if err != nil {
			return nil, err
		}
		if len(near) != 1 {
			return p.nearPhrase(f, near)
		}
		w, err := p.nearWord(f, near[0])
		if err != nil {
			return nil, err
		}
		w.takeFar(near[0].found)
		most, err := p.mostFrequent(f, near[0])
		if !w.silent {
			w.stats.DocFreq, w.stats.CollFreq = most, 0
			p.scored(w)
		}
		return p.wordPlan(w), err
	})
}

// nearTerms is a token of a Fuzzy in a field.
type nearTerms struct {
	text  string
	found [][]variant // terms near it, by view
	pos   int
}

// near finds the terms near each token of a Fuzzy in a field.
func (p *Planner) near(f *fieldPlan, q query.Fuzzy) (all []nearTerms, err error) {
	slots := []analysis.Slot{{Terms: []string{q.Text}}}
	if f.Kind == schema.Text {
		if slots, err = p.analyse(f, q.Text); err != nil {
			return nil, err
		}
	}
	for _, s := range slots {
		var near []finder
		for _, term := range s.Terms {
			if n := utf8.RuneCountInString(term); n > longestFuzzy {
				return nil, &query.Error{Pos: -1, Msg: fmt.Sprintf("a word of %d characters is too long to forgive typing errors: %d are the most", n, longestFuzzy)}
			}
			dist := q.DistanceOf(term)
			a := automaton.Fuzzy(term, dist, q.Prefix)
			p.watch(a)
			near = append(near, finder{a, func(s *sieve.Sieve) []uint32 { return s.Near(term, dist) }})
		}
		text := strings.Join(s.Terms, "|") + "~"
		if q.Distance > 0 {
			text += strconv.Itoa(q.Distance)
		}
		if q.Prefix > 0 {
			text += "/" + strconv.Itoa(q.Prefix)
		}
		found, err := p.variants(f, text, near...)
		if err != nil {
			return nil, err
		}
		all = append(all, nearTerms{text, found, s.Pos})
	}
	return all, nil
}

// nearWord makes the word of the terms near a token.
func (p *Planner) nearWord(f *fieldPlan, n nearTerms) (*word, error) {
	w := p.word(f, n.text)
	w.take(n.found)
	return w, p.unite(w, "near")
}

// nearPhrase plans tokens that must stand together; nil: there are none.
func (p *Planner) nearPhrase(f *fieldPlan, near []nearTerms) (Plan, error) {
	ph := &phrasePlan{field: f}
	for _, n := range near {
		w, err := p.nearWord(f, n)
		if err != nil {
			return nil, err
		}
		ph.Words = append(ph.Words, w)
		ph.offsets = append(ph.offsets, n.pos)
	}
	switch len(near) {
	case 0:
		return nil, nil
	case 1:
		return p.wordPlan(ph.Words[0]), nil
	}
	return ph, nil
}

// fuzzyAcross plans a Fuzzy over all its fields: of the terms at each distance the best
// in each field, together. Where it is not a single token in each field, it scores as a
// phrase.
func (p *Planner) fuzzyAcross(by rank.Combiner, q query.Fuzzy) (Plan, error) {
	fields, ok := p.searched(q.Field)
	if !ok {
		return nonePlan{}, nil
	}
	tokens, most := map[string][]nearTerms{}, 0
	single, any := true, false
	for _, t := range fields {
		f, err := p.field(t)
		if err != nil {
			return nil, err
		}
		near, err := p.near(f, q)
		if err != nil {
			return nil, err
		}
		tokens[t.Name] = near
		any, single = any || len(near) > 0, single && len(near) <= 1
		for _, n := range near {
			docs, err := p.mostFrequent(f, n)
			if err != nil {
				return nil, err
			}
			most = max(most, docs)
		}
	}
	if !any || !single {
		return p.combine(by, fields, func(f *fieldPlan) (Plan, error) { return p.nearPhrase(f, tokens[f.Name]) })
	}
	var plans []Plan
	for far := range query.MaxDistance + 1 {
		there := false
		l, err := p.overFields(fields, func(f *fieldPlan) (Plan, error) {
			if len(tokens[f.Name]) == 0 {
				return nil, nil
			}
			n := tokens[f.Name][0]
			at := nearTerms{text: n.text, found: make([][]variant, len(n.found))}
			for i, variants := range n.found {
				for _, v := range variants {
					if v.far == far {
						at.found[i] = append(at.found[i], variant{v.term, v.entry, 0}) // the plan of all is boosted
						there = true
					}
				}
			}
			w, err := p.nearWord(f, at)
			if err != nil {
				return nil, err
			}
			w.takeFar(at.found)
			return p.wordPlan(w), nil
		})
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		l.asked[0].DocFreq, l.asked[0].CollFreq = most, 0
		plans = append(plans, boosted(l.combined(by), 1/float64(1+far)))
	}
	if plans == nil {
		return nonePlan{}, nil
	}
	return p.bestOf(plans), nil
}

// mostFrequent returns how many live documents hold the most frequent of the terms near a
// token.
func (p *Planner) mostFrequent(f *fieldPlan, near nearTerms) (most int, err error) {
	if p.scoreless() {
		return 1, nil
	}
	var byTerm map[string]int
	if p.told != nil {
		byTerm = map[string]int{}
	}
	found := near.found
	for at := range p.eachTerm(found) {
		docs, term := 0, ""
		for i, n := range at {
			if n < 0 {
				continue
			}
			v := found[i][n]
			term = v.term
			live, err := p.Commit.Views[i].LiveDocs(p.Run.Check, f.readers[i], v.term, v.entry)
			if err != nil {
				return 0, err
			}
			docs += live
		}
		most = max(most, docs)
		if byTerm != nil {
			byTerm[term] = docs
		}
	}
	if p.Run.Err != nil {
		return 0, p.Run.Err
	}
	return p.mostOf(f.Name, near.text, byTerm, most)
}

func (w *mergedIterator) explain(doc uint32) rank.Explanation {
	word := w.word.explain(w.view, doc, w.frequency())
	if w.far == 0 {
		return word
	}
	return rank.Explanation{
		Value: w.Score(),
		Text:  fmt.Sprintf("divided by 1 + the distance %d of the term that scores best", w.far),
		Parts: []rank.Explanation{word},
	}
}
