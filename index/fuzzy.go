package index

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/automaton"
	"github.com/webquarry/quarry/index/internal/sieve"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// longestFuzzy is the greatest length of a word with typing errors, in runes. Time
// and memory grow with its square; only a Keyword can be longer.
const longestFuzzy = 512

// fuzzy plans a Fuzzy in a field. Of several tokens, which must stand together,
// each may differ; they score as a phrase.
func (p *planner) fuzzy(f *fieldPlan, q query.Fuzzy) (plan, error) {
	slots := []analysis.Slot{{Terms: []string{q.Text}}}
	if f.Kind == Text {
		var err error
		if slots, err = p.analyse(f, q.Text); err != nil {
			return nil, err
		}
	}
	if len(slots) == 0 {
		return nil, nil
	}
	ph := &phrasePlan{field: f}
	for _, s := range slots {
		var near []finder
		for _, term := range s.Terms {
			if n := utf8.RuneCountInString(term); n > longestFuzzy {
				return nil, &query.Error{Pos: -1, Msg: fmt.Sprintf("a word of %d characters is too long to forgive typing errors: %d are the most", n, longestFuzzy)}
			}
			dist := q.DistanceOf(term)
			a := automaton.Fuzzy(term, dist)
			p.watch(a)
			near = append(near, finder{a, func(s *sieve.Sieve) []uint32 { return s.Near(term, dist) }})
		}
		text := strings.Join(s.Terms, "|") + "~"
		found, err := p.variants(f, text, near...)
		if err != nil {
			return nil, err
		}
		w := p.word(f, text)
		w.take(found)
		if err := p.unite(w); err != nil {
			return nil, err
		}
		if len(slots) == 1 {
			w.takeFar(found)
			return p.wordPlan(w), nil
		}
		ph.words = append(ph.words, w)
		ph.offsets = append(ph.offsets, s.Pos)
	}
	return ph, nil
}

func (w *mergedWalk) explain(doc uint32) rank.Explanation {
	word := w.word.explain(w.frequency(), w.lengths.At(doc))
	if w.far == nil {
		return word
	}
	return rank.Explanation{
		Value: w.score(),
		Text:  fmt.Sprintf("divided by 1 + the distance %d of the nearest term", w.least),
		Parts: []rank.Explanation{word},
	}
}
