package fetch

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Ask is how a request is put to a server.
type Ask struct {
	Method    string      // empty: GET
	Header    http.Header // for the origin of the request's URL alone
	Body      []byte
	Anonymous bool // without Credentials and Cookies
}

// request makes what is sent to u.
func (c *chain) request(u *url.URL) *http.Request {
	r := &http.Request{Method: cmp.Or(c.ask.Method, http.MethodGet), URL: u, Host: u.Host, Header: c.header(u)}
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
	return Origin(u)
}

// header returns what to send to u. Credentials go to their own origin only,
// wherever the request comes from.
func (c *chain) header(u *url.URL) http.Header {
	h := c.http.state.header
	at := Origin(u)
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
