package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// chromeRule says what is done in Chrome to pages whose URLs match, before they
// are read: the steps of a chain, see docs/guides/actions.md. They begin on the
// page. Where a login comes first, the page is opened again after it.
type chromeRule struct {
	URLs  []string     `yaml:"urls"` // globs of crawler.Include
	Steps action.Steps `yaml:"steps"`

	fits crawler.Follow
}

// rule returns what is done in Chrome to a page, or nil: it comes by HTTP.
func (s *shop) rule(u string) *chromeRule {
	for _, r := range s.Chrome {
		if _, ok := r.fits(nil, crawler.Link{URL: u}); ok {
			return r
		}
	}
	return nil
}

// fetcher fetches by HTTP what needs no browser, and by Chrome what does.
type fetcher struct {
	list     *shopList
	http     *crawler.HTTP
	plain    crawler.Fetcher // http, which keeps what a robots.txt says
	robots   io.Closer       // where it is kept; nil: it is not
	chrome   *chrome.Fetcher // nil: there is no browser
	sessions action.Sessions // one login a shop
	lookup   func(name string) (string, bool)
}

const withoutBrowser = "none" // as the value of -chrome

// openFetcher makes the fetcher, and says which shops have to be left out for
// want of a browser.
func (j *job) openFetcher() (*fetcher, error) {
	f := &fetcher{list: j.list, lookup: j.lookup,
		http: &crawler.HTTP{UserAgent: j.fetch.userAgent, AllowPrivate: j.fetch.allowPrivate}}
	f.plain = f.http
	if j.dir != "" {
		store, err := middleware.OpenDisk(j.place.path("robots"), 64<<20)
		if err != nil {
			return nil, err
		}
		f.robots, f.plain = store, middleware.KeepRobots{Store: store}.Wrap(f.http)
	}
	var need []string
	for _, s := range j.list.Shops {
		if len(s.Chrome) > 0 {
			need = append(need, s.Name)
		}
	}
	j.left = nil
	if len(need) == 0 {
		return f, nil
	}
	path, err := j.fetch.browser, error(nil)
	switch path {
	case withoutBrowser:
		j.left = need
		return f, nil
	case "":
		if path, err = chrome.Find(); err != nil {
			j.left = need
			return f, nil
		}
	}
	f.chrome = &chrome.Fetcher{UserAgent: j.fetch.userAgent, Via: f.http, Path: path, NoSandbox: j.fetch.noSandbox}
	return f, nil
}

// chainTimeout is how long the steps of a rule may take, with opening the page; a
// login before them has as long again.
const chainTimeout = 3 * time.Minute

// Unwrap returns what most pages are fetched by, see [crawler.As].
func (f *fetcher) Unwrap() crawler.Fetcher { return f.plain }

// Fetch implements crawler.Fetcher.
func (f *fetcher) Fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	if u, err := url.Parse(req.URL); err != nil || u.Path == "/robots.txt" {
		return f.plain.Fetch(ctx, req)
	}
	s := f.list.of(req.URL)
	if s == nil {
		return f.plain.Fetch(ctx, req)
	}
	if r := s.rule(req.URL); r != nil && f.chrome != nil {
		return f.render(ctx, req, r)
	}
	return f.plain.Fetch(ctx, req)
}

// render opens a page in Chrome, does the steps of a rule, and returns the
// document as it stands then.
func (f *fetcher) render(ctx context.Context, req frontier.Request, r *chromeRule) (*crawler.Response, error) {
	began := time.Now()
	var page action.Page
	var took time.Duration
	err := f.chrome.Tab(ctx, req.URL, func(tab context.Context) (err error) {
		page, took, err = f.chain(tab, req.URL, r.Steps)
		return err
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if fatal, ok := errors.AsType[interface {
		error
		Fatal() bool
	}](err); ok && fatal.Fatal() {
		return nil, err
	}
	if err != nil {
		return nil, &crawler.FetchError{URL: req.URL, Kind: crawler.ErrOther, Err: err}
	}
	resp := &crawler.Response{Request: req, URL: req.URL, Status: page.Status, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body: []byte(page.HTML), Truncated: page.Cut, Wire: int64(len(page.HTML)), Fetched: began, Took: took}
	if resp.Status == 0 {
		resp.Status = http.StatusOK
	}
	return resp, nil
}

// chain runs the steps of a rule in a tab. It returns the page as it is then, and
// how long it took to open: that tells how busy the shop is, the rest does not.
func (f *fetcher) chain(tab context.Context, u string, steps action.Steps) (page action.Page, opened time.Duration, err error) {
	runner := action.Runner{URL: u, Sessions: &f.sessions, Lookup: f.lookup, Allow: f.allow(u)}
	do := func(steps action.Steps) (*action.Result, error) {
		res, err := runner.Run(tab, &action.Chain{Timeout: chainTimeout, Steps: steps})
		if opened == 0 && res != nil && len(res.Reports) > 0 {
			opened = res.Reports[0].Took
		}
		return res, err
	}
	open := action.Steps{{Do: action.Navigate{URL: u}}}
	if len(steps) > 0 {
		if _, ok := steps[0].Do.(action.Login); ok {
			if _, err := do(append(open, steps[0])); err != nil {
				return page, opened, err
			}
			at, err := chromedp.Run(tab, chromedp.Location())
			if err != nil {
				return page, opened, err
			}
			steps = steps[1:]
			if same, err := urlnorm.URL("", at); err == nil && same == u {
				open = nil
			}
		}
	}
	res, err := do(append(append(open, steps...), action.Step{Do: action.Snapshot{}}))
	if err != nil {
		return page, opened, err
	}
	return res.Pages[len(res.Pages)-1], opened, nil
}

// allow keeps steps within the shop of a page.
func (f *fetcher) allow(page string) func(string) error {
	return func(u string) error {
		if urlnorm.Site(u) != urlnorm.Site(page) {
			return errors.New("it is not of the shop")
		}
		return nil
	}
}

// Close ends the browser, if there is one.
func (f *fetcher) Close() (err error) {
	if f.chrome != nil {
		err = f.chrome.Close()
	}
	if f.robots != nil {
		err = errors.Join(err, f.robots.Close())
	}
	return errors.Join(err, f.http.Close())
}
