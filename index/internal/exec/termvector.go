package exec

import (
	"cmp"
	"maps"
	"slices"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/schema"
)

// FoundDoc is a document of a view.
type FoundDoc struct {
	View *commit.View
	Doc  uint32
}

// TermVectors returns how often each term of a field occurs in some documents.
func (p *Planner) TermVectors(f schema.Field, docs []FoundDoc) ([]map[string]int, error) {
	out := make([]map[string]int, len(docs))
	left := map[*commit.View][]int{}
	for i, d := range docs {
		var err error
		if out[i], err = p.analysedAgain(f, d); err != nil {
			return nil, err
		}
		if out[i] == nil {
			out[i] = map[string]int{}
			left[d.View] = append(left[d.View], i)
		}
	}
	for v, of := range left {
		slices.SortFunc(of, func(a, b int) int { return cmp.Compare(docs[a].Doc, docs[b].Doc) })
		err := p.inverted(v, f.Name, func(term string, c *postings.Cursor) {
			for _, i := range of {
				if c.Advance(docs[i].Doc) == docs[i].Doc {
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
func (p *Planner) inverted(v *commit.View, field string, f func(term string, c *postings.Cursor)) error {
	r, ok := v.Field(field)
	if !ok {
		return nil
	}
	terms := r.Dict.Iter()
	var c postings.Cursor
	for terms.Next() {
		if p.Run.Stop() {
			return p.Run.Err
		}
		e, err := terms.Entry()
		if err != nil {
			return v.Damage(err)
		}
		r.Lists.Reset(&c, e)
		f(string(terms.Term()), &c)
		if err := c.Err(); err != nil {
			return v.Damage(err)
		}
	}
	return v.Damage(terms.Err())
}

// analysedAgain analyses the stored text of a document; nil: there is none, or it does not
// have as many tokens as when it was added.
func (p *Planner) analysedAgain(f schema.Field, d FoundDoc) (map[string]int, error) {
	r, ok := d.View.Field(f.Name)
	if !f.Stored || f.Anchors != 0 || !ok {
		return nil, nil
	}
	number := p.Commit.Schema.Number(f.Name)
	values, err := d.View.Seg.Values(d.Doc, func(n int) bool { return n == number })
	if err != nil {
		return nil, fault.Damage(d.View.Name(), err)
	}
	lengths, err := r.Lengths()
	if err != nil {
		return nil, d.View.Damage(err)
	}
	code, err := commit.LanguageOf(d.View.Seg, d.Doc)
	if err != nil {
		return nil, d.View.Damage(err)
	}
	language, an := schema.Spoken(code), p.known[f.Analyzer]
	if f.Kind == schema.Text && an == nil {
		return nil, nil
	}
	out, n := map[string]int{}, uint32(0)
	for _, value := range values {
		for _, text := range value.Strings {
			if f.Kind == schema.Keyword {
				out[text]++
				n++
				continue
			}
			for t := range language.Of(an).Tokens(text) {
				out[t.Text]++
				if n++; p.Run.Stop() {
					return nil, p.Run.Err
				}
			}
		}
	}
	if n != lengths.At(d.Doc) {
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
