package session

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"
)

const (
	maxSite = 200     // cookies of a registrable domain
	maxAll  = 1 << 16 // cookies in all

	// As browsers have it (RFC 6265bis, 5.5 and 5.6).
	maxPair      = 4096 // bytes of name and value
	maxAttribute = 1024 // bytes of a path or domain
	maxAge       = 400 * 24 * time.Hour
)

// Jar is an http.CookieJar that knows the public suffix list, keeps so many
// cookies and no more, 200 for a registrable domain and 65,536 in all, the
// youngest, and can be saved. Its methods may be called from many goroutines.
type Jar struct {
	mu    sync.Mutex
	jar   *cookiejar.Jar
	kept  map[string][]kept // by registrable domain, oldest first
	count int
	file  file
}

var _ http.CookieJar = (*Jar)(nil)

// kept is a cookie as it was set. One without Expires lasts until it is taken
// out, also over a restart: a crawl that goes on is the same session.
type kept struct {
	URL    string // that set it
	Cookie http.Cookie
}

// same reports whether two cookies replace each other.
func (k *kept) same(other *kept) bool {
	return k.Cookie.Name == other.Cookie.Name && k.scope() == other.scope()
}

// scope is the host or domain, and the path.
func (k *kept) scope() string {
	u, err := url.Parse(k.URL)
	if err != nil {
		return ""
	}
	host := "=" + u.Hostname()
	if d := strings.TrimPrefix(k.Cookie.Domain, "."); d != "" {
		host = d
	}
	path := k.Cookie.Path
	if path == "" {
		path = u.Path[:max(strings.LastIndexByte(u.Path, '/'), 0)]
	}
	return strings.ToLower(host) + " " + path
}

// New makes a Jar in memory.
func New() *Jar {
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		panic(err) // it fails never
	}
	return &Jar{jar: jar, kept: make(map[string][]kept)}
}

// Cookies returns what to send to u.
func (j *Jar) Cookies(u *url.URL) []*http.Cookie { return j.jar.Cookies(u) }

// SetCookies takes what an answer of u sets, but for cookies that are larger
// than browsers take them. None is kept for longer than 400 days.
func (j *Jar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	if cookies = bounded(cookies, time.Now()); len(cookies) == 0 || u.Hostname() == "" {
		return
	}
	j.jar.SetCookies(u, cookies)
	j.mu.Lock()
	defer j.mu.Unlock()
	site, now := siteOf(u.Hostname()), time.Now()
	for _, c := range cookies {
		j.note(site, now, kept{withoutQuery(u), *c})
	}
	j.shrink(site)
	j.file.touch()
}

// bounded leaves out cookies that are too large, and shortens the lives of those
// that would last too long.
func bounded(cookies []*http.Cookie, now time.Time) []*http.Cookie {
	var out []*http.Cookie
	for _, c := range cookies {
		if len(c.Name)+len(c.Value) > maxPair || max(len(c.Path), len(c.Domain)) > maxAttribute {
			continue
		}
		short := *c
		short.MaxAge = min(short.MaxAge, int(maxAge/time.Second))
		if short.MaxAge == 0 && short.Expires.After(now.Add(maxAge)) {
			short.Expires = now.Add(maxAge)
		}
		if short.MaxAge != 0 {
			short.Expires = time.Time{}
		}
		out = append(out, &short)
	}
	return out
}

// note replaces a cookie, which keeps its place, or adds it. One that expires in
// the past takes it out.
func (j *Jar) note(site string, now time.Time, k kept) {
	c := &k.Cookie
	switch {
	case c.MaxAge > 0:
		c.Expires = now.Add(time.Duration(c.MaxAge) * time.Second)
	case c.MaxAge < 0:
		c.Expires = now
	}
	c.MaxAge, c.Raw, c.RawExpires, c.Unparsed = 0, "", "", nil
	all := j.kept[site]
	i := slices.IndexFunc(all, func(old kept) bool { return old.same(&k) })
	lasts := c.Expires.IsZero() || c.Expires.After(now)
	switch {
	case i >= 0 && lasts:
		all[i] = k
	case i >= 0:
		all = slices.Delete(all, i, i+1)
		j.count--
	case lasts:
		all = append(all, k)
		j.count++
	}
	if j.kept[site] = all; len(all) == 0 {
		delete(j.kept, site)
	}
}

// shrink drops the oldest cookies of a site that has too many, and those of any
// other site when there are too many in all.
func (j *Jar) shrink(site string) {
	for len(j.kept[site]) > maxSite {
		j.drop(site)
	}
	for j.count > maxAll {
		for other := range j.kept {
			if other != site || len(j.kept) == 1 {
				j.drop(other)
				break
			}
		}
	}
}

// drop takes out the oldest cookie of a site.
func (j *Jar) drop(site string) {
	all := j.kept[site]
	if u, err := url.Parse(all[0].URL); err == nil {
		gone := all[0].Cookie
		gone.MaxAge = -1
		j.jar.SetCookies(u, []*http.Cookie{&gone})
	}
	j.count--
	if j.kept[site] = all[1:]; len(all) == 1 {
		delete(j.kept, site)
	}
}

// Forget takes out all cookies of a host's registrable domain.
func (j *Jar) Forget(host string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	site := siteOf(host)
	for len(j.kept[site]) > 0 {
		j.drop(site)
	}
	j.file.touch()
}

func siteOf(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host
}

func withoutQuery(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
