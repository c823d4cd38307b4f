package index

import "github.com/webquarry/quarry/index/internal/segment"

// fieldPlan is a field of a search: what all its words share.
type fieldPlan struct {
	FieldType
	readers []*segment.FieldReader // by view; nil: the segment does not have the field
	lengths []segment.Lengths      // by view
	vectors [][]segment.Vector     // by view; nil: the scorer does not need them
	avgLen  float64
	shape   *ratingTable // by BM25; nil: not asked for yet
}

// field prepares a field, once a search.
func (p *planner) field(t FieldType) (*fieldPlan, error) {
	if f, ok := p.fields[t.Name]; ok {
		return f, nil
	}
	n := len(p.commit.views)
	f := &fieldPlan{FieldType: t, readers: make([]*segment.FieldReader, 0, n), lengths: make([]segment.Lengths, 0, n)}
	tokens := uint64(0)
	for _, v := range p.commit.views {
		r, _ := v.field(t.Name)
		var lengths segment.Lengths
		if r != nil {
			var err error
			if lengths, err = r.Lengths(); err != nil {
				return nil, v.damage(err)
			}
		}
		f.readers = append(f.readers, r)
		f.lengths = append(f.lengths, lengths)
		if p.needs.Doc {
			var vectors []segment.Vector
			if r != nil {
				var err error
				if vectors, err = v.vectors(p.run, r); err != nil {
					return nil, err
				}
			}
			f.vectors = append(f.vectors, vectors)
		}
		counts, err := v.tokens()
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
