package exec

import (
	"maps"
	"sync"

	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/schema"
)

// Collection is a commit as searches see it, with what they share.
type Collection struct {
	*commit.Commit
	Dicts  sync.Map // by field, the *dictionaryJob of its dictionary
	Shared shared

	asking sync.Mutex
	spoken *spoken // in the languages of the live documents; nil: not asked for yet
}

// NewCollection makes the view that searches have of a commit.
func NewCollection(c *commit.Commit) *Collection { return &Collection{Commit: c} }

// spoken is the languages in which a commit is asked, and the analyzers of these.
type spoken struct {
	Languages []string // nil: no analyzer asks for them
	Analyzers map[string]analysis.Analyzer
}

// Speak returns the analyzers for what is asked of a commit: those that work by the language
// of a text know the given ones, or those that its live documents are in.
func (c *Collection) Speak(all map[string]analysis.Analyzer, languages []string) (*spoken, error) {
	c.asking.Lock()
	defer c.asking.Unlock()
	if c.spoken != nil && languages == nil {
		return c.spoken, nil
	}
	out := &spoken{nil, all}
	for _, f := range c.Schema {
		l, ok := all[f.Analyzer].(analysis.Localizer)
		if !ok || f.Kind != schema.Text {
			continue
		}
		if out.Languages == nil {
			if out.Languages = languages; languages == nil {
				var err error
				if out.Languages, err = c.FindLanguages(); err != nil {
					return nil, err
				}
			}
			out.Analyzers = maps.Clone(all)
		}
		out.Analyzers[f.Analyzer] = l.Among(out.Languages)
	}
	if languages == nil {
		c.spoken = out
	}
	return out, nil
}
