package crawler

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Ask is how a request is put to the server where it is not the plain GET of a
// page. It travels with the context, so that a [Middleware] may shape a request
// whatever wraps the Fetcher that sends it; an [HTTP] obeys it.
//
// Its Header goes to the origin of the request's URL and to no other. After a
// redirect to another page what was said about the first (If-None-Match and its
// like) is not sent, a Body only by a redirect of status 307 or 308 within the
// origin.
type Ask struct {
	Method string      // empty: GET
	Header http.Header // replaces those of the same name that the Fetcher would send
	Body   []byte      // of a POST, say

	// Anonymous has the request made as by somebody whom the site does not know:
	// without the Credentials and Cookies of the HTTP, to which nothing is added.
	Anonymous bool
}

type askKey struct{}

// Within returns a context that carries a. Headers of an Ask that ctx carried
// already go along, unless a has those of the same name; so do its Method and
// Body where a has neither. It is Anonymous if one of them is.
func (a Ask) Within(ctx context.Context) context.Context {
	before := Asked(ctx)
	header := make(http.Header, len(before.Header)+len(a.Header))
	maps.Copy(header, before.Header)
	for k, v := range a.Header {
		header[http.CanonicalHeaderKey(k)] = v
	}
	if a.Method == "" && a.Body == nil {
		a.Method, a.Body = before.Method, before.Body
	}
	a.Header, a.Anonymous = header, a.Anonymous || before.Anonymous
	return context.WithValue(ctx, askKey{}, a)
}

// Asked returns the Ask that ctx carries, or one that asks for nothing special.
// It is not to be changed.
func Asked(ctx context.Context) Ask {
	a, _ := ctx.Value(askKey{}).(Ask)
	return a
}

// check refuses what cannot be sent.
func (a Ask) check() error {
	if strings.ContainsFunc(a.Method, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) }) {
		return &ConfigError{"method", a.Method, "is no name of a method"}
	}
	return checkHeader(a.Header)
}

// request makes what is sent to u.
func (c *chain) request(u *url.URL) *http.Request {
	r := &http.Request{Method: orString(c.ask.Method, http.MethodGet), URL: u, Host: u.Host, Header: c.header(u)}
	if body := c.ask.Body; body != nil {
		r.ContentLength = int64(len(body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
		r.Body, _ = r.GetBody()
	}
	return r
}

// ofThePage are the headers that speak of what is known of one page.
const ofThePage = "If-None-Match If-Modified-Since If-Match If-Unmodified-Since If-Range Range"

// redirect changes what is asked for after a redirect from one URL to another,
// as browsers do (Fetch standard, 4.4), and reports whether it may go there.
func (c *chain) redirect(status int, from, to string, same bool) bool {
	if !same && len(c.ask.Header) > 0 {
		c.ask.Header = maps.Clone(c.ask.Header)
		for k := range strings.FieldsSeq(ofThePage) {
			delete(c.ask.Header, k)
		}
	}
	switch post := c.ask.Method == http.MethodPost; {
	case c.ask.Body == nil && !post:
	case post && (status == http.StatusMovedPermanently || status == http.StatusFound), status == http.StatusSeeOther:
		c.ask.Method, c.ask.Body = http.MethodGet, nil
		c.ask.Header = maps.Clone(c.ask.Header)
		delete(c.ask.Header, "Content-Type")
	default:
		return originOf(from) == originOf(to)
	}
	return true
}

// originOf returns the origin of a URL, and nothing for what is none.
func originOf(s string) string {
	u, err := requestURL(s)
	if err != nil {
		return ""
	}
	return origin(u)
}

// header returns what to send to u. Credentials go to their own origin only,
// wherever the request comes from.
func (c *chain) header(u *url.URL) http.Header {
	h := c.http.state.header
	at := origin(u)
	own, asked := c.http.state.secrets[at], c.ask.Header
	if c.ask.Anonymous {
		own = nil
	}
	if at != originOf(c.req.URL) {
		asked = nil
	}
	cookies := c.cookies(u)
	if len(own) == 0 && len(cookies) == 0 && len(asked) == 0 {
		return h
	}
	h = h.Clone()
	for _, more := range []http.Header{own, asked} {
		for k, v := range more {
			h[http.CanonicalHeaderKey(k)] = slices.Clone(v)
		}
	}
	addCookies(h, cookies)
	return h
}
