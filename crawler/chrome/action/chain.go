package action

import (
	"cmp"
	"context"
	"time"
)

// Chain is what to do in a tab, step by step. It is a plain value: written in Go,
// in YAML or in JSON ([Parse]), and never changed by running.
type Chain struct {
	Name    string        `yaml:"name"`           // for reports
	Timeout time.Duration `yaml:"timeout"`        // of the whole chain; 5m
	Steps   Steps         `yaml:"steps,required"` // in order; the first that fails ends the chain
}

// Limit is Timeout, or its default.
func (c *Chain) Limit() time.Duration { return cmp.Or(c.Timeout, 5*time.Minute) }

// Steps are done in order.
type Steps []Step

// Step is one action and how it is to be done. In YAML it is a mapping with the
// name of the action as a key beside these fields, or that name alone.
type Step struct {
	Do       Action        `yaml:"-"`
	Name     string        `yaml:"name"`     // for reports
	Timeout  time.Duration `yaml:"timeout"`  // of this step; 30s, and of loops their max-time and 30s more
	Optional bool          `yaml:"optional"` // when it fails, the chain goes on
}

// Action is one of the actions of this package: [Navigate], [Wait], [Click] and
// so on.
type Action interface {
	kind() string // its name in YAML
	do(ctx context.Context, r *run) (outcome, error)
}

// actions are all there are, as zero values.
func actions() []Action {
	return []Action{
		Navigate{}, Wait{}, Click{}, ClickWhile{}, Scroll{}, Fill{}, Select{}, Press{}, Hover{}, Submit{},
		Dismiss{}, Eval{}, Screenshot{}, PDF{}, Snapshot{}, Extract{}, Paginate{}, ForEach{}, IfExists{},
		Login{}, Set{}, FindLinks{},
	}
}

// Selector finds elements, as the browser sees the page at that moment. One of
// CSS, XPath and Text is required, and Text may go with CSS: elements that match
// and hold the text. CSS and Text see into open shadow roots. Where one element
// is meant and several match, it is the first that is visible.
//
// A text is what a reader of the page sees: not what stands in scripts, templates,
// attributes (but aria-label) or fields, and not what is not displayed, invisible,
// transparent, folded in or beside the page. An element that has to be scrolled to
// is seen.
type Selector struct {
	CSS   string `yaml:"css,short"`  // a >>> b finds b within the shadow root of a
	XPath string `yaml:"xpath"`      // 1.0; does not see into shadow roots
	Text  string `yaml:"text"`       // of the smallest element that holds it, in any case and spacing; one that is nothing else comes first
	Nth   int    `yaml:"nth,signed"` // of the matches, from 1 on, or from -1 on from the end; 0: the first that is visible
	Frame string `yaml:"frame"`      // the frame to look in: its name, its id, a glob of its URL, or * for any; empty: the page itself
	Each  bool   `yaml:"each"`       // look within the element that for-each is at; without css, xpath and text that element itself
}

// Value is a text, or the name of an environment variable that holds it. What
// comes from the environment is never reported.
type Value struct {
	Text string `yaml:"text,short"` // as it stands
	Env  string `yaml:"env"`        // name of the variable
}
