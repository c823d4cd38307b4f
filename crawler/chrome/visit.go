package chrome

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/frontier"
)

// Visit is what the Extra of a Response tells of a page that was shown.
type Visit struct {
	Settled  bool           // the page had come to rest; otherwise it was taken as it stood when its time was over
	Requests int            // that it made, its own document included; of both times, where it had to be shown twice
	Refused  int            // of them by Load and Limits
	Took     time.Duration  // in its tab, both times: what the page costs
	Chain    *action.Result // of the chain that was done on it; nil: none
}

// BrowserTime is what the page cost, as middleware.Escalate asks for it.
func (v *Visit) BrowserTime() time.Duration { return v.Took }

// ChainResult is Chain, as action.Snapshots asks for it.
func (v *Visit) ChainResult() *action.Result { return v.Chain }

// visit shows a page that has begun and reads it when it has settled.
func (t *tab) visit(l *load, chain *action.Chain) (*crawler.Response, error) {
	defer t.end(l)
	defer context.AfterFunc(t.ctx, func() { l.fail(t.browser.cause(t.ctx.Err())) })()
	l.busy.Go(func() { t.navigate(l) })
	if err := l.await(l.ctx, func() bool { return l.came != nil || l.moved != "" }); err != nil {
		return nil, t.cause(l, err)
	}
	if resp := l.answered(); resp != nil {
		return resp, nil
	}
	snap, err := t.settled(l)
	if err == errFrames {
		return nil, err
	}
	if snap != nil {
		t.pool.sights.note(t.host, snap.slow)
	}
	if err == nil && snap != nil && chain != nil {
		snap, err = t.work(l, chain)
	}
	if err != nil {
		return nil, t.cause(l, err)
	}
	return l.response(snap), nil
}

// cause says what an error of a page comes from.
func (t *tab) cause(l *load, err error) error {
	if l.ctx.Err() != nil {
		t.broken.Store(true) // who knows what it is at
		return context.Cause(l.ctx)
	}
	return t.browser.cause(err)
}

// navigate sends the tab to the page. It returns when Chrome has the header of
// the document, or will have none.
func (t *tab) navigate(l *load) {
	url := l.req.URL
	if t.at != "" && withoutFragment(t.at) == withoutFragment(url) && t.at != url {
		call(l.within(t), page.Navigate, page.NavigateParams{URL: "about:blank"}) // else Chrome would stay in the document
	}
	t.at = url
	l.update(func() { l.sent = time.Now() })
	res, err := chromedp.Call(l.within(t), page.Navigate, page.NavigateParams{URL: url})
	switch {
	case l.ctx.Err() != nil:
	case err != nil:
		l.fail(t.browser.cause(err))
	case res.ErrorText != "":
		l.update(func() {
			if l.came == nil && l.moved == "" && l.err == nil {
				l.err = t.noNavigation(res.ErrorText)
			}
		})
	}
}

// noNavigation says why Chrome does not show a page that nobody refused.
func (t *tab) noNavigation(text string) error {
	if text == "net::ERR_ABORTED" { // its renderer is gone
		t.broken.Store(true)
		return ErrCrash
	}
	return errors.New("chrome: " + text)
}

// within is a context of the tab that ends with the page.
func (l *load) within(t *tab) context.Context {
	ctx, cancel := context.WithCancelCause(t.ctx)
	context.AfterFunc(l.ctx, func() { cancel(context.Cause(l.ctx)) })
	return ctx
}

// answered is the response where it is known without Chrome; nil: it is not.
func (l *load) answered() *crawler.Response {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.moved != "":
		return l.redirect()
	case l.came != nil && !isDocument(l.came):
		return l.came
	}
	return nil
}

// redirect is the response of a page that leads to another by itself, as a
// server would have said it. Chrome's own redirects have the same status.
func (l *load) redirect() *crawler.Response {
	resp := &crawler.Response{Request: l.req, URL: l.req.URL, Fetched: time.Now()}
	if l.came != nil {
		*resp = *l.came
	}
	resp.Header = resp.Header.Clone()
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	resp.Status, resp.Location, resp.Body = http.StatusTemporaryRedirect, l.moved, nil
	resp.Header.Set("Location", l.moved)
	resp.Header.Set("Non-Authoritative-Reason", "document")
	resp.Wire += l.total().wire
	return resp
}

// response is the document as it stands.
func (l *load) response(s *snapshot) *crawler.Response {
	if resp := l.answered(); resp != nil {
		return resp
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	resp := *l.came
	resp.Header = resp.Header.Clone()
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	resp.Header.Set("Content-Type", "text/html; charset=utf-8")
	resp.Body = []byte(withLinks(flat(s.html), l.popups))
	resp.Truncated = resp.Truncated || s.cut
	total := l.total()
	resp.Wire += total.wire
	resp.Extra = &Visit{Settled: s.settled, Requests: total.started, Refused: total.refused, Took: time.Since(l.since), Chain: s.chain}
	return &resp
}

// lend has do work in the tab, as a user would.
func (t *tab) lend(ctx context.Context, req frontier.Request, do func(context.Context) error) error {
	l := t.begin(ctx, req, nil)
	l.free = true
	defer t.end(l)
	defer context.AfterFunc(t.ctx, func() { l.fail(t.browser.cause(t.ctx.Err())) })()
	if err := t.unmute(); err != nil {
		return t.browser.cause(err)
	}
	err := do(joined{l.within(t), ctx})
	if cause := context.Cause(l.ctx); err != nil && cause != nil && !errors.Is(err, cause) {
		err = errors.Join(err, cause)
	}
	t.leave()
	return err
}

// leave leaves a page that actions have worked with.
func (t *tab) leave() {
	t.at = ""
	ctx, cancel := context.WithTimeout(t.ctx, time.Second)
	defer cancel()
	err := call(ctx, page.Navigate, page.NavigateParams{URL: "about:blank"})
	if err == nil {
		err = t.mute()
	}
	if err != nil {
		t.broken.Store(true)
	}
}

// joined is a context of a tab that has the values of another, too.
type joined struct {
	context.Context
	more context.Context
}

func (j joined) Value(key any) any {
	if v := j.Context.Value(key); v != nil {
		return v
	}
	return j.more.Value(key)
}

// aborted reports whether an error of the protocol says that the document is
// another by now.
func aborted(err error) bool {
	e, ok := errors.AsType[*cdproto.Error](err)
	return ok && (strings.Contains(e.Message, "context was destroyed") || strings.Contains(e.Message, "navigated or closed") ||
		strings.Contains(e.Message, "Cannot find"))
}
