package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/webquarry/quarry/crawler/internal/strictyaml"
)

func (Fill) kind() string   { return "fill" }
func (Select) kind() string { return "select" }
func (Press) kind() string  { return "press" }
func (Submit) kind() string { return "submit" }

func (a Fill) do(ctx context.Context, r *run) (outcome, error) {
	text, err := r.say(a.Value)
	if err != nil {
		return outcome{}, err
	}
	note, err := r.fill(ctx, a.Selector, text, a.Keys)
	return outcome{Done, note}, err
}

// fill writes a text into a field. The note says so when the field made something
// else of it.
func (r *run) fill(ctx context.Context, s Selector, text string, keys bool) (note string, err error) {
	st, in, err := r.ready(ctx, s, "fill", text)
	if err != nil {
		return "", err
	}
	switch {
	case st.Mode == "set" || text == "":
		return "", nil
	case st.Mode == "click":
		_, err := Click{Selector: s}.do(ctx, r)
		return "", err
	case keys:
		return "", typeKeys(ctx, r, text) // which may be for the page alone
	}
	return r.write(ctx, in, text)
}

// write writes a text into the field of a frame that is in focus.
func (r *run) write(ctx context.Context, in frame, text string) (note string, err error) {
	if err := r.insert(ctx, text); err != nil {
		return "", err
	}
	var st state
	if err := r.call(ctx, in, &st, "written", text); err != nil && in.owner == nil {
		return "", err // a frame may go when its field was filled
	}
	if st.Why != "" {
		return "", errors.New(st.Why)
	}
	return st.Said, nil
}

// insert writes a text where the focus is.
func (r *run) insert(ctx context.Context, text string) error {
	_, err := cdp.Call(ctx, r.target, input.InsertText, input.InsertTextParams{Text: text})
	return err
}

func typeKeys(ctx context.Context, r *run, keys string, modifiers ...kb.Modifier) error {
	_, err := chromedp.KeyEvent(keys, chromedp.KeyModifiers(modifiers...))(ctx, r.target)
	return err
}

func (a Select) do(ctx context.Context, r *run) (outcome, error) {
	st, _, err := r.ready(ctx, a.Selector, "choose", a.Values)
	if st.Why == "missing option" {
		err = fmt.Errorf("%s has no option %q; it has %s", a.Selector, st.By, st.Said)
	}
	return outcome{Done, st.Said}, err
}

func (a Press) check() error {
	_, _, err := a.keys()
	return err
}

// keys are what chromedp presses.
func (a Press) keys() (key string, modifiers []kb.Modifier, err error) {
	all := map[string]kb.Modifier{"Control": kb.ModifierCtrl, "Shift": kb.ModifierShift, "Alt": kb.ModifierAlt, "Meta": kb.ModifierMeta}
	key = a.Key
	for {
		before, after, ok := strings.Cut(key, "+")
		m, known := all[before]
		if !ok || !known || after == "" {
			break
		}
		key, modifiers = after, append(modifiers, m)
	}
	if utf8.RuneCountInString(key) == 1 {
		return key, modifiers, nil
	}
	if key == "Space" {
		return " ", modifiers, nil
	}
	var names []string
	for _, r := range slices.Sorted(maps.Keys(kb.Keys)) {
		name := kb.Keys[r].Key
		if name == key {
			return string(r), modifiers, nil
		}
		if len(name) > 1 {
			names = append(names, name)
		}
	}
	return "", nil, fmt.Errorf("there is no key %q%s", key, strictyaml.Suggest(key, names))
}

func (a Press) do(ctx context.Context, r *run) (outcome, error) {
	key, modifiers, err := a.keys()
	if err != nil {
		return outcome{}, err
	}
	if a.On != nil {
		if _, _, err := r.ready(ctx, *a.On, "focus"); err != nil {
			return outcome{}, err
		}
	}
	out, err := r.follow(ctx, func() error {
		for range cmp.Or(a.Times, 1) {
			if err := typeKeys(ctx, r, key, modifiers...); err != nil {
				return err
			}
		}
		return nil
	})
	out.note = a.Key + out.note
	return out, err
}

func (a Submit) check() error {
	if a.Selector == (Selector{Frame: a.Frame}) {
		return nil
	}
	return a.Selector.check()
}

func (a Submit) do(ctx context.Context, r *run) (outcome, error) {
	out, err := r.follow(ctx, func() error {
		if a.Selector != (Selector{Frame: a.Frame}) {
			_, _, err := r.ready(ctx, a.Selector, "submit")
			return err
		}
		st, _, err := r.ask(ctx, a.Selector, "submit")
		if err == nil && st.Why != "" {
			err = errors.New(st.Why)
		}
		return err
	})
	out.note = strings.TrimPrefix(out.note, ", ")
	return out, err
}
