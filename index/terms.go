package index

import (
	"context"
	"iter"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// Terms walks the terms of a field in ascending order, each with the number of
// documents that hold it: the vocabulary for corrections and completion. A
// field without terms, or none at all, yields nothing. Costs a walk over the
// dictionaries, and over the lists of segments with deleted documents. A walk
// that meets a damaged file ends there; Verify tells what it is.
func (s *Snapshot) Terms(field string) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		done, err := s.use()
		if err != nil {
			return
		}
		defer done()
		walks := s.commit.vocabulary(field)
		for len(walks) > 0 {
			term := least(walks)
			docs := 0
			for i := 0; i < len(walks); {
				t := walks[i]
				if string(t.terms.Term()) != term {
					i++
					continue
				}
				n, err := t.docs()
				if err != nil {
					return
				}
				docs += n
				if t.terms.Next() {
					i++
				} else if t.terms.Err() != nil {
					return
				} else {
					walks = append(walks[:i], walks[i+1:]...)
				}
			}
			if docs > 0 && !yield(term, docs) {
				return
			}
		}
	}
}

// vocabulary is a walk over the terms of a field in one segment.
type vocabulary struct {
	view  *view
	field *segment.FieldReader
	terms *postings.Terms
}

// vocabulary opens walks, at their first terms.
func (c *commit) vocabulary(field string) []*vocabulary {
	var walks []*vocabulary
	for _, v := range c.views {
		f, ok := v.field(field)
		if !ok {
			continue
		}
		if t := (&vocabulary{v, f, f.Dict.Iter()}); t.terms.Next() {
			walks = append(walks, t)
		}
	}
	return walks
}

func least(walks []*vocabulary) string {
	first := walks[0].terms.Term()
	for _, t := range walks[1:] {
		if string(t.terms.Term()) < string(first) {
			first = t.terms.Term()
		}
	}
	return string(first)
}

// docs counts the live documents of the current term.
func (t *vocabulary) docs() (int, error) {
	e, err := t.terms.Entry()
	if err != nil || t.view.deleted.Len() == 0 {
		return int(e.Docs), err
	}
	return t.view.countLive(&run{ctx: context.Background()}, t.field, e)
}
