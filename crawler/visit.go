package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/webquarry/quarry/crawler/internal/fetch"
	"github.com/webquarry/quarry/frontier"
)

// maxHops is how many redirects in a row are followed.
const maxHops = 10

// verdict is what became of a visit: its event, what the Frontier is told, and
// what the next visit of the URL is to know.
type verdict struct {
	Event
	out     frontier.Outcome
	attempt int // attempts that failed so far
	bytes   int64
	clear   clearance // it may be visited next
	late    bool      // see claim
	hidden  int       // requests among those found that are the loop's own
	stored  *stored   // of the page that the Sink has; nil: as it was
	on      note      // at, way and trail of the next visit, which goes on with a redirect of the page to itself
}

// fatal is an error that is not the page's.
type fatal struct{ error }

func (f fatal) Unwrap() error { return f.error }

// ours reports whether what a Fetcher returned is trouble of ours and no matter
// which page was asked for: settings that cannot be used, or an error that says
// so by a method Fatal, as that of an archive that cannot be written, or a disk that is
// full.
func ours(err error) bool {
	own, ok := errors.AsType[interface {
		error
		Fatal() bool
	}](err)
	return ok && own.Fatal() || isA[*ConfigError](err) || diskTrouble(err)
}

// fetch gets a response and counts its bytes.
func (r *run) fetch(ctx context.Context, req frontier.Request, known note) (*Response, error) {
	ask, special := AskOf(req)
	if special && ask.Method != "" && ask.Method != http.MethodHead {
		known.validators = validators{} // they are about the answer to a GET
	}
	if ctx = known.within(ctx); special {
		ctx = ask.Within(ctx)
	}
	resp, err := r.Fetcher.Fetch(ctx, known.target(req))
	switch {
	case err != nil:
		return nil, err
	case resp == nil:
		return nil, errors.New("the Fetcher returned no response")
	}
	if resp.URL == "" {
		resp.URL = known.target(req).URL
	}
	if resp.Request.URL == "" || known.at != "" {
		resp.Request = req // a Fetcher may leave it to us
	}
	if fetch.IsRedirect(resp.Status) {
		resp.Location = r.canonical(resp.URL, cmp.Or(resp.Location, fetch.Location(resp.Header)))
	}
	r.health.reached(req.URL, !hostUnwell(resp, nil))
	within, last := r.quota.Take(resp.Wire)
	if last {
		r.stop(errBudget)
	}
	if !within {
		return nil, fatal{errBudget}
	}
	return resp, nil
}

// arrived reports whether a response has the body of a page that is in scope. A
// Fetcher that follows redirects may have ended elsewhere.
func (r *run) arrived(req frontier.Request, resp *Response) bool {
	if resp.Status < 200 || resp.Status > 299 || hasNoPage(resp.Status) {
		return false
	}
	at := r.canonical("", resp.URL)
	if at == req.URL {
		return true
	}
	_, ok := r.followRedirect(req, at)
	return ok
}

// refreshes reports whether a page only leads to another, and notes that as its
// Location. One that is to be loaded again in a while is a page.
func (r *run) refreshes(req frontier.Request, resp *Response, target string) bool {
	to := r.canonical(resp.URL, target)
	if to == "" || to == req.URL || to == r.canonical("", resp.URL) {
		return false
	}
	resp.Location = to
	return true
}

// hasNoPage reports whether a status means success without a page, which 204 and 205
// say (RFC 9110, 15.3).
func hasNoPage(status int) bool {
	return status == http.StatusNoContent || status == http.StatusResetContent
}

// canonical returns a URL as the Frontier knows it, and nothing for what is not
// crawled.
func (r *run) canonical(base, ref string) string {
	if ref == "" {
		return ""
	}
	u, err := r.Canon.URL(base, ref)
	if err != nil {
		return ""
	}
	return u
}

func (r *run) parse(ctx context.Context, resp *Response) (*Page, error) {
	free, err := r.weights.Take(ctx, len(resp.Body))
	if err != nil {
		return nil, err
	}
	defer free()
	page, err := r.Parser.Parse(ctx, resp)
	switch {
	case err == nil && page == nil:
		err = errors.New("the Parser returned no page")
	case err == nil:
		if page.Response == nil {
			page.Response = resp
		}
		if page.URL == "" {
			page.URL = cmp.Or(r.canonical("", resp.URL), resp.URL)
		}
		return page, nil
	case errors.Is(err, ErrUnsupportedType), isA[*FetchError](err):
		return nil, err
	}
	return nil, &FetchError{URL: resp.URL, Kind: ErrParse, Err: err}
}

// links picks the links to follow. What a Parser of another make, or a Refine,
// gives for a URL need not be canonical, nor one to crawl.
func (r *run) links(page *Page) []frontier.Request {
	depth := page.Response.Request.Depth + 1
	if limit := r.Budget.Depth; page.NoFollow || limit != 0 && depth > limit {
		return nil
	}
	found := make([]frontier.Request, 0, len(page.Links))
	h, _ := ParserAs[*HTML](r.Parser)
	_, routed := ParserAs[*Router](r.Parser)
	ours := h != nil && h.Refine == nil && !routed
	for _, l := range page.Links {
		if !ours {
			l.URL = r.canonical(page.URL, l.URL)
		}
		if l.NoFollow || l.URL == page.URL && l.Ask == nil || l.URL == "" {
			continue
		}
		priority, ok := r.Follow(page, l)
		if !ok {
			continue
		}
		next := frontier.Request{URL: l.URL, Via: page.URL, Depth: depth, Priority: priority, Label: l.Label, Meta: l.Meta}
		if l.Ask != nil {
			var err error
			if next, err = l.Ask.On(next); err != nil {
				if err := r.tally.add(Event{Kind: Skipped, URL: l.URL, Reason: SkipRefused, Err: err}, 0); err != nil {
					panic(fatal{err})
				}
				continue
			}
		}
		found = append(found, next)
	}
	return found
}

// noPage says what to do where there is no page to put.
func (r *run) noPage(ctx context.Context, req frontier.Request, known note, resp *Response, err error) (verdict, error) {
	switch {
	case ctx.Err() != nil:
		return verdict{}, context.Cause(ctx) // broken off, so err says nothing about the page
	case isA[fatal](err) || ours(err) || errors.Is(err, errBreak):
		return verdict{}, err
	case errors.Is(err, ErrUnsupportedType):
		return r.skipped(req, resp, SkipType, nil), nil
	case skipReason(err) != "":
		return r.skipped(req, resp, skipReason(err), nil), nil
	case known.guess && isAbsent(resp, err):
		return r.skipped(req, resp, skipNoSitemap, nil), nil
	case err != nil && !isA[*FetchError](err):
		err = &FetchError{URL: req.URL, Kind: ErrOther, Err: err}
	case err == nil && fetch.IsRedirect(resp.Status):
		return r.redirected(req, known, resp), nil
	case err == nil && hasNoPage(resp.Status):
		return r.skipped(req, resp, SkipType, nil), nil
	case err == nil && resp.Status == http.StatusNotModified:
		return r.skipped(req, resp, SkipNotModified, nil), nil
	case err == nil && resp.Status >= 200 && resp.Status <= 299: // it did not arrive
		v := r.skipped(req, resp, SkipScope, nil)
		v.Target = resp.URL
		return v, nil
	}
	return r.troubled(req, resp, err)
}

// skipReason is why a Fetcher or a Parser does not want a URL visited, if that
// is what its error says.
func skipReason(err error) string {
	var e interface{ SkipReason() string }
	if errors.As(err, &e) {
		return e.SkipReason()
	}
	return ""
}

// failed asks Revisit whether to try again. err is nil for a status.
func (r *run) failed(req frontier.Request, resp *Response, err error) verdict {
	v := verdict{Event: Event{Kind: Failed, URL: req.URL, Err: err, reply: answered(resp)}, attempt: req.Attempt, bytes: wireBytes(resp)}
	if err == nil {
		v.out = r.revisit(req, resp, nil)
		wait, _ := retryAfter(resp.Header, time.Now())
		v.out.Delay = max(v.out.Delay, wait)
		v.Err = &FetchError{URL: req.URL, Kind: ErrStatus, Status: resp.Status, RetryAfter: wait}
	} else {
		v.out = r.revisit(req, nil, err)
	}
	witness(&v.out, resp)
	v.out.Trouble = trouble(resp, err)
	if resp == nil && v.out.Trouble != frontier.Unreached {
		v.out.Asked = time.Now() // when exactly is not known
	}
	if out := v.out; !out.Again.IsZero() {
		v.Kind, v.Again = Retrying, out.Again
		v.attempt++
	}
	return v
}

// witness tells the Frontier what a response says of its host.
func witness(out *frontier.Outcome, resp *Response) {
	if resp != nil {
		out.Asked, out.Addr, out.Took, out.Bytes = resp.Fetched, resp.Addr, resp.Took, resp.Wire
	}
}

func wireBytes(resp *Response) int64 {
	if resp == nil {
		return 0
	}
	return resp.Wire
}

// skipped is the verdict on what is no page, which is no trouble.
func (r *run) skipped(req frontier.Request, resp *Response, reason string, found []frontier.Request) verdict {
	v := verdict{Event: Event{Kind: Skipped, URL: req.URL, Reason: reason, reply: answered(resp)}, bytes: wireBytes(resp)}
	if resp != nil {
		v.out = r.revisit(req, resp, nil)
		witness(&v.out, resp)
	}
	v.out.Found = found
	return v
}

// fetched is the verdict on a page that was put.
func (r *run) fetched(req frontier.Request, page *Page, found []frontier.Request) verdict {
	v := verdict{Event: Event{Kind: Fetched, URL: req.URL, Page: page, reply: answered(page.Response)}, bytes: page.Response.Wire}
	v.out = r.revisit(req, page.Response, nil)
	witness(&v.out, page.Response)
	v.out.Found = found
	return v
}

// mind calls what is told of pages; a panic there is trouble of ours and not the page's.
func mind[T any](call func() T) T {
	defer func() {
		if p := recover(); p != nil {
			panic(fatal{panicError(p)})
		}
	}()
	return call()
}

// revisit asks Revisit.
func (r *run) revisit(req frontier.Request, resp *Response, err error) frontier.Outcome {
	return mind(func() frontier.Outcome { return r.Revisit(req, resp, err) })
}

// survive makes a panic on a page a failure of that page, unless it is [fatal]. Where a handler ended
// its goroutine, as testing's FailNow does, the page is given back.
func (r *run) survive(l frontier.Lease, v *verdict, err *error) {
	p := recover()
	if ours, ok := p.(fatal); ok {
		*v, *err = verdict{}, ours
	} else if p != nil {
		req := asVisited(l.Request)
		err := &FetchError{URL: req.URL, Kind: ErrPanic, Err: fmt.Errorf("%v\n%s", p, debug.Stack())}
		*v = verdict{Event: Event{Kind: Failed, URL: req.URL, Err: err}}
	} else if v.Kind == "" && *err == nil {
		r.giveBack(l, errGoexit)
	}
}

// giveBack ends the lease of a visit that was broken off by cause: the request
// waits for the next run as it was.
func (r *run) giveBack(l frontier.Lease, cause error) error {
	r.quota.Release()
	safe, err := r.finish(l, frontier.Outcome{Again: time.Now()})
	if errors.Is(err, frontier.ErrLeaseExpired) {
		err = nil // it waits already, or is another's
	}
	return cmp.Or(err, safe(), cause)
}
