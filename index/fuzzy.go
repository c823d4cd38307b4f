package index

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/automaton"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/sieve"
	"github.com/webquarry/quarry/rank"
)

// longestFuzzy is the greatest length of a word with typing errors, in runes. Time
// and memory grow with its square; only a Keyword can be longer.
const longestFuzzy = 512

// fuzzy plans a Fuzzy in a field. Of several tokens, which must stand together,
// each may differ; they score as a phrase.
func (p *planner) fuzzy(f *fieldPlan, q Fuzzy) (plan, error) {
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
				return nil, &QueryError{Msg: fmt.Sprintf("a word of %d characters is too long to forgive typing errors: %d are the most", n, longestFuzzy)}
			}
			dist := q.distance(term)
			near = append(near, finder{automaton.Fuzzy(term, dist), func(s *sieve.Sieve) []uint32 { return s.Near(term, dist) }})
		}
		text := strings.Join(s.Terms, "|") + "~"
		found, err := p.variants(f, text, near...)
		if err != nil {
			return nil, err
		}
		w := p.word(f, text)
		w.take(found)
		if err := p.count(w); err != nil {
			return nil, err
		}
		if len(slots) == 1 && w.unions != nil {
			return &wordPlan{w}, nil
		}
		if len(slots) == 1 {
			return p.nearest(w, found)
		}
		ph.words = append(ph.words, w)
		ph.offsets = append(ph.offsets, s.Pos)
	}
	return ph, nil
}

// fuzzyPlan is a word of terms that are at some distance from what was asked.
type fuzzyPlan struct {
	wordPlan
	far [][]uint8 // by view, for each document of the merged lists: the least distance
}

// nearest finds the least distance in each document.
func (p *planner) nearest(w *word, found [][]variant) (plan, error) {
	out := &fuzzyPlan{wordPlan{w}, make([][]uint8, len(found))}
	for i, variants := range found {
		var byFar [maxDistance + 1][]postings.Entry
		for _, v := range variants {
			byFar[v.far] = append(byFar[v.far], v.entry)
		}
		if w.merged[i] == nil {
			continue
		}
		out.far[i] = make([]uint8, len(w.merged[i].docs))
		for far := maxDistance; far >= 0; far-- {
			if len(byFar[far]) == 0 {
				continue
			}
			if len(byFar[far]) == len(variants) { // all are
				fill(out.far[i], uint8(far))
				break
			}
			m, err := mergeLists(p.run, w.field.readers[i].Lists, byFar[far])
			if err != nil {
				return nil, damage(p.commit.views[i].name(), err)
			}
			at := 0
			for _, doc := range m.docs {
				for w.merged[i].docs[at] < doc {
					at++
				}
				out.far[i][at] = uint8(far)
			}
		}
	}
	return out, nil
}

func fill(b []uint8, x uint8) {
	for i := range b {
		b[i] = x
	}
}

func (p *fuzzyPlan) open(r *run, view int) walk {
	w, ok := p.wordPlan.open(r, view).(*mergedWalk)
	if !ok {
		return noneWalk{}
	}
	return &fuzzyWalk{mergedWalk: w, far: p.far[view]}
}

// fuzzyWalk walks the documents of a fuzzyPlan.
type fuzzyWalk struct {
	*mergedWalk
	far   []uint8
	most  float64 // greatest score, when known
	known bool
}

func (w *fuzzyWalk) score() float64 { return w.scoreAt(w.at) }

func (w *fuzzyWalk) scoreAt(i int) float64 {
	return w.word.score(w.tfs[i], w.lengths.At(w.docs[i])) / float64(1+w.far[i])
}

func (w *fuzzyWalk) bound(uint32) (float64, uint32) {
	if !w.known {
		w.known = true
		for i := range w.docs {
			w.most = max(w.most, w.scoreAt(i))
		}
	}
	return w.most, end
}

func (w *fuzzyWalk) explain(doc uint32) rank.Explanation {
	return rank.Explanation{
		Value: w.score(),
		Text:  fmt.Sprintf("divided by 1 + the distance %d of the nearest term", w.far[w.at]),
		Parts: []rank.Explanation{w.word.explain(w.tfs[w.at], w.lengths.At(doc))},
	}
}
