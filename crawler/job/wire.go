package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/content"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/crawler/monitor"
	"github.com/webquarry/quarry/crawler/session"
	"github.com/webquarry/quarry/crawler/trap"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/frontier"
)

// Options are what a program brings for its jobs. The zero value is sound.
type Options struct {
	// Outputs are those that specs may name under output.others.
	Outputs map[string]Output

	// Around is laid around what pages, and all that they load, are fetched by, the first
	// outermost: limits that several jobs have in common (a middleware.Rate or Pace), a
	// cache. robots.txt comes by it too.
	Around []crawler.Middleware

	Transport http.RoundTripper                         // as of crawler.HTTP, for tests; nil: the guarded one
	Lookup    func(name string) (value string, ok bool) // finds what {env: NAME} stands for; nil: os.LookupEnv
	Log       *slog.Logger                              // besides the log in the folder; nil: none
	OnEvent   func(crawler.Event)                       // sees all events, one at a time; nil: nobody
}

// Output opens an output that a spec names: dir is the folder of the job, and resumed
// says that there were runs before. The Sink is closed at the end of a run if it is an
// io.Closer.
type Output func(ctx context.Context, dir string, resumed bool, s Settings) (crawler.Sink, error)

// rig is a Crawler with all that was opened for it.
type rig struct {
	crawler.Crawler
	spec   *Spec
	opt    *Options
	dir    string // empty: everything is in memory
	jar    http.CookieJar
	judges map[string]monitor.Judge
	opened []io.Closer // in the order in which they were opened
}

// open opens in the rig what has to be closed.
func (r *rig) open(c io.Closer) { r.opened = append(r.opened, c) }

// Close closes all, what was opened last first.
func (r *rig) Close() (err error) {
	for _, c := range slices.Backward(r.opened) {
		err = errors.Join(err, c.Close())
	}
	r.opened = nil
	return err
}

func (r *rig) path(name string) string { return filepath.Join(r.dir, name) }

// lookup finds what a value stands for.
func (r *rig) lookup(v action.Value) (string, error) {
	if v.Env == "" {
		return v.Text, nil
	}
	find := r.opt.Lookup
	if find == nil {
		find = os.LookupEnv
	}
	text, ok := find(v.Env)
	if !ok {
		return "", fmt.Errorf("job: the environment has no %s", v.Env)
	}
	return text, nil
}

func (r *rig) lookupAll(values map[string]action.Value) (map[string]string, error) {
	out := map[string]string{}
	for name, v := range values {
		text, err := r.lookup(v)
		if err != nil {
			return nil, err
		}
		out[name] = text
	}
	return out, nil
}

// lookupIn looks for all values in the steps of chains, so that a variable that is not set
// is told before anything is asked of a host.
func (r *rig) lookupIn(v reflect.Value) error {
	if value, ok := v.Interface().(action.Value); ok {
		_, err := r.lookup(value)
		return err
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*extract.Schema]() {
			return r.lookupIn(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := r.lookupIn(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for _, value := range v.Seq2() {
			if err := r.lookupIn(value); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for _, f := range v.Fields() {
			if err := r.lookupIn(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// wire makes the Crawler of a spec. The frontier is given; with a dir the rest is kept
// there. In case of an error nothing stays open.
func wire(spec *Spec, opt *Options, dir string, front frontier.Frontier, log *slog.Logger) (_ *rig, err error) {
	r := &rig{spec: spec, opt: opt, dir: dir, judges: map[string]monitor.Judge{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.Close())
		}
	}()
	r.Crawler = crawler.Crawler{
		Frontier: front, UserAgent: spec.UserAgent, IgnoreRobots: spec.Robots == "ignore", Workers: spec.Pace.Workers, Log: log,
		Budget: crawler.Budget{Pages: spec.Budget.Pages, Bytes: spec.Budget.Bytes, Wall: spec.Budget.Time, Depth: spec.Scope.Depth},
	}
	if spec.Fetch.By == "chrome" || len(spec.Chains) > 0 {
		r.Canon = &urlnorm.Profile{Fragments: urlnorm.KeepRoutes} // as Snapshots has it: they are pages to a browser
	}
	if r.Fetcher, err = r.fetcher(log); err != nil {
		return nil, err
	}
	if r.Parser, err = r.parser(); err != nil {
		return nil, err
	}
	r.order(r.scope())
	if err := spec.Recrawl.rounds().Install(&r.Crawler); err != nil {
		return nil, err
	}
	if spec.Traps != "enter" {
		guard := trap.New(trap.Options{})
		if dir != "" {
			if guard, err = trap.Open(r.path(trapFile), trap.Options{}); err != nil {
				return nil, err
			}
		}
		r.open(guard)
		r.Plugins = append(r.Plugins, guard)
		r.judges["traps"] = guard
	}
	return r, nil
}

// limits are those of the frontier.
func (p Pace) limits(b Budget) frontier.Limits {
	l := frontier.Limits{PerHost: p.PerHost, Global: -1, MaxDelay: p.MaxDelay, Outage: frontier.WaitFor(cmp.Or(p.Wait, 26*time.Hour)),
		Budget: frontier.HostBudget{Pages: b.PerHost}}
	if p.Delay != nil {
		l.Delay, l.Factor = *p.Delay, -1
		if l.Delay == 0 {
			l.Delay = -1 // to a frontier, zero means the default
		}
	}
	return l
}

// fetcher makes what pages are fetched by.
func (r *rig) fetcher(log *slog.Logger) (crawler.Fetcher, error) {
	base, err := r.http()
	if err != nil {
		return nil, err
	}
	f := middleware.Chain(base, r.opt.Around...)
	if r.spec.Output.WARC != "" && r.dir != "" {
		w, err := warc.OpenWriter(r.path(r.spec.Output.WARC), warc.Options{})
		if err != nil {
			return nil, err
		}
		r.open(w)
		f = w.Capture(f)
	}
	for _, l := range r.spec.Logins {
		fields, err := r.lookupAll(l.Fields)
		if err != nil {
			return nil, err
		}
		f = (&session.Login{URL: l.URL, Form: l.Form, Fields: fields, Site: l.Site}).Wrap(f)
	}
	if r.spec.needsBrowser() {
		if f, err = r.browse(f, log); err != nil {
			return nil, err
		}
	}
	if r.dir != "" {
		store, err := middleware.OpenDisk(r.path(robotsFolder), 64<<20)
		if err != nil {
			return nil, err
		}
		r.open(store)
		f = middleware.KeepRobots{Store: store, Log: log}.Wrap(f)
	}
	return f, nil
}

// http is the Fetcher that asks servers.
func (r *rig) http() (*crawler.HTTP, error) {
	how := r.spec.Fetch
	h := &crawler.HTTP{UserAgent: r.spec.UserAgent, Timeout: how.Timeout, MaxBody: how.MaxBody, AllowPrivate: how.AllowPrivate,
		Header: http.Header{}, Transport: r.opt.Transport}
	headers, err := r.lookupAll(how.Headers)
	if err != nil {
		return nil, err
	}
	for name, value := range headers {
		h.Header.Set(name, value)
	}
	if how.Language != "" {
		h.Header.Set("Accept-Language", how.Language)
	}
	for origin, values := range how.Credentials {
		values, err := r.lookupAll(values)
		if err != nil {
			return nil, err
		}
		if h.Credentials == nil {
			h.Credentials = map[string]http.Header{}
		}
		header := http.Header{}
		for name, value := range values {
			header.Set(name, value)
		}
		h.Credentials[urlnorm.Origin(origin)] = header
	}
	for _, p := range how.Proxies {
		u, err := url.Parse(p)
		if err != nil {
			return nil, err
		}
		h.Network.Proxies = append(h.Network.Proxies, u)
	}
	if how.Cookies || len(r.spec.Logins) > 0 {
		jar := session.New()
		if r.dir != "" {
			if jar, err = session.Open(r.path(cookieFile)); err != nil {
				return nil, err
			}
			r.open(jar)
		}
		h.Cookies, r.jar = jar, jar
	}
	r.open(h)
	return h, nil
}

func (s *Spec) needsBrowser() bool {
	return s.Fetch.By == "chrome" || s.Fetch.By == "escalate" || len(s.Chains) > 0
}

// chain is one of the spec, ready to be asked whose it is.
type chain struct {
	fits  crawler.Follow
	steps *action.Chain
}

// browse lays a browser around what it asks servers by.
func (r *rig) browse(via crawler.Fetcher, log *slog.Logger) (crawler.Fetcher, error) {
	how := r.spec.Fetch.Browser
	var chains []chain
	for _, c := range r.spec.Chains {
		if err := r.lookupIn(reflect.ValueOf(c.Steps)); err != nil {
			return nil, err
		}
		chains = append(chains, chain{crawler.Include(crawler.Any, c.URLs...), &action.Chain{Steps: c.Steps, Timeout: cmp.Or(c.Timeout, 3*time.Minute)}})
	}
	chainOf := func(req frontier.Request) *action.Chain {
		for _, c := range chains {
			if _, ok := c.fits(nil, crawler.Link{URL: req.URL}); ok {
				return c.steps
			}
		}
		return nil
	}
	browser := &chrome.Fetcher{UserAgent: r.spec.UserAgent, Via: via, Path: how.Path, Lang: r.spec.Fetch.Language, NoSandbox: how.NoSandbox, Log: log,
		Tabs: how.Tabs, Timeout: r.spec.Fetch.Timeout, Settle: how.Settle, Chain: chainOf,
		Load:   chrome.Load{Images: how.Images, Fonts: how.Fonts, Media: how.Media, Trackers: how.Trackers, Block: how.Block},
		Runner: action.Runner{Lookup: r.opt.Lookup, Sessions: new(action.Sessions)}}
	r.open(browser)
	switch r.spec.Fetch.By {
	case "chrome":
		via = browser
	case "escalate":
		via = (&middleware.Escalate{To: browser}).Wrap(via)
	}
	if len(chains) == 0 {
		return via, nil
	}
	return &action.Snapshots{Next: &chained{browser, via, chainOf}}, nil
}

// chained shows the pages of chains in the browser, and fetches others as usual.
type chained struct {
	browser *chrome.Fetcher
	next    crawler.Fetcher
	chainOf func(frontier.Request) *action.Chain
}

// Fetch implements [crawler.Fetcher].
func (c *chained) Fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	if c.chainOf(req) != nil {
		return c.browser.Fetch(ctx, req)
	}
	return c.next.Fetch(ctx, req)
}

// Unwrap returns what most pages are fetched by.
func (c *chained) Unwrap() crawler.Fetcher { return c.next }

// parser reads the documents of the spec's content, and takes records out of pages.
func (r *rig) parser() (crawler.Parser, error) {
	var takes []func(*goquery.Document, *crawler.Page) error
	if len(r.spec.Chains) > 0 {
		takes = append(takes, chrome.Refine)
	}
	for _, s := range r.spec.Extract {
		x, err := extract.Compile(s)
		if err != nil {
			return nil, err
		}
		takes = append(takes, x.Refine)
	}
	html := &crawler.HTML{Feeds: r.spec.Sitemaps}
	if len(takes) > 0 {
		html.Refine = func(doc *goquery.Document, page *crawler.Page) error {
			for _, take := range takes {
				if err := take(doc, page); err != nil {
					return err
				}
			}
			return nil
		}
	}
	p := &content.ByType{HTML: html, Discover: r.spec.Sitemaps, PDF: content.Skip{}, Feed: content.Skip{}, XML: content.Skip{}, JSON: content.Skip{}, Sitemap: content.Skip{}}
	if r.spec.Sitemaps {
		p.Sitemap, p.Feed = content.Sitemap{}, content.Sitemap{}
	}
	for _, kind := range r.spec.Content {
		switch kind {
		case "pdf":
			p.PDF = nil
		case "feed":
			p.Feed = content.Feed{HTML: html}
		case "xml":
			p.XML = nil
		case "json":
			p.JSON = nil
		}
	}
	return p, nil
}

// dropDuplicates hands on to a Sink those pages only that say what no earlier one does. A page
// that has become a copy of another has moved there.
func (r *rig) dropDuplicates(into crawler.Sink) (crawler.Sink, error) {
	like := dedup.Options{Distance: 20, Resemblance: 0.6}
	index, err := dedup.New(like), error(nil)
	if r.dir != "" {
		if index, err = dedup.Open(r.path(dedupFile), like); err != nil {
			return nil, err
		}
	}
	r.open(index)
	r.judges["duplicates"] = index
	return &dedup.Sink{Index: index, Into: crawler.SinkFunc(func(ctx context.Context, res *crawler.Result) error {
		if res.Page != nil {
			if m, ok := dedup.MatchOf(res.Page); ok && m.Kind != dedup.Unique && m.Group != res.Page.URL {
				if res.Kind != crawler.Changed {
					return nil
				}
				// What it said before may have been put.
				return into.Put(ctx, &crawler.Result{Kind: crawler.Moved, URL: res.URL, Request: res.Request, To: m.Group})
			}
			res.Page.Records = slices.DeleteFunc(slices.Clone(res.Page.Records), func(v any) bool { _, ok := v.(dedup.Match); return ok })
		}
		return into.Put(ctx, res)
	})}, nil
}
