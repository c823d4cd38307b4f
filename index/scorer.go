package index

import (
	"errors"
	"reflect"

	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// keptScorer is a scorer as a commit keeps it: one of package rank as text, or the name of
// the type of any other.
type keptScorer struct {
	Text string `json:"text,omitempty"` // see rank.FormatScorer
	Type string `json:"type,omitempty"` // of another: the Go type, for messages
}

// keepScorer returns what a commit keeps of a scorer. It is nil when there is no scorer.
func keepScorer(s rank.Scorer) *keptScorer {
	if s == nil {
		return nil
	}
	if text, ok := rank.FormatScorer(s); ok {
		return &keptScorer{Text: text}
	}
	return &keptScorer{Type: reflect.TypeOf(s).String()}
}

// scorer returns the scorer that was kept. It is nil when none was, and when only the
// name of its type was.
func (k *keptScorer) scorer() (rank.Scorer, error) {
	switch {
	case k == nil || k.Type != "" && k.Text == "":
		return nil, nil
	case k.Type != "":
		return nil, errors.New("a scorer with both a text and a type")
	}
	return rank.ParseScorer(k.Text)
}

// scoredBy returns the scorer of a search: its own, that of the options that the index
// was opened with, or the one that is kept with the index.
func (p *planner) scoredBy(own rank.Scorer) rank.Scorer {
	switch kept := p.commit.manifest.Scorer; {
	case own != nil:
		return own
	case p.ix.opt.Scorer != nil:
		return p.ix.opt.Scorer
	case p.commit.scorer != nil:
		return p.commit.scorer
	case kept != nil:
		p.warn(query.WarnNoScorer, "", "the index was made with the scorer %s, which is not kept with it: rank.BM25F ranks unless Options.Scorer is set", kept.Type)
	}
	return rank.BM25F{}
}
