package chrome

import (
	"cmp"
	"context"
	_ "embed"
	"net/http"
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
	ctx     context.Context // of chromedp; done when the tab is
	cancel  func()
	frame   cdp.FrameID // the outermost
	history
	opened atomic.Bool // attached to
	broken atomic.Bool // crashed, or hung: not to be used again

	mu   sync.Mutex
	load *load // the page that is shown; nil: none, and every request is refused
}

type history struct {
	pages int    // shown so far
	at    string // what it showed last
}

//go:embed settle.js
var settleJS string

// openTab makes a context and a tab in it: 60 ms.
func openTab(ctx context.Context, p *pool, b *instance, host string) (*tab, error) {
	t := &tab{pool: p, browser: b, host: host}
	var err error
	if t.proxy, err = newProxy(p.secrets, t.serve); err != nil {
		return nil, err
	}
	t.ctx, t.cancel = chromedp.NewContext(b.ctx, chromedp.WithListener(t.hear), chromedp.WithNewBrowserContext(func(c *target.CreateBrowserContextParams) {
		c.ProxyServer, c.ProxyBypassList = t.proxy.addr(), "<-loopback>"
	}))
	opened := make(chan error, 1)
	go func() { opened <- t.open() }()
	select {
	case err = <-opened:
		err = b.cause(err)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		go t.close()
		return nil, err
	}
	return t, nil
}

// open attaches to the tab and sets it up.
func (t *tab) open() error {
	if err := chromedp.Do(t.ctx); err != nil {
		return err
	}
	c := chromedp.FromContext(t.ctx)
	t.frame = cdp.FrameID(c.Target.TargetID)
	t.opened.Store(true)
	return errorOf(
		func() error {
			return call(t.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: settleJS})
		},
		func() error {
			return call(t.ctx, fetch.Enable, fetch.EnableParams{Patterns: t.pool.fetcher.Load.patterns()})
		},
		func() error {
			_, err := cdp.Call(t.ctx, c.Browser, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
				Behavior: browser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: c.BrowserContextID})
			return err
		},
		t.mute,
		func() error { return t.pool.cookies.restore(t) },
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
		func() error { return call(t.ctx, cdplog.Disable, cdp.Empty{}) },
		func() error { return call(t.ctx, runtime.Disable, cdp.Empty{}) },
	)
}

// unmute undoes mute.
func (t *tab) unmute() error {
	return errorOf(
		func() error { return call(t.ctx, runtime.Enable, cdp.Empty{}) },
		func() error { return call(t.ctx, cdplog.Enable, cdp.Empty{}) },
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

// hear is called for each event of the tab, in their order, and must not wait.
func (t *tab) hear(ev any) {
	switch e := ev.(type) {
	case *fetch.EventRequestPaused:
		go t.paused(e)
	case *page.EventFrameNavigated:
		if e.Frame.ParentID == "" {
			t.current().committed(e.Frame.URL, e.Frame.LoaderID)
		}
	case *network.EventRequestWillBeSent:
		if isWeb(e.Request.URL) {
			t.current().asks(e.RequestID, e.LoaderID, e.Type)
		}
	case *network.EventLoadingFinished:
		t.current().over(e.RequestID)
	case *network.EventLoadingFailed:
		t.current().over(e.RequestID)
	case *page.EventJavascriptDialogOpening:
		// An alert wants to be seen, and who leaves may leave; everything else is a
		// question that we say no to.
		accept := e.Type == page.DialogTypeAlert || e.Type == page.DialogTypeBeforeunload
		go call(t.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept})
	case *page.EventWindowOpen:
		t.current().popup(e.URL)
	case *inspector.EventTargetCrashed:
		t.broken.Store(true)
		t.current().fail(ErrCrash)
	case *inspector.EventDetached:
		t.broken.Store(true)
		t.current().fail(ErrCrash)
	}
}

// paused answers a request that Chrome asks about.
func (t *tab) paused(e *fetch.EventRequestPaused) {
	if e.ResourceType == network.ResourceTypeDocument && t.current().mayRequest(e, e.FrameID == t.frame) {
		call(t.ctx, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID})
		return
	}
	call(t.ctx, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted})
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
	t.proxy.close()
}
