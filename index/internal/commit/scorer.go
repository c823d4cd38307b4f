package commit

import (
	"errors"
	"reflect"

	"github.com/webquarry/quarry/rank"
)

// Scorer is a scorer as a commit keeps it: one of package rank as text, or the name of
// the type of any other.
type Scorer struct {
	Text string `json:"text,omitempty"` // see rank.FormatScorer
	Type string `json:"type,omitempty"` // of another: the Go type, for messages
}

// Keep returns what a commit keeps of a scorer. It is nil when there is no scorer.
func Keep(s rank.Scorer) *Scorer {
	if s == nil {
		return nil
	}
	if text, ok := rank.FormatScorer(s); ok {
		return &Scorer{Text: text}
	}
	return &Scorer{Type: reflect.TypeOf(s).String()}
}

// scorer returns the scorer that was kept. It is nil when none was, and when only the
// name of its type was.
func (k *Scorer) scorer() (rank.Scorer, error) {
	switch {
	case k == nil || k.Type != "" && k.Text == "":
		return nil, nil
	case k.Type != "":
		return nil, errors.New("a scorer with both a text and a type")
	}
	return rank.ParseScorer(k.Text)
}
