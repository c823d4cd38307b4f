package action

import (
	"context"
	"errors"
	"fmt"
	"strconv"
)

// String is the selector in the words of a report.
func (s Selector) String() string {
	out := ""
	switch {
	case s.XPath != "":
		out = "xpath " + strconv.Quote(s.XPath)
	case s.CSS != "" && s.Text != "":
		out = fmt.Sprintf("css %q with text %q", s.CSS, s.Text)
	case s.CSS != "":
		out = "css " + strconv.Quote(s.CSS)
	case s.Text != "":
		out = "text " + strconv.Quote(s.Text)
	default:
		return "the element of the loop"
	}
	if s.Nth != 0 {
		out += fmt.Sprintf(" number %d", s.Nth)
	}
	if s.Frame != "" {
		out += " in frame " + strconv.Quote(s.Frame)
	}
	return out
}

// query is a selector as the kit reads it.
type query struct {
	CSS   string  `json:"css,omitempty"`
	XPath string  `json:"xpath,omitempty"`
	Text  string  `json:"text,omitempty"`
	Nth   int     `json:"nth,omitempty"`
	Found bool    `json:"found,omitempty"` // the element that the kit has found itself
	Scope []query `json:"scope,omitempty"` // of loops, from the outermost
}

// state is what the kit says of an element. Why is empty when all is well.
type state struct {
	Why   string  `json:"why"` // missing, hidden, disabled, covered, outside, moving, or another reason in words
	By    string  `json:"by"`  // what covers it
	Count int     `json:"count"`
	X     float64 `json:"x"` // where to click, in the window of its frame
	Y     float64 `json:"y"`
	Mode  string  `json:"mode"` // how a field is filled in
	Said  string  `json:"said"` // what was chosen, pressed or found
	File  string  `json:"file"` // that a click has downloaded

	Width, Height float64 // of the window of the frame, or of an element
	query         query   // what was asked for
	at            spot    // X and Y in the window of the page
}

// query makes the query of a selector in the loops at work.
func (r *run) query(s Selector) query {
	q := query{CSS: s.CSS, XPath: s.XPath, Text: s.Text, Nth: s.Nth}
	if !s.Each {
		return q
	}
	for i := len(r.each) - 1; i >= 0; i-- {
		e := r.each[i]
		in := query{CSS: e.sel.CSS, XPath: e.sel.XPath, Text: e.sel.Text, Nth: e.nth}
		q.Scope = append([]query{in}, q.Scope...)
		if !e.sel.Each {
			break
		}
	}
	return q
}

// frameOf is the rule of the frame that a selector looks in: its own, or that of
// the loops around it.
func (r *run) frameOf(s Selector) string {
	for i := len(r.each) - 1; i >= 0 && s.Each && s.Frame == ""; i-- {
		s = r.each[i].sel
	}
	return s.Frame
}

// ask calls a function of the kit with the query of s in the frames that s
// means, until one has such an element. The frame is the one that the state is
// of.
func (r *run) ask(ctx context.Context, s Selector, fn string, args ...any) (st state, in frame, err error) {
	if s.Each && len(r.each) == 0 {
		return st, in, errors.New("each stands outside of a for-each")
	}
	frames, err := r.frames(ctx, r.frameOf(s))
	if err != nil {
		return state{Why: "missing"}, in, err
	}
	first := true
	for _, f := range frames {
		var one state
		var err error
		if fn == "point" {
			one, err = r.point(ctx, f, r.query(s), args...)
		} else {
			err = r.call(ctx, f, &one, fn, append([]any{r.query(s)}, args...)...)
		}
		if err != nil {
			if f.owner != nil && ctx.Err() == nil {
				continue // the frame has gone
			}
			return st, f, err
		}
		if first || one.Why != "missing" {
			st, in, first = one, f, false
		}
		if one.Why != "missing" && one.Why != "hidden" {
			break
		}
	}
	return st, in, nil
}

// explain says why an element is of no use.
func (st state) explain(s Selector) error {
	switch st.Why {
	case "":
		return nil
	case "missing":
		return missing("nothing matches " + s.String())
	case "hidden":
		return missing(fmt.Sprintf("%s matches %s", s, plural(st.Count, "hidden element")))
	case "disabled":
		return fmt.Errorf("%s is disabled", s)
	case "covered":
		return fmt.Errorf("%s is covered by %s", s, st.By)
	case "outside":
		return fmt.Errorf("%s cannot be scrolled into view", s)
	case "moving":
		return fmt.Errorf("%s does not hold still", s)
	}
	return fmt.Errorf("%s: %s", s, st.Why)
}

// passing are reasons that may pass by themselves.
func (st state) passing() bool {
	switch st.Why {
	case "missing", "hidden", "disabled", "covered", "outside", "moving":
		return true
	}
	return false
}

// ready asks until the element is there and of use.
func (r *run) ready(ctx context.Context, s Selector, fn string, args ...any) (st state, in frame, err error) {
	err = until(ctx, func() error {
		st, in, err = r.ask(ctx, s, fn, args...)
		if err != nil {
			return err
		}
		if st.passing() {
			return &pending{st.explain(s)}
		}
		return st.explain(s)
	})
	return st, in, err
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
