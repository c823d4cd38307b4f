package exec

import (
	"slices"
	"strings"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
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
	Score   rank.Score
	byDoc   rank.DocScore // in place of Score, where the whole document matters; nil: it does not
	idf     float64       // by BM25
	shape   *ratingTable  // of its field by BM25, which times idf bounds its scores
}

func (p *Planner) word(f *fieldPlan, text string) *word {
	scorer := p.Scorer
	if m, ok := scorer.(rank.BM25F); ok && !p.across {
		scorer = rank.BM25{K1: m.K1, B: m.B, IDF: m.IDF} // which it is in one field, and for which there are tables
	}
	return &word{
		silent:  p.scoreless(),
		text:    text,
		field:   f,
		entries: make([][]postings.Entry, len(p.Commit.Views)),
		stats:   rank.Stats{Docs: p.docs(), AvgLen: f.avgLen},
		scorer:  scorer,
	}
}

// exact makes the word of some terms.
func (p *Planner) exact(f *fieldPlan, terms []string) (*word, error) {
	w := p.word(f, strings.Join(terms, "|"))
	if p.Run.Spend(LookUp * len(f.readers) * len(terms)) {
		return nil, p.Run.Err
	}
	entries := make([]postings.Entry, 0, len(f.readers)*len(terms))
	for i, r := range f.readers {
		if r == nil {
			continue
		}
		v := p.Commit.Views[i]
		from := len(entries)
		for _, term := range terms {
			e, ok, err := r.Dict.Find(term)
			if err != nil {
				return nil, v.Damage(err)
			}
			if !ok {
				continue
			}
			entries = append(entries, e)
			w.entries[i] = slices.Clip(entries[from:])
			if len(terms) == 1 {
				n, err := v.LiveDocs(p.Run.Check, r, term, e)
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
func (p *Planner) scored(w *word) {
	w.Score = w.scorer.Term(w.stats)
	if m, ok := w.scorer.(rank.DocScorer); ok && p.Needs.Doc {
		w.byDoc = m.Doc(w.stats)
	}
	if m, ok := w.scorer.(rank.BM25); ok {
		if w.field.shape == nil {
			w.field.shape = p.Run.shared.shapes.get(m, w.stats.AvgLen)
		}
		w.idf, w.shape = m.IDF.Weight(w.stats.Docs, w.stats.DocFreq), w.field.shape
	}
}

// prefixed makes the word of all terms that begin with one of the prefixes.
func (p *Planner) prefixed(f *fieldPlan, prefixes []string) (*word, error) {
	w := p.word(f, strings.Join(prefixes, "*|")+"*")
	if p.unopened > 0 {
		return w, p.unite(w, "prefix")
	}
	for i, r := range f.readers {
		if r == nil {
			continue
		}
		entries := p.Run.space().entries[:0]
		for _, prefix := range outermost(prefixes) {
			terms := r.Dict.Iter()
			for ok := terms.Seek([]byte(prefix)); ok && hasPrefix(terms.Term(), prefix); ok = terms.Next() {
				if p.Run.Stop() {
					return nil, p.Run.Err
				}
				e, err := terms.Entry()
				if err != nil {
					break
				}
				entries = append(entries, e)
			}
			if err := terms.Err(); err != nil {
				return nil, p.Commit.Views[i].Damage(err)
			}
		}
		w.entries[i], p.Run.space().entries = slices.Clone(entries), entries
	}
	return w, p.unite(w, "prefix")
}

// fieldPlan is a field of a search: what all its words share.
type fieldPlan struct {
	schema.Field
	readers []*segment.FieldReader // by view; nil: the segment does not have the field
	lengths []segment.Lengths      // by view
	vectors [][]segment.Vector     // by view; nil: the scorer does not need them
	avgLen  float64
	shape   *ratingTable // by BM25; nil: not asked for yet
}

// field prepares a field, once a search.
func (p *Planner) field(t schema.Field) (*fieldPlan, error) {
	if f, ok := p.fields[t.Name]; ok {
		return f, nil
	}
	n := len(p.Commit.Views)
	f := &fieldPlan{Field: t, readers: make([]*segment.FieldReader, 0, n), lengths: make([]segment.Lengths, 0, n)}
	tokens := uint64(0)
	for _, v := range p.Commit.Views {
		r, _ := v.Field(t.Name)
		var lengths segment.Lengths
		if r != nil {
			var err error
			if lengths, err = r.Lengths(); err != nil {
				return nil, v.Damage(err)
			}
		}
		f.readers = append(f.readers, r)
		f.lengths = append(f.lengths, lengths)
		if p.Needs.Doc {
			var of []segment.Vector
			if r != nil {
				var err error
				if of, err = vectors(p.Run, v, r); err != nil {
					return nil, err
				}
			}
			f.vectors = append(f.vectors, of)
		}
		counts, err := v.Tokens()
		if err != nil {
			return nil, err
		}
		tokens += counts[t.Name]
	}
	var err error
	if f.avgLen, err = p.avgLen(t.Name, tokens); err != nil {
		return nil, err
	}
	if p.fields == nil {
		p.fields = map[string]*fieldPlan{}
	}
	p.fields[t.Name] = f
	return f, nil
}
