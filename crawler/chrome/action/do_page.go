package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

func (Navigate) kind() string { return "navigate" }
func (Wait) kind() string     { return "wait" }

// ErrorHeader is the header in which the proxy of a browser says why it could not
// get a page, for navigate to tell.
const ErrorHeader = "X-Quarry-Error"

// MarkCookie is the name of a cookie by which the proxy of a browser tells which
// requests of a page are to know its visitor. It is none of a site, and not kept.
const MarkCookie = "__quarry"

const (
	loadTime   = 10 * time.Second       // for a page to load, before the chain goes on
	followTime = 50 * time.Millisecond  // for a click to begin a navigation
	stableTime = 500 * time.Millisecond // without change: stable
)

func (a Navigate) do(ctx context.Context, r *run) (outcome, error) {
	to, err := r.resolve(ctx, a.URL)
	if err != nil {
		return outcome{}, err
	}
	return r.navigate(ctx, to, cmp.Or(a.Until, "load"), cmp.Or(a.MaxTime, loadTime))
}

// where is the URL of the page.
func (r *run) where(ctx context.Context) (string, error) {
	var at struct{ URL string }
	err := r.call(ctx, r.mainFrame(), &at, "page")
	return at.URL, err
}

// resolve makes a URL absolute.
func (r *run) resolve(ctx context.Context, ref string) (string, error) {
	base, err := r.where(ctx)
	if err != nil {
		return "", err
	}
	if !web(base) {
		base = r.URL
	}
	u, err := url.Parse(ref)
	if err == nil && base != "" {
		var b *url.URL
		if b, err = url.Parse(base); err == nil {
			u = b.ResolveReference(u)
		}
	}
	if err != nil {
		return "", err
	}
	if !web(u.String()) {
		if u.Scheme == "" {
			return "", fmt.Errorf("%q is relative, and there is no page yet", ref)
		}
		return "", fmt.Errorf("%q is neither http nor https", ref)
	}
	return u.String(), nil
}

// web reports whether a URL is one of http or https with a host.
func web(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func originOf(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// navigate opens a URL.
func (r *run) navigate(ctx context.Context, to, until string, limit time.Duration) (outcome, error) {
	if r.Allow != nil {
		if err := r.Allow(to); err != nil {
			return outcome{}, fmt.Errorf("%w: %s: %w", ErrRefused, to, err)
		}
	}
	if err := r.setWaiting(ctx, to); err != nil {
		return outcome{}, err
	}
	res, err := cdp.Call(ctx, r.target, page.Navigate, page.NavigateParams{URL: to})
	switch {
	case err != nil:
		return outcome{}, err
	case res.IsDownload:
		return outcome{}, fmt.Errorf("%s is a download, not a page", to)
	case res.ErrorText != "":
		return outcome{}, fmt.Errorf("cannot open %s: %s", to, res.ErrorText)
	case res.LoaderID == "":
		return outcome{Done, to}, nil // another fragment of the same page
	}
	out, err := r.loaded(ctx, until, limit)
	status, header := r.watch.document()
	if why := header.Get(ErrorHeader); err == nil && why != "" {
		return outcome{}, fmt.Errorf("cannot open %s: %s", to, why)
	}
	out.note = fmt.Sprintf("%s, status %d%s", to, status, out.note)
	return out, err
}

// loaded waits until the page is there. The note begins with a comma.
func (r *run) loaded(ctx context.Context, how string, limit time.Duration) (outcome, error) {
	short, stop := context.WithTimeout(ctx, limit)
	defer stop()
	err := until(short, func() error {
		var at struct{ Ready string }
		if err := r.call(short, r.mainFrame(), &at, "page"); err != nil {
			return err
		}
		_, loading := r.navigations()
		if how == "commit" || how == "dom" && at.Ready != "loading" || at.Ready == "complete" && !loading {
			return nil
		}
		return &pending{errors.New("the page is still loading")}
	})
	if err != nil && ctx.Err() == nil && short.Err() != nil {
		return outcome{Cap, fmt.Sprintf(", still loading after %s", limit)}, nil
	}
	return outcome{end: Done}, err
}

// follow acts, and when that begins a navigation waits for the page. The note
// says where it leads; what leads to another window or to a file ends Elsewhere.
func (r *run) follow(ctx context.Context, act func() error) (out outcome, err error) {
	before, _ := r.navigations()
	if _, err := r.takeAway(ctx); err != nil {
		return outcome{}, err
	}
	if err := act(); err != nil {
		return outcome{}, err
	}
	// Once the page has answered, what it began to load at once is known. What it
	// does in a timer has followTime.
	home, err := r.where(ctx)
	if err != nil {
		return outcome{}, err
	}
	out.end = Done
	for start := time.Now(); time.Since(start) < followTime; {
		if went, _ := r.navigations(); went > before {
			led, err := r.loaded(ctx, "load", loadTime)
			if err != nil {
				return outcome{}, err
			}
			// Of another fragment the page hears only later.
			if err := r.call(ctx, r.mainFrame(), nil, "drawn"); err != nil {
				return outcome{}, err
			}
			at, err := r.where(ctx)
			if err != nil {
				return outcome{}, err
			}
			out.note = fmt.Sprintf(", to %s%s", at, led.note)
			break
		}
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return outcome{}, err
		}
	}
	away, err := r.takeAway(ctx)
	if err != nil {
		return outcome{}, err
	}
	if len(away) > 0 {
		out = outcome{end: Elsewhere} // and not to where the page was
	}
	for _, l := range away {
		out.note += ", which " + l.text + " " + l.url
		r.addLinks(home, []link{{url: l.url}})
	}
	return out, nil
}

func (a Wait) check() error {
	if a == (Wait{MaxTime: a.MaxTime}) {
		return errors.New("nothing to wait for")
	}
	return nil
}

func (a Wait) patience() time.Duration {
	if a.Stable == nil && a.Idle == 0 {
		return a.Time
	}
	return a.Time + cmp.Or(a.MaxTime, loadTime)
}

func (a Wait) do(ctx context.Context, r *run) (outcome, error) {
	if a.Visible != nil {
		if _, _, err := r.ready(ctx, *a.Visible, "look"); err != nil {
			return outcome{}, err
		}
	}
	for _, condition := range []func(context.Context, *run) error{a.hidden, a.count, a.url} {
		if err := until(ctx, func() error { return condition(ctx, r) }); err != nil {
			return outcome{}, err
		}
	}
	out, err := a.settle(ctx, r)
	if err == nil && a.Time > 0 {
		err = sleep(ctx, a.Time)
	}
	return out, err
}

func (a Wait) hidden(ctx context.Context, r *run) error {
	if a.Hidden == nil {
		return nil
	}
	st, _, err := r.ask(ctx, *a.Hidden, "look")
	if _, ok := errors.AsType[*pending](err); ok && st.Why == "missing" {
		return nil // not even the frame is there
	}
	if err != nil || st.Why != "" {
		return err
	}
	return &pending{fmt.Errorf("%s can still be seen", *a.Hidden)}
}

func (a Wait) count(ctx context.Context, r *run) error {
	if a.Count == nil {
		return nil
	}
	st, _, err := r.ask(ctx, a.Count.Selector, "count")
	if err != nil {
		return err
	}
	least, most := a.Count.AtLeast, a.Count.AtMost
	if least == 0 && most == 0 {
		least = 1
	}
	if st.Count < least {
		return &pending{fmt.Errorf("%s, of at least %d: %s", plural(st.Count, "element"), least, a.Count.Selector)}
	}
	if most > 0 && st.Count > most {
		return &pending{fmt.Errorf("%s, of at most %d: %s", plural(st.Count, "element"), most, a.Count.Selector)}
	}
	return nil
}

func (a Wait) url(ctx context.Context, r *run) error {
	if a.URL == "" {
		return nil
	}
	at, err := r.where(ctx)
	if err != nil {
		return err
	}
	if globs(a.URL, at) {
		return nil
	}
	return &pending{fmt.Errorf("the URL is %s, not %s", at, a.URL)}
}

// settle waits for what need not come to an end.
func (a Wait) settle(ctx context.Context, r *run) (outcome, error) {
	limit := cmp.Or(a.MaxTime, loadTime)
	short, stop := context.WithTimeout(ctx, limit)
	defer stop()
	var mark int
	since := time.Now()
	err := until(short, func() error {
		if a.Stable != nil {
			st, _, err := r.ask(short, *a.Stable, "print")
			if err != nil {
				return err
			}
			if st.Why != "" || st.Count != mark {
				mark, since = st.Count, time.Now()
			}
			if time.Since(since) < stableTime {
				return &pending{fmt.Errorf("%s still changes", *a.Stable)}
			}
		}
		if r.quiet() < a.Idle {
			return &pending{errors.New("the network is not idle")}
		}
		return nil
	})
	if err != nil && ctx.Err() == nil && short.Err() != nil {
		return outcome{Cap, fmt.Sprintf("%v after %s", err, limit)}, nil
	}
	return outcome{end: Met}, err
}
