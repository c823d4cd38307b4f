package index

import (
	"context"
	"iter"
	"strings"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
)

// TermOptions say which terms [Snapshot.Terms] walks; the zero value: all.
type TermOptions struct {
	Prefix string // only terms that begin with it
	From   string // only this term and those behind it
}

// Terms is a walk over the terms of a field.
type Terms struct {
	ctx      context.Context
	snapshot *Snapshot
	field    string
	opt      TermOptions
	err      error
}

// Terms returns a walk over the terms of a field, which must be of words or a
// Keyword that is searched: the vocabulary, for corrections and completion.
func (s *Snapshot) Terms(ctx context.Context, field string, opt TermOptions) *Terms {
	return &Terms{ctx: ctx, snapshot: s, field: field, opt: opt}
}

// Err says why the last walk has ended early: the context, a closed snapshot, a
// damaged file, or a [*SchemaError] for a field that has no terms by its kind. It is nil after a
// walk that has come to its end or was left.
func (t *Terms) Err() error { return t.err }

// termsAtATime is how many terms are read between looks at the context.
const termsAtATime = 256

// All yields the terms in ascending order of their bytes, each with the number of
// documents that hold it. When it ends, Err says whether these are all. It may be called again. Costs a walk over
// the dictionaries from the first term that is asked for, and over the lists of
// segments with deleted documents.
func (t *Terms) All() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		t.err = t.each(yield)
	}
}

func (t *Terms) each(yield func(string, int) bool) error {
	if f, ok := t.snapshot.schema.Find(t.field); !ok {
		return &schema.Error{Field: t.field, Msg: "not in the schema"}
	} else if f.Kind != schema.Text && f.Kind != schema.Keyword {
		return &schema.Error{Field: t.field, Msg: "a " + f.Kind.String() + " field, which has no terms"}
	}
	done, err := t.snapshot.use()
	if err != nil {
		return err
	}
	defer done()
	c := t.snapshot.commit
	w := &vocabulary{run: &exec.Run{Ctx: t.ctx}}
	if err := c.Read(func() error { return w.open(c, t.field, max(t.opt.From, t.opt.Prefix)) }); err != nil {
		return err
	}
	var some []termDocs
	for len(w.of) > 0 {
		if t.ctx.Err() != nil {
			return context.Cause(t.ctx)
		}
		// Nobody else's code runs while files are read.
		err := c.Read(func() (err error) {
			some, err = w.next(some[:0])
			return err
		})
		if err != nil {
			return err
		}
		for _, term := range some {
			if !strings.HasPrefix(term.text, t.opt.Prefix) {
				return nil // prefixes are in one stretch, and it was sought
			}
			if !yield(term.text, term.docs) {
				return nil
			}
		}
	}
	return nil
}

type termDocs struct {
	text string
	docs int
}

// vocabulary walks the dictionaries of a field in all segments.
type vocabulary struct {
	run *exec.Run
	of  []*segmentTerms // that are not at their end
}

// segmentTerms is a walk over the terms of a field in one segment.
type segmentTerms struct {
	view  *commit.View
	field *segment.FieldReader
	terms *postings.Terms
}

// open opens the walks, at the first terms that are not less than from.
func (w *vocabulary) open(c *exec.Collection, field, from string) error {
	for _, v := range c.Views {
		f, ok := v.Field(field)
		if !ok {
			continue
		}
		t := &segmentTerms{v, f, f.Dict.Iter()}
		if t.terms.Seek([]byte(from)) {
			w.of = append(w.of, t)
		} else if err := t.terms.Err(); err != nil {
			return v.Damage(err)
		}
	}
	return nil
}

// next appends the next terms that live documents hold.
func (w *vocabulary) next(out []termDocs) ([]termDocs, error) {
	for range termsAtATime {
		if len(w.of) == 0 {
			break
		}
		first := w.of[0].terms.Term()
		for _, t := range w.of[1:] {
			if string(t.terms.Term()) < string(first) {
				first = t.terms.Term()
			}
		}
		term := termDocs{text: string(first)}
		for i := 0; i < len(w.of); {
			t := w.of[i]
			if string(t.terms.Term()) != term.text {
				i++
				continue
			}
			n, err := t.docs(w.run)
			if err != nil {
				return nil, t.view.Damage(err)
			}
			term.docs += n
			if t.terms.Next() {
				i++
			} else if err := t.terms.Err(); err != nil {
				return nil, t.view.Damage(err)
			} else {
				w.of = append(w.of[:i], w.of[i+1:]...)
			}
		}
		if term.docs > 0 {
			out = append(out, term)
		}
	}
	return out, nil
}

// docs counts the live documents of the current term.
func (t *segmentTerms) docs(r *exec.Run) (int, error) {
	e, err := t.terms.Entry()
	if err != nil || t.view.Deleted.Len() == 0 {
		return int(e.Docs), err
	}
	return t.view.CountLive(r.Check, t.field, e)
}
