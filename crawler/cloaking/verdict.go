package cloaking

import (
	"cmp"
	"fmt"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// host is what is known of one.
type host struct {
	pages, asked            int // that were read; that were to be compared
	same, restless, cloaked int // of those that were
	after                   int // visits since it is known to cloak
}

// enough is how many pages show that a host cloaks: one may be a test of the site.
const enough = 2

func (h *host) cloaks() bool { return h.cloaked >= enough && h.cloaked > h.same }

// note changes what is known of a host.
func (c *Check) note(origin string, change func(*host)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.hosts[origin]
	if h == nil {
		if len(c.hosts) >= maxHosts {
			return
		}
		if c.hosts == nil {
			c.hosts = make(map[string]*host)
		}
		h = new(host)
		c.hosts[origin] = h
	}
	change(h)
}

// spent reports whether enough was visited of a host that cloaks, and counts the
// visit if not.
func (c *Check) spent(origin string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.hosts[origin]
	most := cmp.Or(c.Pages, defaultPages)
	switch {
	case h == nil, most < 0, !h.cloaks():
		return false
	case h.after >= most:
		return true
	}
	h.after++
	return false
}

// A Verdict is what a [Check] thinks of a host.
type Verdict struct {
	Cloaks   bool
	Same     int // pages that others are shown as well
	Restless int // that are another with every visit
	Cloaked  int // that only we are shown
	Visited  int // pages since it is known to cloak
}

// String says it in one line.
func (v Verdict) String() string {
	is := "does not cloak"
	if v.Cloaks {
		is = fmt.Sprintf("cloaks, and had %d visits since that is known", v.Visited)
	}
	return fmt.Sprintf("cloaking: the host %s (others are shown the same in %d pages, another one in %d, and %d change by themselves)",
		is, v.Same, v.Cloaked, v.Restless)
}

// Explain tells what is thought of the host of a URL. ok is false where nothing was
// compared.
func (c *Check) Explain(url string) (v Verdict, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.hosts[urlnorm.Origin(url)]
	if h == nil {
		return Verdict{}, false
	}
	v = Verdict{h.cloaks(), h.same, h.restless, h.cloaked, h.after}
	return v, v.Same+v.Restless+v.Cloaked > 0
}

// Why is [Check.Explain] in one line, and empty where there is nothing to say. With
// it a Check is a Judge of package monitor.
func (c *Check) Why(url string) string {
	if v, ok := c.Explain(url); ok {
		return v.String()
	}
	return ""
}

// Refused is the error of a page of a host that cloaks and of which enough was
// visited. A Crawler counts it as skipped, with the reason "cloaking".
type Refused struct{ URL string }

func (e *Refused) Error() string { return "cloaking: " + e.URL + ": its host shows others other pages" }

// SkipReason makes the URL skipped, not failed.
func (e *Refused) SkipReason() string { return "cloaking" }
