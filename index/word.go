package index

import (
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/rank"
)

// word is one place of a query in one field: any of its terms will do there,
// and they count as one term.
type word struct {
	text    string // for explanations
	field   *fieldPlan
	entries [][]postings.Entry // by view: where the lists of its terms are
	far     [][]uint8          // by view, as entries: the distance of each term; nil: it does not matter
	unions  []*union           // by view, of a word of several terms: their documents
	silent  bool               // scores do not matter
	docs    int                // live ones with any of its terms; not counted if silent and united
	stats   rank.Stats         // that score it
	scorer  rank.Scorer
	score   rank.Score
	byDoc   rank.DocScore // in place of score, where the whole document matters; nil: it does not
	idf     float64       // by BM25
	shape   *ratingTable  // of its field by BM25, which times idf bounds its scores
}

func (p *planner) word(f *fieldPlan, text string) *word {
	scorer := p.scorer
	if m, ok := scorer.(rank.BM25F); ok && !p.across {
		scorer = rank.BM25{K1: m.K1, B: m.B, IDF: m.IDF} // which it is in one field, and for which there are tables
	}
	return &word{
		silent:  p.scoreless(),
		text:    text,
		field:   f,
		entries: make([][]postings.Entry, len(p.commit.views)),
		stats:   rank.Stats{Docs: p.docs(), AvgLen: f.avgLen},
		scorer:  scorer,
	}
}

// exact makes the word of some terms.
func (p *planner) exact(f *fieldPlan, terms []string) (*word, error) {
	w := p.word(f, strings.Join(terms, "|"))
	if p.run.spend(lookUp * len(f.readers) * len(terms)) {
		return nil, p.run.err
	}
	entries := make([]postings.Entry, 0, len(f.readers)*len(terms))
	for i, r := range f.readers {
		if r == nil {
			continue
		}
		v := p.commit.views[i]
		from := len(entries)
		for _, term := range terms {
			e, ok, err := r.Dict.Find(term)
			if err != nil {
				return nil, v.damage(err)
			}
			if !ok {
				continue
			}
			entries = append(entries, e)
			w.entries[i] = slices.Clip(entries[from:])
			if len(terms) == 1 {
				n, err := v.liveDocs(p.run, r, term, e)
				if err != nil {
					return nil, err
				}
				w.stats.DocFreq += n
			}
		}
	}
	if len(terms) > 1 {
		return w, p.unite(w, "terms")
	}
	w.docs = w.stats.DocFreq
	var err error
	if w.stats.DocFreq, err = p.docsWith(w, "term", w.docs); err != nil {
		return nil, err
	}
	if err := p.collected(w, "term"); err != nil {
		return nil, err
	}
	p.scored(w)
	return w, nil
}

// scored makes the score of a word whose statistics are known.
func (p *planner) scored(w *word) {
	w.score = w.scorer.Term(w.stats)
	if m, ok := w.scorer.(rank.DocScorer); ok && p.needs.Doc {
		w.byDoc = m.Doc(w.stats)
	}
	if m, ok := w.scorer.(rank.BM25); ok {
		if w.field.shape == nil {
			w.field.shape = p.run.shared.shapes.get(m, w.stats.AvgLen)
		}
		w.idf, w.shape = m.IDF.Weight(w.stats.Docs, w.stats.DocFreq), w.field.shape
	}
}

// prefixed makes the word of all terms that begin with one of the prefixes.
func (p *planner) prefixed(f *fieldPlan, prefixes []string) (*word, error) {
	w := p.word(f, strings.Join(prefixes, "*|")+"*")
	if p.unopened > 0 {
		return w, p.unite(w, "prefix")
	}
	for i, r := range f.readers {
		if r == nil {
			continue
		}
		entries := p.run.space().entries[:0]
		for _, prefix := range outermost(prefixes) {
			terms := r.Dict.Iter()
			for ok := terms.Seek([]byte(prefix)); ok && hasPrefix(terms.Term(), prefix); ok = terms.Next() {
				if p.run.stop() {
					return nil, p.run.err
				}
				e, err := terms.Entry()
				if err != nil {
					break
				}
				entries = append(entries, e)
			}
			if err := terms.Err(); err != nil {
				return nil, p.commit.views[i].damage(err)
			}
		}
		w.entries[i], p.run.space().entries = slices.Clone(entries), entries
	}
	return w, p.unite(w, "prefix")
}
