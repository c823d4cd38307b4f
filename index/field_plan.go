package index

import (
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/rank"
)

// fieldPlan is a field of a search: what all its words share.
type fieldPlan struct {
	FieldType
	readers []*segment.FieldReader // by view; nil: the segment does not have the field
	lengths []segment.Lengths      // by view
	avgLen  float64
}

// field prepares a field, once a search.
func (p *planner) field(t FieldType) (*fieldPlan, error) {
	if f, ok := p.fields[t.Name]; ok {
		return f, nil
	}
	f := &fieldPlan{FieldType: t}
	tokens := uint64(0)
	for _, v := range p.commit.views {
		r, _ := v.seg.Field(t.Name)
		var lengths segment.Lengths
		if r != nil {
			var err error
			if lengths, err = r.Lengths(); err != nil {
				return nil, damage(v.name(), err)
			}
		}
		f.readers = append(f.readers, r)
		f.lengths = append(f.lengths, lengths)
		counts, err := v.tokens()
		if err != nil {
			return nil, err
		}
		tokens += counts[t.Name]
	}
	if p.commit.docs > 0 {
		f.avgLen = float64(tokens) / float64(p.commit.docs)
	}
	p.fields[t.Name] = f
	return f, nil
}

// word is one place of a query in one field: any of its terms will do there,
// and they count as one term.
type word struct {
	field   *fieldPlan
	entries [][]postings.Entry // by view: where the lists of its terms are
	merged  []*merged          // by view: the lists as one, where there are several
	docs    int                // live documents with any of the terms
	score   rank.Score
}

// exact makes the word of some terms.
func (p *planner) exact(f *fieldPlan, terms []string) (*word, error) {
	w := &word{field: f, entries: make([][]postings.Entry, len(p.commit.views))}
	for i, r := range f.readers {
		if r == nil {
			continue
		}
		v := p.commit.views[i]
		for _, term := range terms {
			e, ok, err := r.Dict.Find(term)
			if err != nil {
				return nil, damage(v.name(), err)
			}
			if !ok {
				continue
			}
			w.entries[i] = append(w.entries[i], e)
			if len(terms) == 1 {
				n, err := v.liveDocs(p.run, r, term, e)
				if err != nil {
					return nil, err
				}
				w.docs += n
			}
		}
	}
	if len(terms) > 1 {
		return w, p.count(w)
	}
	p.rate(w)
	return w, nil
}

// prefixed makes the word of all terms that begin with one of the prefixes.
func (p *planner) prefixed(f *fieldPlan, prefixes []string) (*word, error) {
	w := &word{field: f, entries: make([][]postings.Entry, len(p.commit.views))}
	for i, r := range f.readers {
		if r == nil {
			continue
		}
		for _, prefix := range outermost(prefixes) {
			terms := r.Dict.Iter()
			for ok := terms.Seek(prefix); ok && hasPrefix(terms.Term(), prefix); ok = terms.Next() {
				if p.run.stop() {
					return nil, p.run.err
				}
				e, err := terms.Entry()
				if err != nil {
					break
				}
				w.entries[i] = append(w.entries[i], e)
			}
			if err := terms.Err(); err != nil {
				return nil, damage(p.commit.views[i].name(), err)
			}
		}
	}
	return w, p.count(w)
}

// count finds in how many documents a word of several terms is.
func (p *planner) count(w *word) error {
	w.merged = make([]*merged, len(w.entries))
	for i, entries := range w.entries {
		if len(entries) == 0 {
			continue
		}
		v := p.commit.views[i]
		m, err := mergeLists(p.run, w.field.readers[i].Lists, entries)
		if err != nil {
			return damage(v.name(), err)
		}
		w.merged[i] = m
		for _, doc := range m.docs {
			if !v.deleted.Has(doc) {
				w.docs++
			}
		}
	}
	p.rate(w)
	return nil
}

// rate gives a word its score.
func (p *planner) rate(w *word) {
	w.score = p.scorer.Term(rank.Stats{Docs: p.commit.docs, DocFreq: w.docs, AvgLen: w.field.avgLen})
}
