package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

func (Dismiss) kind() string { return "dismiss" }

func (a Dismiss) do(ctx context.Context, r *run) (outcome, error) {
	limit := cmp.Or(a.MaxTime, time.Second)
	short, stop := context.WithTimeout(ctx, limit)
	defer stop()
	if a.Button != nil {
		return a.known(ctx, short, r)
	}
	var st state
	var in frame
	err := until(short, func() (err error) {
		if st, in, err = r.consent(short, a.Choice != "accept"); err != nil || st.Why != "missing" {
			return err
		}
		return &pending{errors.New("no dialog")}
	})
	switch {
	case err != nil && ctx.Err() == nil && short.Err() != nil:
		return outcome{Gone, "no dialog within " + limit.String()}, nil
	case err != nil:
		return outcome{}, err
	case st.Why != "":
		return outcome{}, fmt.Errorf("there is a dialog, %s, but %s; name its button", st.By, st.Why)
	}
	said, choice := st.Said, st.Mode
	if err := r.press(ctx, in); err != nil {
		return outcome{}, err
	}
	return outcome{Done, fmt.Sprintf("%q, which means %s", said, choice)}, nil
}

// known presses the button that the step names.
func (a Dismiss) known(ctx, short context.Context, r *run) (outcome, error) {
	st, in, err := r.ready(short, *a.Button, "point")
	if err != nil {
		if ctx.Err() == nil && short.Err() != nil {
			return outcome{Gone, st.explain(*a.Button).Error()}, nil
		}
		return outcome{}, err
	}
	_, err = r.follow(ctx, func() error { return r.click(ctx, in, st, *a.Button, "left", 1) })
	return outcome{Done, fmt.Sprintf("%q", st.Said)}, err
}

// consent looks for a dialog in the page and its frames.
func (r *run) consent(ctx context.Context, reject bool) (st state, in frame, err error) {
	frames, err := r.frames(ctx, "*")
	if err != nil {
		return st, in, err
	}
	for _, f := range frames {
		err := r.call(ctx, f, &st, "consent", reject)
		if err == nil && st.Why != "missing" {
			return st, f, nil
		}
		if err != nil && (f.owner == nil || ctx.Err() != nil) {
			return st, f, err
		}
	}
	return state{Why: "missing"}, in, nil
}

// press clicks what the kit has found, and waits until it is gone.
func (r *run) press(ctx context.Context, in frame) error {
	var st state
	q := query{Found: true}
	what := Selector{CSS: "the button"}
	err := until(ctx, func() (err error) {
		if st, err = r.point(ctx, in, q); err != nil {
			return err
		}
		if st.Why == "missing" {
			return errors.New("the button is gone")
		}
		if st.Why != "" {
			return &pending{st.explain(what)}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := r.follow(ctx, func() error { return r.click(ctx, in, st, what, "left", 1) }); err != nil {
		return err
	}
	short, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	_ = until(short, func() error { // some dialogs fade, some stay as a mark in the corner
		var now state
		if err := r.call(short, in, &now, "look", q); err != nil || now.Why != "" {
			return nil
		}
		return &pending{errors.New("the dialog is still there")}
	})
	return nil
}
