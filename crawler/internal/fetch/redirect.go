package fetch

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// SelfHops is how often a URL may redirect to itself before it is a loop.
const SelfHops = 5

// chain is one Fetch: a request and the redirects that it follows. Without a
// jar of the HTTP, cookies live as long as the chain.
type chain struct {
	http *HTTP
	req  *Request
	ask  Ask      // as the redirects so far have left it
	hops []string // URLs asked for before the present one
	jar  http.CookieJar
}

// limit is how many hops to other pages are followed.
func (c *chain) limit() int {
	if c.req.Pursue == FollowItself {
		return 0
	}
	return c.http.Redirects
}

func (c *chain) fail(kind Kind, err error) error {
	return &Error{Kind: kind, Hops: c.hops, Err: err}
}

// follow asks for the request's URL and for what it redirects to, as far as the
// settings allow.
func (c *chain) follow(ctx context.Context) (*Response, error) {
	at, others, selfs := c.req.URL, 0, 0
	for {
		resp, location, err := c.exchange(ctx, at)
		if err != nil || location == "" {
			return resp, err
		}
		next, same := c.target(at, location)
		ask, may := c.ask.Redirected(resp.Status, at, next, same)
		c.ask = ask
		switch {
		case same && !may:
			return resp, nil
		case same && c.req.Pursue == FollowOthers && others == 0:
			resp.Location = next
			return resp, nil
		case same && selfs == SelfHops:
			c.hops = append(c.hops, at)
			return nil, c.fail(ErrRedirectLoop, nil)
		case same:
			selfs++
		case c.limit() == 0 || next == "" || !may:
			resp.Location = next
			return resp, nil
		default:
			if err := c.mayHop(at, next, others); err != nil {
				return nil, err
			}
			others++
		}
		c.hops = append(c.hops, at)
		at = next
	}
}

// target resolves a Location. It returns the URL to ask for, which is the
// canonical one unless that is the page's own: then a parameter that
// canonicalisation drops may be what the server is after.
func (c *chain) target(at, location string) (next string, same bool) {
	next, err := c.req.Canon.URL(at, location)
	if err != nil {
		return "", false
	}
	if self, err := c.req.Canon.URL("", at); err != nil || next != self {
		return next, false
	}
	return cmp.Or(AsWritten(at, location), next), true
}

// AsWritten resolves a Location and leaves its path and query as they were written. It
// is empty where that cannot be done.
func AsWritten(at, location string) string {
	base, err := url.Parse(at)
	if err != nil {
		return ""
	}
	u, err := base.Parse(location)
	if err != nil {
		return ""
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	if o, err := url.Parse(urlnorm.Origin(u.String())); err == nil && o.Host != "" {
		u.Host = o.Host
	}
	return u.String()
}

// mayHop checks a redirect to another page.
func (c *chain) mayHop(at, next string, others int) error {
	via := append(slices.Clone(c.hops), at)
	if others == c.limit() {
		kind := ErrRedirectTooMany
		if slices.Contains(via, next) {
			kind = ErrRedirectLoop
		}
		c.hops = via
		return c.fail(kind, nil)
	}
	if c.http.OnRedirect != nil {
		if err := c.http.OnRedirect(via, next); err != nil {
			c.hops = via
			return c.fail(ErrRedirect, err)
		}
	}
	return nil
}

// Origin is scheme, host and port (RFC 6454), the port only where it is not the
// scheme's own.
func Origin(u *url.URL) string {
	host := strings.ToLower(u.Host)
	if p := u.Port(); p == "80" && u.Scheme == "http" || p == "443" && u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":"+p)
	}
	return u.Scheme + "://" + host
}

// Location returns the Location of a redirect. Bytes that are not ASCII, which
// should not be there, are escaped as they are, as browsers do: read as UTF-8,
// those of another encoding would be lost.
func Location(h http.Header) string {
	s := h.Get("Location")
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return escapeHigh(s)
		}
	}
	return s
}

// IsRedirect reports whether a status asks the client to go elsewhere. 300 does
// when it says where (RFC 9110, 15.4.1).
func IsRedirect(status int) bool {
	switch status {
	case http.StatusMultipleChoices, http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// escapeHigh escapes the bytes of s that are not ASCII.
func escapeHigh(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= 0x80 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
