package trap

import (
	"strings"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// A link farm is a set of sites that link to each other and say little else.
// Two things must come together, for either alone is common: sites of one owner
// link to each other, and lists repeat themselves. A host is of a farm if most of
// its pages link to many sites and consist of the same few words over and over,
// and if at least three other hosts of which that is true link to it and are
// linked from it (compare Ntoulas et al., "Detecting spam web pages through
// content analysis", WWW 2006; Gyöngyi and Garcia-Molina, "Link spam alliances",
// VLDB 2005).
type farm struct {
	Pages   int            // that link to many sites
	Spam    int            // of them, that repeat themselves
	To      map[string]int // origins linked to, by pages of spam
	Verdict bool
}

const (
	farmSites   = 5   // sites a page links to, besides its own, to be looked at
	farmRepeats = 0.4 // share of triples of words that stood in the page before
	farmWords   = 40  // of a page to be judged
	farmPages   = 3   // of spam before a host is judged
	farmPeers   = 3   // hosts that it exchanges links with
	farmTo      = 64  // hosts linked to that are remembered
	knownSites  = 1 << 16
)

// farmed looks whether a page is that of a link farm.
func (g *Guard) farmed(o *observed) {
	own := g.site(originOf(o.page.Response.Request.URL)) // o.s.host may be many
	others := make(map[string]string)                    // origin by site
	for _, l := range o.page.Links {
		if origin := originOf(l.URL); origin != o.s.host && !l.NoFollow {
			if site := g.site(origin); site != own && site != "" && len(others) < farmTo {
				others[site] = origin
			}
		}
	}
	if len(others) < farmSites {
		return
	}
	f := o.h.Farm
	if f == nil {
		f = &farm{To: make(map[string]int)}
		o.h.Farm = f
	}
	f.Pages++
	if repeats(o.page.Text) < farmRepeats {
		f.Verdict = false // it has said something
		return
	}
	f.Spam++
	for _, origin := range others {
		if _, known := f.To[origin]; known || len(f.To) < farmTo {
			f.To[origin]++
		}
	}
	if f.Verdict || !f.spammy() {
		return
	}
	peers := 0
	for origin := range f.To {
		if other := g.hosts[origin]; other != nil && other.Farm != nil && other.Farm.spammy() && other.Farm.To[o.s.host] > 0 {
			peers++
		}
	}
	f.Verdict = peers >= farmPeers
}

// spammy reports whether four of five pages, and enough of them, are spam.
func (f *farm) spammy() bool { return f.Spam >= farmPages && 5*f.Spam >= 4*f.Pages }

// repeats is which share of the triples of words of a text stood in it before;
// 0 for a short one.
func repeats(text string) float64 {
	words := strings.Fields(text)
	if len(words) < farmWords {
		return 0
	}
	words = words[:min(len(words), 2000)]
	seen := make(map[[3]string]bool, len(words))
	again := 0
	for i := range len(words) - 2 {
		triple := [3]string(words[i : i+3])
		if seen[triple] {
			again++
		}
		seen[triple] = true
	}
	return float64(again) / float64(len(words)-2)
}

// site returns the registrable domain of an origin.
func (g *Guard) site(origin string) string {
	site, known := g.sites[origin]
	if !known {
		if len(g.sites) >= knownSites {
			clear(g.sites)
		}
		site = urlnorm.Site(origin + "/")
		g.sites[strings.Clone(origin)] = site
	}
	return site
}

func originOf(url string) string {
	at := strings.Index(url, "://")
	if at < 0 {
		return ""
	}
	if i := strings.IndexByte(url[at+3:], '/'); i >= 0 {
		return url[:at+3+i]
	}
	return url
}
