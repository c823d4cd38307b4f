package index

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/webquarry/quarry/index/internal/postings"
)

// TermVector returns how often each term of a field of words or a Keyword occurs in the document of a key;
// nil: there is no such document. Where the field is stored it analyses the text, which costs
// as much as a snippet; else, or where the text is analysed in another way than when it was added, it looks
// through all terms of the document's segment, about a tenth of a second for a million of them.
func (s *Snapshot) TermVector(ctx context.Context, key, field string) (terms map[string]int, err error) {
	f, ok := s.schema.Field(field)
	if !ok {
		return nil, &SchemaError{field, "not in the schema"}
	}
	if f.Kind != Text && f.Kind != Keyword {
		return nil, &SchemaError{field, "a " + f.Kind.String() + " field, which has no terms"}
	}
	err = s.read(func() error {
		p, err := s.planner(ctx, SearchOptions{})
		if err != nil {
			return err
		}
		defer p.run.leave()
		v, doc, err := s.commit.find(key)
		if v == nil || err != nil {
			return err
		}
		all, err := p.termVectors(f, []foundDoc{{v, doc}})
		if err == nil {
			terms = all[0]
		}
		return err
	})
	return terms, err
}

// foundDoc is a document of a view.
type foundDoc struct {
	view *view
	doc  uint32
}

// termVectors returns how often each term of a field occurs in some documents.
func (p *planner) termVectors(f FieldType, docs []foundDoc) ([]map[string]int, error) {
	out := make([]map[string]int, len(docs))
	left := map[*view][]int{}
	for i, d := range docs {
		var err error
		if out[i], err = p.analysedAgain(f, d); err != nil {
			return nil, err
		}
		if out[i] == nil {
			out[i] = map[string]int{}
			left[d.view] = append(left[d.view], i)
		}
	}
	for v, of := range left {
		slices.SortFunc(of, func(a, b int) int { return cmp.Compare(docs[a].doc, docs[b].doc) })
		err := p.inverted(v, f.Name, func(term string, c *postings.Cursor) {
			for _, i := range of {
				if c.Advance(docs[i].doc) == docs[i].doc {
					out[i][term] = int(c.TF())
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inverted calls f with each term of a field of a view and its list.
func (p *planner) inverted(v *view, field string, f func(term string, c *postings.Cursor)) error {
	r, ok := v.field(field)
	if !ok {
		return nil
	}
	terms := r.Dict.Iter()
	var c postings.Cursor
	for terms.Next() {
		if p.run.stop() {
			return p.run.err
		}
		e, err := terms.Entry()
		if err != nil {
			return v.damage(err)
		}
		r.Lists.Reset(&c, e)
		f(string(terms.Term()), &c)
		if err := c.Err(); err != nil {
			return v.damage(err)
		}
	}
	return v.damage(terms.Err())
}

// analysedAgain analyses the stored text of a document; nil: there is none, or it does not have as many tokens as when
// it was added.
func (p *planner) analysedAgain(f FieldType, d foundDoc) (map[string]int, error) {
	r, ok := d.view.field(f.Name)
	if !f.Stored || f.Anchors != 0 || !ok {
		return nil, nil
	}
	number := -1
	for n, t := range p.commit.schema {
		if t.Name == f.Name {
			number = n
		}
	}
	values, err := d.view.seg.Values(d.doc, func(n int) bool { return n == number })
	if err != nil {
		return nil, damage(d.view.name(), err)
	}
	lengths, err := r.Lengths()
	if err != nil {
		return nil, d.view.damage(err)
	}
	code, err := languageOf(d.view.seg, d.doc)
	if err != nil {
		return nil, d.view.damage(err)
	}
	language, an := &speech{known: true, code: code}, p.ix.known[f.Analyzer]
	if f.Kind == Text && an == nil {
		return nil, nil
	}
	out, n := map[string]int{}, uint32(0)
	for _, value := range values {
		for _, text := range value.Strings {
			if f.Kind == Keyword {
				out[text]++
				n++
				continue
			}
			for t := range language.of(an).Tokens(text) {
				out[t.Text]++
				if n++; p.run.stop() {
					return nil, p.run.err
				}
			}
		}
	}
	if n != lengths.At(d.doc) {
		return nil, nil
	}
	return out, nil
}

// addCounts adds the counts of one field to those of others.
func addCounts(sum, more map[string]int) map[string]int {
	if sum == nil {
		return maps.Clone(more)
	}
	for term, n := range more {
		sum[term] += n
	}
	return sum
}
