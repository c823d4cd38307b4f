package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

func (Click) kind() string      { return "click" }
func (Hover) kind() string      { return "hover" }
func (ClickWhile) kind() string { return "click-while" }
func (Scroll) kind() string     { return "scroll" }

const loopTime = time.Minute // default max-time

func (a Click) do(ctx context.Context, r *run) (outcome, error) {
	st, in, err := r.ready(ctx, a.Selector, "point")
	if err != nil {
		return outcome{}, err
	}
	out, err := r.follow(ctx, func() error {
		return r.click(ctx, in, st, a.Selector, cmp.Or(a.Button, "left"), cmp.Or(a.Times, 1))
	})
	out.note = fmt.Sprintf("%q%s", st.Said, out.note)
	return out, err
}

func (a Hover) do(ctx context.Context, r *run) (outcome, error) {
	st, _, err := r.ready(ctx, a.Selector, "point", true)
	if err != nil {
		return outcome{}, err
	}
	return outcome{Done, fmt.Sprintf("%q", st.Said)}, r.mouse(ctx, input.DispatchMouseEventParams{Type: chromedp.MouseMoved, X: st.at.x, Y: st.at.y})
}

func (r *run) mouse(ctx context.Context, p input.DispatchMouseEventParams) error {
	_, err := cdp.Call(ctx, r.target, input.DispatchMouseEvent, p)
	return err
}

// point finds where in the page an element of a frame can be clicked. It and the
// frames around it are scrolled into view, and nothing may cover them.
func (r *run) point(ctx context.Context, in frame, q query, args ...any) (st state, err error) {
	err = r.call(ctx, in, &st, "point", append([]any{q}, args...)...)
	if st.query = q; err != nil || st.Why != "" {
		return st, err
	}
	for _, block := range []string{"", "start", "center", "end"} { // what is covered in one place may not be in another
		if block != "" {
			if err := r.center(ctx, in, block); err != nil {
				return st, err
			}
		}
		if err := r.lay(ctx, in, &st); err != nil || st.By == "" {
			return st, err
		}
	}
	st.Why = "covered"
	return st, nil
}

// lay puts the point of a state into the window of the page, through all frames
// around. By is what covers it there; empty: nothing does.
func (r *run) lay(ctx context.Context, f frame, st *state) error {
	st.By, st.at = "", spot{st.X, st.Y}
	for size := (spot{st.Width, st.Height}); f.owner != nil && st.By == ""; {
		up, at, err := r.raise(ctx, f, size, st.at)
		if err != nil {
			return err
		}
		st.at = at[0]
		if st.By, err = r.over(ctx, f, st.at); err != nil {
			return err
		}
		if f = up; f.owner != nil {
			if size, err = r.windowOf(ctx, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// click clicks what a state points at, and does it anew when that has moved away
// or been covered meanwhile: nothing else is clicked then.
func (r *run) click(ctx context.Context, in frame, st state, s Selector, button string, times int) error {
	return until(ctx, func() error {
		if st.Why != "" {
			var err error
			if st, err = r.point(ctx, in, st.query); err != nil {
				return err
			}
		}
		if st.Why == "" {
			q := st.query
			var err error
			if st, err = r.strike(ctx, in, st, button, times); err != nil {
				return err
			}
			st.query = q
		}
		if st.passing() {
			return &pending{st.explain(s)}
		}
		return st.explain(s)
	})
}

// strike clicks once, or several times at once. The state says whether it hit.
func (r *run) strike(ctx context.Context, in frame, st state, button string, times int) (now state, err error) {
	p := input.DispatchMouseEventParams{Type: chromedp.MouseMoved, X: st.at.x, Y: st.at.y}
	if err := r.mouse(ctx, p); err != nil {
		return now, err
	}
	if err := r.call(ctx, in, &now, "arm", st.X, st.Y); err != nil || now.Why != "" {
		return now, err
	}
	p.Button = input.MouseButton(button)
	p.Buttons = map[string]int64{"left": 1, "right": 2, "middle": 4}[button]
	for i := range times {
		p.ClickCount = int64(i + 1)
		p.Type = chromedp.MousePressed
		if err := r.mouse(ctx, p); err != nil {
			return now, err
		}
		p.Type = chromedp.MouseReleased
		if err := r.mouse(ctx, p); err != nil {
			return now, err
		}
	}
	err = r.call(ctx, in, &now, "struck")
	if err != nil && in.owner != nil && ctx.Err() == nil {
		return state{}, nil // the frame has gone by the click
	}
	if now.File != "" {
		r.watch.mu.Lock()
		r.led("downloads", now.File)
		r.watch.mu.Unlock()
	}
	return now, err
}

// usable asks for a limited time until something can be clicked; the reason is
// that it cannot. What is missing while nothing is being loaded is gone for good.
func (r *run) usable(ctx context.Context, s Selector, limit time.Duration) (st state, in frame, reason error, err error) {
	short, stop := context.WithTimeout(ctx, limit)
	defer stop()
	since := time.Now()
	err = until(short, func() error {
		st, in, err = r.ask(short, s, "point")
		if err != nil {
			return err
		}
		reason = st.explain(s)
		if reason == nil || st.Why == "missing" && min(r.quiet(), time.Since(since)) > stableTime {
			return nil
		}
		if !st.passing() {
			return reason
		}
		return &pending{reason}
	})
	if p, ok := errors.AsType[*pending](err); ok && ctx.Err() == nil {
		return st, in, p.why, nil
	}
	if err != nil && ctx.Err() == nil && short.Err() != nil {
		return st, in, fmt.Errorf("the page does not answer within %s", limit), nil
	}
	return st, in, reason, err
}

// extent is what a page, or what is within an element, amounts to.
type extent struct {
	Why    string
	Count  int     // of elements
	Height float64 // of its content
	Top    float64 // scrolled so far
	View   float64 // seen at once
}

func (e extent) atEnd() bool { return e.Top+e.View >= e.Height-2 }

// extentIn measures in a frame; within and items may be nil.
func (r *run) extentIn(ctx context.Context, in frame, within, items *Selector) (e extent, err error) {
	err = r.call(ctx, in, &e, "size", r.maybe(within), r.maybe(items))
	return e, err
}

func (r *run) maybe(s *Selector) *query {
	if s == nil {
		return nil
	}
	q := r.query(*s)
	return &q
}

// grows waits until there is more than before, for a limited time.
func (r *run) grows(ctx context.Context, in frame, within, items *Selector, before extent, limit time.Duration) (now extent, more bool, err error) {
	for end := time.Now().Add(limit); ; {
		if now, err = r.extentIn(ctx, in, within, items); err != nil {
			return now, false, err
		}
		if now.Count > before.Count || items == nil && now.Height > before.Height+2 {
			return now, true, nil
		}
		// What is still to come is most often asked for by now.
		if half := limit / 2; time.Until(end) < half && r.quiet() > half || time.Now().After(end) {
			return now, false, nil
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return now, false, err
		}
	}
}

func (a ClickWhile) patience() time.Duration { return cmp.Or(a.MaxTime, loopTime) }

func (a ClickWhile) do(ctx context.Context, r *run) (outcome, error) {
	most, idle := cmp.Or(a.Max, 100), cmp.Or(a.Idle, 3*time.Second)
	stop := time.Now().Add(a.patience())
	first, count := -1, 0
	for n := 0; ; n++ {
		note := func(why string) string {
			return fmt.Sprintf("%s, %s more: %s", plural(n, "click"), plural(count-max(first, 0), "element"), why)
		}
		if n >= most {
			return outcome{Cap, note(fmt.Sprintf("max is %d", most))}, nil
		}
		if time.Now().After(stop) {
			return outcome{Cap, note("max-time is over")}, nil
		}
		st, in, reason, err := r.usable(ctx, a.Selector, idle)
		if err != nil {
			return outcome{}, err
		}
		if reason != nil {
			return outcome{Gone, note(reason.Error())}, nil
		}
		before, err := r.extentIn(ctx, in, nil, a.Items)
		if err != nil {
			return outcome{}, err
		}
		if first < 0 {
			first, count = before.Count, before.Count
		}
		if _, err := r.follow(ctx, func() error { return r.click(ctx, in, st, a.Selector, "left", 1) }); err != nil {
			return outcome{}, err
		}
		now, more, err := r.grows(ctx, in, nil, a.Items, before, idle)
		if err != nil {
			return outcome{}, err
		}
		count = now.Count
		if !more {
			n++
			return outcome{NoGrowth, note("the last one added nothing within " + idle.String())}, nil
		}
		if err := r.round(ctx, a.Do, n+1); err != nil {
			return outcome{Failed, note("a step within failed")}, err
		}
	}
}

func (a Scroll) patience() time.Duration { return cmp.Or(a.MaxTime, loopTime) }

func (a Scroll) do(ctx context.Context, r *run) (outcome, error) {
	in := r.mainFrame()
	if a.Within != nil {
		var err error
		if _, in, err = r.ready(ctx, *a.Within, "look"); err != nil {
			return outcome{}, err
		}
	}
	most, idle, high := cmp.Or(a.Max, 1000), cmp.Or(a.Idle, 2*time.Second), cmp.Or(a.MaxHeight, 1_000_000)
	stop := time.Now().Add(a.patience())
	first, err := r.extentIn(ctx, in, a.Within, a.Items)
	if err != nil {
		return outcome{}, err
	}
	for n, now := 0, first; ; n++ {
		if err := r.round(ctx, a.Do, n+1); err != nil {
			return outcome{Failed, scrolled(n, first, now, "a step within failed")}, err
		}
		switch {
		case n >= most:
			return outcome{Cap, scrolled(n, first, now, fmt.Sprintf("max is %d", most))}, nil
		case now.Height > float64(high):
			return outcome{Cap, scrolled(n, first, now, fmt.Sprintf("max-height is %d", high))}, nil
		case time.Now().After(stop):
			return outcome{Cap, scrolled(n, first, now, "max-time is over")}, nil
		}
		next, more, err := a.step(ctx, r, in, now, idle)
		if err != nil {
			return outcome{}, err
		}
		now = next
		if !more {
			why := "nothing grows at the end"
			if a.Within == nil && first.Height <= first.View && n == 0 {
				why = "the page itself does not scroll; name what does by within"
			}
			return outcome{NoGrowth, scrolled(n, first, now, why)}, nil
		}
	}
}

func scrolled(n int, first, now extent, why string) string {
	return fmt.Sprintf("%s, %.0f pixels high, %s more: %s", plural(n, "step"), now.Height, plural(max(now.Count-first.Count, 0), "element"), why)
}

// rest waits for a limited time until what is shown has not changed for a moment,
// so that lists which fill in their rows have done so.
func (r *run) rest(ctx context.Context, in frame, within *Selector, limit time.Duration) error {
	const moment = 40 * time.Millisecond
	last := state{Count: -1}
	for end := time.Now().Add(limit); time.Now().Before(end); {
		var now state
		if err := r.call(ctx, in, &now, "print", r.maybe(within)); err != nil {
			return err
		}
		if now.Count == last.Count && r.quiet() > moment {
			return nil
		}
		last.Count = now.Count
		if err := sleep(ctx, moment); err != nil {
			return err
		}
	}
	return nil
}

// step scrolls once, and at the end waits for growth. Not more means that there
// was nowhere to go. The page is drawn before as well: observers of what comes into
// sight are told of changes from frame to frame, and have to see it out of sight.
func (a Scroll) step(ctx context.Context, r *run, in frame, before extent, idle time.Duration) (now extent, more bool, err error) {
	if err := r.call(ctx, in, nil, "drawn"); err != nil {
		return now, false, err
	}
	if err = r.call(ctx, in, &now, "scroll", r.maybe(a.Within), a.By, a.Jump); err != nil {
		return now, false, err
	}
	if err := r.call(ctx, in, nil, "drawn"); err != nil {
		return now, false, err
	}
	moved := now.Top > before.Top+1
	if len(a.Do) > 0 {
		if err := r.rest(ctx, in, a.Within, idle); err != nil {
			return now, false, err
		}
	}
	if now, err = r.extentIn(ctx, in, a.Within, a.Items); err != nil || moved && !now.atEnd() {
		return now, err == nil, err
	}
	grown, more, err := r.grows(ctx, in, a.Within, a.Items, before, idle)
	if err == nil && !more && grown.Top > 0 {
		if err = a.back(ctx, r, in, grown); err == nil {
			grown, more, err = r.grows(ctx, in, a.Within, a.Items, before, idle/2)
		}
	}
	return grown, more || moved && len(a.Do) > 0, err
}

// back scrolls up from the end and down again, as people do when nothing comes: a
// page may have missed that its end came into sight, as when it was busy then, and
// hears of it only when that leaves and comes again.
func (a Scroll) back(ctx context.Context, r *run, in frame, at extent) error {
	for _, up := range []int{-2 * int(at.View), 0} {
		if err := r.call(ctx, in, nil, "scroll", r.maybe(a.Within), up, up == 0); err != nil {
			return err
		}
		if err := r.call(ctx, in, nil, "drawn"); err != nil {
			return err
		}
	}
	return nil
}
