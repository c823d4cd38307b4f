package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/crawler/internal/purpose"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

const (
	loginHops  = 5
	loginEvery = time.Minute
)

// Login logs in to a site by its form. URL and Fields are required. Its
// Wrap takes an HTTP with a [Jar] as its Cookies, which is where the
// session is: it logs in before the first page of the site, and once more when
// an answer shows that the site has forgotten us, after which that page is asked
// for again. All that while other pages of the site wait.
//
// The form is asked for without robots.txt and besides the pace of the
// Frontier, as somebody who logs in does: two requests and the redirects after
// them. Fields go to the origin of URL and no other, and not from https to http.
type Login struct {
	URL    string            // page with the form
	Form   string            // CSS selector of the form; empty: the first with a password field
	Fields map[string]string // name of a field: what to type
	Site   string            // registrable domain or host whose pages need it; empty: that of URL

	// Success looks at the last answer of a login, redirects followed. Nil: a
	// status of 2xx and no form as it was.
	Success func(resp *crawler.Response) bool
	// LoggedOut looks at an answer to a page. Nil: status 401, or a redirect to
	// URL.
	LoggedOut func(resp *crawler.Response) bool
	// Every is how long after a login the next one may be; one minute. A site that
	// forgets us sooner gets the answers it gives.
	Every time.Duration
}

// session is a Login at work.
type session struct {
	*Login
	next  crawler.Fetcher
	gate  chan struct{} // holds one; who has it may log in
	in    int           // logins so far
	tried time.Time     // when the last one began
	err   error         // of the last one
}

// An Error says why a login did not succeed. It ends a crawl, for without the
// login every page would be the wrong one, unless another try may go better:
// then the page that it was for is retried.
type Error struct {
	URL    string
	Status int // of the last answer; 0: there was none
	Err    error
}

// Error says what and why.
func (e *Error) Error() string {
	s := "session: login at " + e.URL
	if e.Status != 0 {
		s += fmt.Sprintf(": status %d", e.Status)
	}
	return s + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Fatal reports whether another try would go no better.
func (e *Error) Fatal() bool {
	fe, ok := errors.AsType[*crawler.FetchError](e.Err)
	return !ok || !fe.Retryable()
}

// ErrRefused says that the site showed its form again, or what Success did not
// take for success.
var ErrRefused = errors.New("the site did not let us in")

// Wrap is a [crawler.Middleware]. Lay it next to the HTTP: a cache around it then
// keeps the pages and not the form.
func (l *Login) Wrap(next crawler.Fetcher) crawler.Fetcher {
	s := &session{Login: l, next: next, gate: make(chan struct{}, 1)}
	return around.Of(next, s.fetch)
}

// fetch gets a page as one who is logged in.
func (s *session) fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	u, err := url.Parse(req.URL)
	if err != nil || !s.needs(u) || crawler.Asked(ctx).Anonymous || purpose.IsRobots(ctx, req.URL) {
		return s.next.Fetch(ctx, req)
	}
	seen, err := s.ensure(ctx, 0)
	if err != nil {
		return nil, err
	}
	resp, err := s.next.Fetch(ctx, req)
	if err != nil || !s.loggedOut(resp) {
		return resp, err
	}
	now, err := s.ensure(ctx, seen)
	switch {
	case err != nil:
		return nil, err
	case now == seen: // too soon for another login
		return resp, nil
	}
	return s.next.Fetch(ctx, req)
}

// needs reports whether a page is of the site.
func (l *Login) needs(u *url.URL) bool {
	if l.Site != "" {
		host := strings.ToLower(u.Hostname())
		return host == l.Site || strings.HasSuffix(host, "."+l.Site)
	}
	at, err := url.Parse(l.URL)
	return err == nil && siteOf(at.Hostname()) == siteOf(u.Hostname())
}

func (l *Login) loggedOut(resp *crawler.Response) bool {
	if l.LoggedOut != nil {
		return l.LoggedOut(resp)
	}
	return resp.Status == http.StatusUnauthorized || resp.Location != "" && samePage(resp.Location, l.URL)
}

// samePage compares URLs without their queries, in which such redirects say
// where to go on.
func samePage(a, b string) bool {
	a, _, _ = strings.Cut(a, "?")
	b, _, _ = strings.Cut(b, "?")
	return a == b
}

// ensure logs in unless that happened since seen logins ago, and returns how
// many there were.
func (s *session) ensure(ctx context.Context, seen int) (int, error) {
	select {
	case s.gate <- struct{}{}:
		defer func() { <-s.gate }()
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	if s.in > seen {
		return s.in, nil
	}
	if !s.tried.IsZero() && time.Since(s.tried) < cmp.Or(s.Every, loginEvery) {
		return s.in, s.err
	}
	tried := time.Now()
	err := s.In(ctx, s.next)
	if ctx.Err() != nil {
		return s.in, context.Cause(ctx)
	}
	if s.tried, s.err = tried, err; err == nil {
		s.in++
	}
	return s.in, err
}

// In logs in by a Fetcher now. An error is an *[Error], or the cause of ctx.
func (l *Login) In(ctx context.Context, f crawler.Fetcher) error {
	page, err := l.get(ctx, f, crawler.Ask{}, l.URL)
	if err != nil {
		return l.fail(ctx, nil, err)
	}
	form, err := readForm(page, l.Form)
	if err != nil {
		return l.fail(ctx, page, err)
	}
	if err := form.set(l.Fields); err != nil {
		return l.fail(ctx, page, err)
	}
	if !l.mayGo(form.action) {
		return l.fail(ctx, page, fmt.Errorf("its form goes to another origin, %s", urlnorm.Origin(form.action)))
	}
	ask, to := form.ask(page.URL)
	resp, err := l.get(ctx, f, ask, to)
	switch {
	case err != nil:
		return l.fail(ctx, nil, err)
	case !l.success(resp):
		return l.fail(ctx, resp, ErrRefused)
	}
	return nil
}

// mayGo reports whether fields may be sent to a URL: to the origin of the page,
// or from there to the same host by TLS.
func (l *Login) mayGo(action string) bool {
	from, err1 := url.Parse(l.URL)
	to, err2 := url.Parse(action)
	if err1 != nil || err2 != nil {
		return false
	}
	return urlnorm.Origin(action) == urlnorm.Origin(l.URL) || to.Scheme == "https" && from.Scheme == "http" && strings.EqualFold(from.Hostname(), to.Hostname())
}

func (l *Login) success(resp *crawler.Response) bool {
	if l.Success != nil {
		return l.Success(resp)
	}
	if resp.Status < 200 || resp.Status > 299 {
		return false
	}
	_, err := readForm(resp, l.Form)
	return err != nil
}

// get fetches, and follows redirects by GET, as after a form.
func (l *Login) get(ctx context.Context, f crawler.Fetcher, ask crawler.Ask, to string) (*crawler.Response, error) {
	for range loginHops {
		resp, err := f.Fetch(ask.Within(ctx), frontier.Request{URL: to})
		switch {
		case err != nil:
			return nil, err
		case resp.Status == http.StatusTooManyRequests, resp.Status >= 500:
			return nil, &crawler.FetchError{URL: to, Kind: crawler.ErrStatus, Status: resp.Status}
		case resp.Location == "":
			return resp, nil
		}
		to, ask = resp.Location, crawler.Ask{}
	}
	return nil, &crawler.FetchError{URL: l.URL, Kind: crawler.ErrRedirectTooMany}
}

func (l *Login) fail(ctx context.Context, resp *crawler.Response, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e := &Error{URL: l.URL, Err: err}
	if resp != nil {
		e.Status = resp.Status
	}
	return e
}
