package chrome

import (
	"crypto/rand"
	"net"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/webquarry/quarry/crawler/chrome/action"
)

// What Via knows of a site, Credentials and a jar of cookies, it adds to requests
// that come by the proxy. A browser adds such things to some requests of a page
// only: by the site that they come from and go to, the SameSite of a cookie, the
// credentials mode of the script. Of that nothing stands in a request to http.
// So each page is given a cookie that is as strict as cookies can be, which its
// server never sees. A request that brings it back is one that the browser would
// send whatever a site knows of its visitor; any other is made by nobody in
// particular, with no more than the cookies that Chrome itself sends along.

// mark is the value of the cookie in a tab: no page and no server can guess it.
type mark string

func newMark() mark { return mark(rand.Text()) }

// leave gives the cookie to the site of a page.
func (m mark) leave(w http.ResponseWriter, rawurl string) {
	u, err := url.Parse(rawurl)
	if err != nil {
		return
	}
	cookie := action.MarkCookie + "=" + string(m) + "; Path=/; HttpOnly; SameSite=Strict"
	w.Header().Add("Set-Cookie", cookie)
	// A site is a domain with all below; addresses and single names have none.
	if host := strings.TrimSuffix(u.Hostname(), "."); net.ParseIP(host) == nil {
		if domain, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
			w.Header().Add("Set-Cookie", cookie+"; Domain="+domain)
		}
	}
}

// take removes the cookie from a request, and reports whether it was there.
func (m mark) take(r *http.Request) (was bool) {
	lines := r.Header["Cookie"]
	delete(r.Header, "Cookie")
	for _, line := range lines {
		var kept []string
		for part := range strings.SplitSeq(line, ";") {
			part = strings.TrimSpace(part)
			if name, value, _ := strings.Cut(part, "="); name == action.MarkCookie {
				was = was || value == string(m)
				continue
			}
			kept = append(kept, part)
		}
		if len(kept) > 0 {
			r.Header.Add("Cookie", strings.Join(kept, "; "))
		}
	}
	return was
}

// opens reports whether a request is one that actions opened a page with, and no
// page of another site.
func (l *load) opens(r *http.Request, url string) bool {
	l.mu.Lock()
	main := l.free && l.wanted == url
	l.mu.Unlock()
	if !main || !isNavigation(r) || r.Method != http.MethodGet {
		return false
	}
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "none" || site == "" && r.Header.Get("Referer")+r.Header.Get("Origin") == ""
}
