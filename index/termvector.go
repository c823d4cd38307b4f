package index

import (
	"context"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/schema"
)

// TermVector returns how often each term of a field of words or a Keyword occurs in the document of a key;
// nil: there is no such document. Where the field is stored it analyses the text, which costs
// as much as a snippet; else, or where the text is analysed in another way than when it was added, it looks
// through all terms of the document's segment, about a third of a second for half a million of them.
func (s *Snapshot) TermVector(ctx context.Context, key, field string) (terms map[string]int, err error) {
	f, ok := s.schema.Find(field)
	if !ok {
		return nil, &schema.Error{Field: field, Msg: "not in the schema"}
	}
	if f.Kind != schema.Text && f.Kind != schema.Keyword {
		return nil, &schema.Error{Field: field, Msg: "a " + f.Kind.String() + " field, which has no terms"}
	}
	err = s.read(func() error {
		p, err := s.planner(ctx, SearchOptions{})
		if err != nil {
			return err
		}
		defer p.Run.Leave()
		v, doc, err := commit.Find(s.commit.Views, key)
		if v == nil || err != nil {
			return err
		}
		all, err := p.TermVectors(f, []exec.FoundDoc{{View: v, Doc: doc}})
		if err == nil {
			terms = all[0]
		}
		return err
	})
	return terms, err
}
