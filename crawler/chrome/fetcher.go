package chrome

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/crawler/internal/purpose"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/frontier"
)

// Fetcher is a [crawler.Fetcher] in a headless Chrome. UserAgent is required;
// everything else may stay zero. The browser starts with the first page and ends
// with Close, or with the program.
//
// A Response says of status, header, redirects, address and times what that of
// Via says of the document. Its Body, if the document is HTML, is the document
// as it stands when its scripts have come to rest, in UTF-8; for anything else
// it is the bytes as they came. What is no page of a browser, robots.txt and
// sitemaps, is fetched by Via alone. A redirect by a script or a meta element is
// a Response of status 307 with Location, like one by the server.
//
// A Fetcher may be used by many goroutines and must not be changed after its
// first Fetch.
type Fetcher struct {
	UserAgent string          // as of the Crawler; empty: that of Via, which must be a *crawler.HTTP then
	Via       crawler.Fetcher // asks servers for documents and for all that they load; nil: &crawler.HTTP{UserAgent: UserAgent}
	Path      string          // of the browser; empty: that of Find
	Lang      string          // of the browser's user, as "de"; empty: en
	NoSandbox bool            // the browser runs without its sandbox: a page that breaks out of its process can do all that this program can
	Log       *slog.Logger    // warnings about the browser; nil: none
	Tabs      int             // pages at a time; 4
	Timeout   time.Duration   // for a page in all, not for the work of Tab; 60 s
	Settle    time.Duration   // how long its scripts may go on after the document has come; 10 s. Then it is taken as it stands
	Limits    Limits          // of one page, of one tab and of the browser
	Load      Load            // what pages may load
	Metrics   *metrics.Set    // to count browsers and pages in, as quarry_chrome_...; nil: nothing is counted. One Fetcher for each set

	// Chain says what is to be done on a page, by its Label or its host, say, before
	// it is read; nil, or a nil chain: nothing. The chain begins on the page, where it
	// may lead wherever it likes, and its time comes on top of Timeout. What it finds
	// is in the *[Visit] of the Response; see [Refine].
	Chain  func(req frontier.Request) *action.Chain
	Runner action.Runner // of chains; without a URL of its own that of the page

	state state
}

var _ crawler.Fetcher = (*Fetcher)(nil)

// Limits bound what pages and the browser use. Zero fields have defaults.
type Limits struct {
	Body     int64 // bytes of a document as it stands in the end; more is cut off and Truncated; 8 MiB
	Bytes    int64 // of all that a page loads, decoded; 64 MiB
	Requests int   // that a page may make; 1,000
	Pages    int   // that a tab shows before it is replaced by a new one; 200
	Memory   int64 // bytes of all processes of the browser, at which it is replaced by a new one; 2 GiB
}

type state struct {
	once sync.Once
	err  error
	via  crawler.Fetcher
	path string
	pool *pool
	gate *gate
	log  *slog.Logger
}

func (f *Fetcher) userAgent() string {
	if h, ok := f.Via.(*crawler.HTTP); ok && f.UserAgent == "" {
		return h.UserAgent
	}
	return f.UserAgent
}

// prepare checks the settings and makes what they describe, once.
func (f *Fetcher) prepare() error {
	f.state.once.Do(func() {
		s := &f.state
		s.pool = newPool(f)
		if f.Metrics != nil {
			s.pool.gauges(f.Metrics)
		}
		if s.log = f.Log; s.log == nil {
			s.log = slog.New(slog.DiscardHandler)
		}
		if f.userAgent() == "" {
			s.err = &crawler.ConfigError{What: "user agent", Why: "is required, as of the Crawler"}
			return
		}
		if s.via = f.Via; s.via == nil {
			s.via = &crawler.HTTP{UserAgent: f.UserAgent}
		}
		s.gate = newGate(f, s.via)
		s.path = f.Path
		if s.path == "" {
			s.path, s.err = Find()
		} else if _, err := os.Stat(s.path); err != nil {
			s.err = &NotFoundError{Tried: []string{s.path}}
		}
		if f.NoSandbox {
			s.log.Warn("chrome: the browser runs without its sandbox", "browser", s.path)
		}
	})
	return f.state.err
}

// Fetch gets a page. Where there is none, the error is a *crawler.FetchError, of
// the kinds of crawler.HTTP and with ErrOther for trouble with the browser, which
// its cause names; a *[NotFoundError], a *[StartError] or a *crawler.ConfigError
// where no page can be had at all; or the cause of ctx.
func (f *Fetcher) Fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	if err := f.prepare(); err != nil {
		return nil, err
	}
	if isPlain(ctx, req) {
		return f.state.via.Fetch(ctx, req)
	}
	if ask := crawler.Asked(ctx); ask.Body != nil || ask.Method != "" && ask.Method != http.MethodGet {
		return nil, &crawler.FetchError{URL: req.URL, Kind: crawler.ErrProtocol, Err: errors.New("a browser visits pages by GET; have requests with another method or a body fetched by HTTP")}
	}
	return f.fetch(ctx, req, nil)
}

// Render shows a page that was fetched already, and returns it as Fetch would
// have, without asking for the document again. A response that is no document to
// show is returned as it is.
func (f *Fetcher) Render(ctx context.Context, resp *crawler.Response) (*crawler.Response, error) {
	if err := f.prepare(); err != nil {
		return nil, err
	}
	if isPlain(ctx, resp.Request) || !isDocument(resp) {
		return resp, nil
	}
	return f.fetch(ctx, resp.Request, resp)
}

// Tab has do work in a tab of the host of a URL, which is not opened: the
// context that do gets is one of chromedp, whose actions navigate, click and
// read. It ends with ctx and when the tab is gone, with the cause; do may derive
// contexts with deadlines of its own from it. Requests of pages go by Via with
// the values of ctx, and pages may lead where they like. The tab must not be used
// when do has returned.
func (f *Fetcher) Tab(ctx context.Context, rawurl string, do func(tab context.Context) error) error {
	if err := f.prepare(); err != nil {
		return err
	}
	t, err := f.state.pool.lease(ctx, hostOf(rawurl), true)
	if err != nil {
		return f.trouble(ctx, rawurl, err)
	}
	err = t.lend(ctx, frontier.Request{URL: rawurl}, do)
	f.state.pool.release(t)
	return err
}

// fetch shows a page in a tab. given is its document, if that is here already.
func (f *Fetcher) fetch(ctx context.Context, req frontier.Request, given *crawler.Response) (resp *crawler.Response, err error) {
	defer func() { f.shown(ctx, err) }()
	chain := f.chainOf(req)
	within, cancel := context.WithTimeoutCause(ctx, f.timeFor(chain), crawler.ErrTimeoutTotal)
	defer cancel()
	host := hostOf(req.URL)
	t, err := f.state.pool.lease(within, host, chain != nil || f.state.pool.sights.drawn(host))
	if err != nil {
		return nil, f.trouble(ctx, req.URL, err)
	}
	l := t.begin(within, req, given)
	resp, err = t.visit(l, chain)
	if err == errFrames {
		resp, err = t.again(within, l)
	}
	f.state.pool.time(t.browser, err)
	f.state.pool.release(t)
	if err != nil {
		return nil, f.trouble(ctx, req.URL, err)
	}
	return resp, nil
}

// trouble makes an error one of the page, unless it is its own already.
func (f *Fetcher) trouble(ctx context.Context, url string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if kind, ok := err.(crawler.Kind); ok {
		return fail(url, kind, nil)
	}
	own, ok := errors.AsType[interface {
		error
		Fatal() bool
	}](err)
	if _, fetch := errors.AsType[*crawler.FetchError](err); fetch || ok && own.Fatal() {
		return err
	}
	if _, config := errors.AsType[*crawler.ConfigError](err); config {
		return err
	}
	return fail(url, crawler.ErrOther, err)
}

// Addr is that of Via, if it can tell.
func (f *Fetcher) Addr(ctx context.Context, rawurl string) netip.Addr {
	if f.prepare() != nil {
		return netip.Addr{}
	}
	return around.Addr(ctx, f.state.via, rawurl)
}

// Close ends the browser and all that it started, whatever state it is in, and
// removes its files. Pages under way fail with ErrClosed, and so does every Fetch
// after it. It takes some milliseconds, and 5 seconds at most.
func (f *Fetcher) Close() error {
	f.prepare()
	return f.state.pool.close()
}

func (f *Fetcher) timeout() time.Duration { return cmp.Or(f.Timeout, time.Minute) }

func (f *Fetcher) settle() time.Duration { return cmp.Or(f.Settle, 10*time.Second) }

// isPlain reports whether a request is for what no browser is needed for.
func isPlain(ctx context.Context, req frontier.Request) bool {
	if _, _, ok := sitemap.Marked(req.Meta); ok {
		return true
	}
	return purpose.IsRobots(ctx, req.URL)
}

func hostOf(rawurl string) string {
	u, err := url.Parse(rawurl)
	if err != nil {
		return ""
	}
	return u.Host
}
