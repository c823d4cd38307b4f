package fetch

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// Trail is the cookies that the redirects on the way to a request have set. They are
// sent to what the redirects lead to, as a browser would send them: by their domain,
// path and Secure, never to a public suffix, and to no request but those of these
// redirects. So a site that gives a cookie and leads on shows its page, and visits
// stay independent of each other. [HTTP].Cookies keeps cookies for all requests.
//
// It is text, as it waits in the Frontier with the request: of each cookie the URL that
// set it, a line feed, the Set-Cookie header, and a line feed.
type Trail string

// maxTrail is the size of a trail. Of more cookies the last are kept.
const maxTrail = 8 << 10

// After returns the trail with the cookies of an answer.
func (t Trail) After(at string, h http.Header) Trail {
	lines := h["Set-Cookie"]
	if len(lines) == 0 {
		return t
	}
	steps := t.steps()
	for _, line := range lines[:min(len(lines), maxCookies)] {
		if end := strings.IndexAny(line, "\x00\r\n"); end >= 0 {
			line = line[:end]
		}
		k := parseCookie(line)
		if k == nil {
			continue
		}
		steps = slices.DeleteFunc(steps, func(s step) bool {
			old := parseCookie(s.line)
			return old == nil || old.Name == k.Name && old.Domain == k.Domain && old.Path == k.Path && originOf(s.at) == originOf(at)
		})
		steps = append(steps, step{at, line})
	}
	size := 0
	for i, s := range slices.Backward(steps) {
		if size += len(s.at) + len(s.line) + 2; size > maxTrail {
			steps = steps[i+1:]
			break
		}
	}
	var b strings.Builder
	for _, s := range steps {
		b.WriteString(s.at + "\n" + s.line + "\n")
	}
	return Trail(b.String())
}

// step is a cookie of a trail.
type step struct{ at, line string }

func (t Trail) steps() (all []step) {
	for rest := string(t); ; {
		at, more, ok1 := strings.Cut(rest, "\n")
		line, next, ok2 := strings.Cut(more, "\n")
		if !ok1 || !ok2 {
			return all
		}
		all, rest = append(all, step{at, line}), next
	}
}

// cookies are those to be sent to a URL.
func (t Trail) cookies(u *url.URL) []*http.Cookie {
	if t == "" {
		return nil
	}
	jar, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // fails never
	for _, s := range t.steps() {
		if from, err := requestURL(s.at); err == nil {
			if k := parseCookie(s.line); k != nil {
				jar.SetCookies(from, []*http.Cookie{k})
			}
		}
	}
	return jar.Cookies(u)
}

// To tells apart requests for a URL by the cookies that are sent: by their names, as
// sites give every visitor other values, or by all that is said of them.
func (t Trail) To(target string, values bool) string {
	u, err := requestURL(target)
	if t == "" || err != nil {
		return target
	}
	var names []string
	for _, k := range t.cookies(u) {
		if values {
			k.Name += "=" + k.Value
		}
		names = append(names, k.Name)
	}
	slices.Sort(names)
	for _, n := range names {
		target += "\n" + n
	}
	return target
}
