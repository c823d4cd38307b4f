package chrome

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// tab is a page of a browser in a browser context of its own: cookies, cache and
// storage are shared with no other.
type tab struct {
	pool    *pool
	browser *instance
	host    string
	proxy   *proxy
	mark    mark
	room
	*view
	history
	opened atomic.Bool // attached to
	broken atomic.Bool // crashed, or hung: not to be used again

	mu   sync.Mutex
	load *load // the page that is shown; nil: none, and every request is refused
}

// room is a browser context.
type room struct {
	context cdp.BrowserContextID
	life    context.Context // of the tab
	cancel  func()          // ends it
}

// view is the page of the browser in it.
type view struct {
	drawn  bool            // as if somebody looked at it
	ctx    context.Context // of chromedp, within life; done when the page is closed
	detach func()          // closes it
	frame  cdp.FrameID     // the outermost
	over   atomic.Bool     // another is shown in its place
}

type history struct {
	pages int    // shown so far
	at    string // what it showed last
}

//go:embed settle.js
var settleJS string

// openTab makes a context and a tab in it: 60 ms.
func openTab(ctx context.Context, p *pool, b *instance, host string, drawn bool) (*tab, error) {
	t := &tab{pool: p, browser: b, host: host, mark: newMark(), view: &view{drawn: drawn}}
	var err error
	if t.proxy, err = newProxy(p.secrets, t.serve); err != nil {
		return nil, err
	}
	t.life, t.cancel = context.WithCancel(b.ctx)
	if err := t.during(ctx, t.open); err != nil {
		go t.close()
		return nil, err
	}
	return t, nil
}

// during does what may take long. If it fails or ctx ends, the tab is to be closed.
func (t *tab) during(ctx context.Context, do func() error) error {
	stop := context.AfterFunc(ctx, t.cancel)
	err := t.browser.cause(do())
	if stop(); err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// open makes the context and a page in it.
func (t *tab) open() error {
	own, err := cdp.Call(t.life, chromedp.FromContext(t.browser.ctx).Browser, target.CreateBrowserContext, target.CreateBrowserContextParams{
		ProxyServer: t.proxy.addr(), ProxyBypassList: "<-loopback>", DisposeOnDetach: new(true)})
	if err != nil {
		return err
	}
	t.context = own.BrowserContextID
	if err := t.pool.cookies.restore(t); err != nil {
		return err
	}
	t.opened.Store(true)
	return t.attach()
}

// attach makes a page, attaches to it and sets it up.
func (t *tab) attach() error {
	id, err := t.create()
	if err != nil {
		return err
	}
	v := t.view
	v.frame = cdp.FrameID(id)
	v.ctx, v.detach = chromedp.NewContext(t.life, chromedp.WithTargetID(id), chromedp.WithListener(func(ev any) { t.hear(v, ev) }))
	if err := chromedp.Do(t.ctx); err != nil {
		return err
	}
	return errorOf(
		func() error {
			return call(t.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: settleJS})
		},
		func() error {
			return call(t.ctx, fetch.Enable, fetch.EnableParams{Patterns: t.pool.fetcher.Load.patterns()})
		},
		func() error {
			_, err := cdp.Call(t.ctx, chromedp.FromContext(t.ctx).Browser, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
				Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: t.context, EventsEnabled: new(true)})
			return err
		},
		t.mute,
	)
}

// mute has Chrome tell nothing of what chromedp's actions need and a plain page
// does not: each node would be an event.
func (t *tab) mute() error {
	return errorOf(
		func() error { return call(t.ctx, css.Disable, cdp.Empty{}) },
		func() error { return call(t.ctx, dom.Disable, cdp.Empty{}) },
		func() error {
			return call(t.ctx, page.SetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{})
		},
		func() error {
			few := int64(1) // of bodies that Chrome would keep for us
			return call(t.ctx, network.Enable, network.EnableParams{MaxTotalBufferSize: &few, MaxResourceBufferSize: &few})
		},
		func() error { return call(t.ctx, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{}) },
		func() error { return call(t.ctx, target.SetAutoAttach, target.SetAutoAttachParams{}) },
		func() error { return call(t.ctx, cdplog.Disable, cdp.Empty{}) },
		func() error { return call(t.ctx, runtime.Disable, cdp.Empty{}) },
	)
}

// unmute undoes mute.
func (t *tab) unmute() error {
	return errorOf(
		func() error { return call(t.ctx, runtime.Enable, cdp.Empty{}) },
		func() error { return call(t.ctx, cdplog.Enable, cdp.Empty{}) },
		func() error {
			return call(t.ctx, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true})
		},
		func() error {
			return call(t.ctx, target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, Flatten: new(true)})
		},
		func() error { return call(t.ctx, network.Enable, network.EnableParams{}) },
		func() error { return call(t.ctx, dom.Enable, dom.EnableParams{}) },
		func() error { return call(t.ctx, css.Enable, cdp.Empty{}) },
		func() error {
			return call(t.ctx, page.SetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{Enabled: true})
		},
	)
}

func call[P, R any](ctx context.Context, cmd cdp.Command[P, R], params P) error {
	_, err := chromedp.Call(ctx, cmd, params)
	return err
}

// errorOf returns the first error of steps, none of which is made after it.
func errorOf(steps ...func() error) error {
	for _, do := range steps {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// hear is called for each event of a view, in their order, and must not wait.
// What a view still does when it is over is no part of the page.
func (t *tab) hear(v *view, ev any) {
	l := t.current() // before over is looked at: later, it may be that of the next view
	over := v.over.Load()
	if over {
		l = nil
	}
	switch e := ev.(type) {
	case *fetch.EventRequestPaused:
		go v.paused(l, e)
	case *page.EventFrameNavigated:
		if e.Frame.ParentID == "" {
			l.committed(e.Frame.URL, e.Frame.LoaderID)
		}
	case *network.EventRequestWillBeSent:
		if isWeb(e.Request.URL) {
			l.asks(e.RequestID, e.LoaderID, e.Type)
		}
	case *network.EventLoadingFinished:
		l.over(e.RequestID)
	case *network.EventLoadingFailed:
		l.over(e.RequestID)
	case *page.EventJavascriptDialogOpening:
		// An alert wants to be seen, and who leaves may leave; everything else is a
		// question that we say no to.
		accept := e.Type == page.DialogTypeAlert || e.Type == page.DialogTypeBeforeunload
		go call(v.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept})
	case *page.EventWindowOpen:
		l.popup(e.URL)
	case *inspector.EventTargetCrashed, *inspector.EventDetached:
		if !over {
			t.broken.Store(true)
			l.fail(ErrCrash)
		}
	}
}

// paused answers a request that Chrome asks about.
func (v *view) paused(l *load, e *fetch.EventRequestPaused) {
	if e.ResourceType == network.ResourceTypeDocument {
		if ok, anew := l.mayRequest(e, e.FrameID == v.frame); ok {
			next := fetch.ContinueRequestParams{RequestID: e.RequestID}
			if anew {
				next.Headers = uncached(e.Request.Headers)
			}
			call(v.ctx, fetch.ContinueRequest, next)
			return
		}
	}
	if empty, ok := emptyOf[strings.ToLower(string(e.ResourceType))]; ok && l != nil {
		call(v.ctx, fetch.FulfillRequest, fetch.FulfillRequestParams{RequestID: e.RequestID, ResponseCode: http.StatusOK, Body: empty.body,
			ResponseHeaders: headerEntries(empty.header(fmt.Sprint(e.Request.Headers["Origin"])))})
		return
	}
	call(v.ctx, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted})
}

func headerEntries(h http.Header) (all []*fetch.HeaderEntry) {
	for name, v := range h {
		all = append(all, &fetch.HeaderEntry{Name: name, Value: v[0]})
	}
	return all
}

// uncached are the headers of a request for a document with one more, by which
// Chrome leaves out its cache (net/http/http_cache_transaction.cc,
// kForceFetchHeaders). The document that is shown must be the one that Via has
// for this visit, and Chrome must ask for it, for us to know that it is there.
func uncached(all network.Headers) []*fetch.HeaderEntry {
	out := []*fetch.HeaderEntry{{Name: "Cache-Control", Value: "no-cache"}}
	for name, v := range all {
		if !strings.EqualFold(name, "Cache-Control") {
			out = append(out, &fetch.HeaderEntry{Name: name, Value: fmt.Sprint(v)})
		}
	}
	return out
}

// serve answers a request that came to the proxy.
func (t *tab) serve(w http.ResponseWriter, r *http.Request, url string) {
	if l := t.current(); l != nil {
		l.serve(w, r, url)
		return
	}
	w.WriteHeader(http.StatusForbidden)
}

func (t *tab) current() *load {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.load
}

// usable reports whether the tab may show another page.
func (t *tab) usable() bool {
	return !t.broken.Load() && t.ctx.Err() == nil && t.pages < cmp.Or(t.pool.fetcher.Limits.Pages, 200)
}

// close closes the tab with its context. It may take some seconds when the tab
// hangs.
func (t *tab) close() {
	t.pool.cookies.save(t)
	t.cancel()
	if t.detach != nil {
		t.detach()
	}
	if t.context != "" {
		ctx, cancel := context.WithTimeout(t.browser.ctx, closeTime)
		cdp.Call(ctx, chromedp.FromContext(t.browser.ctx).Browser, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: t.context})
		cancel()
	}
	t.proxy.close()
}
