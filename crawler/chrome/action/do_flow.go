package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

func (Paginate) kind() string { return "paginate" }
func (ForEach) kind() string  { return "for-each" }
func (IfExists) kind() string { return "if-exists" }

const listTime = 5 * time.Minute // default max-time of lists of pages

func (a Paginate) patience() time.Duration { return cmp.Or(a.MaxTime, listTime) }

func (a Paginate) do(ctx context.Context, r *run) (outcome, error) {
	most, idle := cmp.Or(a.Max, 100), cmp.Or(a.Idle, 5*time.Second)
	stop := time.Now().Add(a.patience())
	do := a.Do
	if do == nil {
		do = Steps{{Do: Snapshot{}}}
	}
	seen := map[int]bool{}
	for n := 1; ; n++ {
		ended := func(e End, why string) (outcome, error) {
			return outcome{e, fmt.Sprintf("%s: %s", plural(n, "page"), why)}, nil
		}
		if err := r.round(ctx, do, n); err != nil {
			return outcome{Failed, fmt.Sprintf("page %d", n)}, err
		}
		if n >= most {
			return ended(Cap, fmt.Sprintf("max is %d", most))
		}
		if time.Now().After(stop) {
			return ended(Cap, "max-time is over")
		}
		st, in, reason, err := r.usable(ctx, a.Selector, idle)
		if err != nil {
			return outcome{}, err
		}
		if reason != nil {
			return ended(Gone, reason.Error())
		}
		before, err := r.mark(ctx, in)
		if err != nil {
			return outcome{}, err
		}
		seen[before] = true
		after, err := r.turn(ctx, in, st, a.Selector, before, idle)
		switch {
		case err != nil:
			return outcome{}, err
		case after == before:
			return ended(NoGrowth, "the next one is the same")
		case seen[after]:
			return ended(NoGrowth, "the next one has been before")
		}
	}
}

// mark is a number for what a frame shows.
func (r *run) mark(ctx context.Context, in frame) (int, error) {
	var st state
	err := r.call(ctx, in, &st, "print", nil)
	return st.Count, err
}

// turn clicks to the next page, and waits for a limited time until another is
// shown and has come to rest.
func (r *run) turn(ctx context.Context, in frame, st state, s Selector, before int, idle time.Duration) (after int, err error) {
	if _, err := r.follow(ctx, func() error { return r.click(ctx, in, st, s, "left", 1) }); err != nil {
		return 0, err
	}
	var last int
	for end := time.Now().Add(idle); time.Now().Before(end); {
		if after, err = r.mark(ctx, in); err != nil {
			return 0, err
		}
		if after != before && after == last && r.quiet() > 100*time.Millisecond {
			break
		}
		last = after
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return 0, err
		}
	}
	return after, nil
}

func (a ForEach) check() error {
	if a.Nth != 0 {
		return errors.New("nth does not go with for-each")
	}
	return nil
}

func (a ForEach) patience() time.Duration { return cmp.Or(a.MaxTime, listTime) }

func (a ForEach) do(ctx context.Context, r *run) (outcome, error) {
	st, _, err := r.ask(ctx, a.Selector, "count")
	if err != nil {
		return outcome{}, err
	}
	if st.Count == 0 {
		return outcome{Gone, fmt.Sprintf("nothing matches %s", a.Selector)}, nil
	}
	entry, err := r.entry(ctx)
	if err != nil {
		return outcome{}, err
	}
	total, most := st.Count, cmp.Or(a.Max, 100)
	stop := time.Now().Add(a.patience())
	for n := 1; n <= total; n++ {
		if n > most {
			return outcome{Cap, fmt.Sprintf("%d of %s: max is %d", n-1, plural(total, "element"), most)}, nil
		}
		if time.Now().After(stop) {
			return outcome{Cap, fmt.Sprintf("%d of %s: max-time is over", n-1, plural(total, "element"))}, nil
		}
		r.each = append(r.each, element{a.Selector, n})
		err := r.round(ctx, a.Do, n)
		r.each = r.each[:len(r.each)-1]
		if err == nil {
			err = r.back(ctx, entry, a.Selector, n, total)
		}
		if err != nil {
			return outcome{Failed, fmt.Sprintf("element %d of %d", n, total)}, err
		}
	}
	return outcome{Done, plural(total, "element")}, nil
}

// entry is where the tab is in its history.
func (r *run) entry(ctx context.Context) (int64, error) {
	h, err := cdp.Call(ctx, r.target, page.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return 0, err
	}
	return h.Entries[h.CurrentIndex].ID, nil
}

// back goes to where the tab was, unless it is there, and waits for the next
// element of the loop.
func (r *run) back(ctx context.Context, to int64, s Selector, n, total int) error {
	at, err := r.entry(ctx)
	if err != nil || at == to {
		return err
	}
	if _, err := r.follow(ctx, func() error {
		_, err := cdp.Call(ctx, r.target, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: to})
		return err
	}); err != nil || n == total {
		return err
	}
	short, stop := context.WithTimeout(ctx, loadTime)
	defer stop()
	err = until(short, func() error {
		st, _, err := r.ask(short, s, "count")
		if err == nil && st.Count <= n {
			return &pending{fmt.Errorf("back on the page there are %s, no more %d: %s", plural(st.Count, "element"), total, s)}
		}
		return err
	})
	if p, ok := errors.AsType[*pending](err); ok && ctx.Err() == nil {
		return p.why
	}
	return err
}

func (a IfExists) check() error {
	if len(a.Then) == 0 && len(a.Else) == 0 {
		return errors.New("then or else is missing")
	}
	return nil
}

func (a IfExists) patience() time.Duration { return a.MaxTime + listTime }

func (a IfExists) do(ctx context.Context, r *run) (outcome, error) {
	end := time.Now().Add(a.MaxTime)
	var st state
	err := until(ctx, func() (err error) {
		st, _, err = r.ask(ctx, a.Selector, "look")
		if _, ok := errors.AsType[*pending](err); ok {
			err = nil
		}
		if err == nil && st.Why != "" && time.Now().Before(end) {
			return &pending{st.explain(a.Selector)}
		}
		return err
	})
	if err != nil {
		return outcome{}, err
	}
	if st.Why != "" {
		return outcome{Gone, st.explain(a.Selector).Error()}, r.branch(ctx, a.Else, "else")
	}
	return outcome{Met, a.Selector.String()}, r.branch(ctx, a.Then, "then")
}

// branch does steps under a name in place of a round.
func (r *run) branch(ctx context.Context, steps Steps, name string) error {
	at := r.at
	defer func() { r.at = at }()
	return r.steps(ctx, steps, at+"."+name)
}
