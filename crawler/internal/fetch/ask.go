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

// Headers that redirects take away.
const (
	ofThePage = "If-None-Match If-Modified-Since If-Match If-Unmodified-Since If-Range Range" // what is known of one page
	ofTheBody = "Content-Type Content-Encoding Content-Language Content-Location"
)

// Redirected returns what is asked of the target of a redirect, as browsers do (Fetch
// standard, 4.4), and reports whether it may be asked: a body, or another method than GET and
// HEAD, goes to no other origin. same says that both URLs are of one page, so that what is
// known of it holds on. A status that no redirect has is that of a page which leads on by itself.
func (a Ask) Redirected(status int, from, to string, same bool) (_ Ask, ok bool) {
	switch status {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	case http.StatusMovedPermanently, http.StatusFound:
		if a.Method == http.MethodPost {
			a = a.asGet()
		}
	default:
		if a.Method != http.MethodHead {
			a = a.asGet()
		}
	}
	if originOf(from) != originOf(to) {
		if a.Body != nil || a.Method != "" && a.Method != http.MethodGet && a.Method != http.MethodHead {
			return a, false
		}
		a.Header = nil
	}
	if !same {
		a.Header = a.without(ofThePage)
	}
	return a, true
}

// asGet is a without its method and body.
func (a Ask) asGet() Ask {
	a.Method, a.Body, a.Header = "", nil, a.without(ofTheBody)
	return a
}

// without is the header without some names, which may be written in any case.
func (a Ask) without(names string) http.Header {
	h := maps.Clone(a.Header)
	maps.DeleteFunc(h, func(k string, _ []string) bool {
		return slices.Contains(strings.Fields(names), http.CanonicalHeaderKey(k))
	})
	return h
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
