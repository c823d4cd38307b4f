package trap

import (
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
)

// A name server that answers for any name makes hosts without end of words as well,
// which fold to nothing. What can be told of them is what their first pages say: a
// registrable domain has a budget for hosts that say what another one of it says, which
// grows with those that do not. Once it is spent, hosts that no page was read of are
// not visited; the others go on.
type domain struct {
	Hosts  int     // that a page was read of
	Credit float64 // for hosts that bring nothing new
	Recent []print `json:",omitempty"` // of the last first pages
}

const (
	recentHosts = 4 * recentPages
	domainsKept = hostsInAll
)

// spent reports whether a domain has no budget for more hosts.
func (g *Guard) spent(d *domain) bool {
	return d.Credit <= 0 || g.opt.SiteHosts > 0 && d.Hosts >= g.opt.SiteHosts
}

// crowded reports whether a URL is of a host that nothing is known of, below a
// domain that has no budget for more of them.
func (g *Guard) crowded(url string) bool {
	if len(g.domains) == 0 {
		return false
	}
	origin := originOf(url)
	if h := g.hosts[g.key(origin)]; h != nil && h.Pages > 0 {
		return false
	}
	d := g.domains[g.site(origin)]
	return d != nil && g.spent(d)
}

// firstOf returns what the first page of a host says, the name of the host left out.
func firstOf(page *crawler.Page, origin string) print {
	_, name, _ := strings.Cut(origin, "://")
	name, _, _ = strings.Cut(name, ":")
	label, _, _ := strings.Cut(name, ".")
	text := strings.ReplaceAll(page.Text, name, "")
	if len(label) > 3 {
		text = strings.NewReplacer(label, "", strings.ReplaceAll(label, "-", " "), "").Replace(text)
	}
	return printOf(dedup.Of(text))
}

// meetHost settles what the first page of a host is worth to its domain.
func (g *Guard) meetHost(origin string, says print) {
	site := g.site(origin)
	if site == "" {
		return
	}
	d := g.domains[site]
	if d == nil {
		for name, old := range g.domains {
			if len(g.domains) < domainsKept {
				break
			}
			if !g.spent(old) {
				delete(g.domains, name)
			}
		}
		if len(g.domains) >= domainsKept {
			return
		}
		d = &domain{Credit: startCredit * g.opt.Patience}
		g.domains[site] = d
	}
	d.Hosts++
	for _, other := range d.Recent {
		if says.says(other) {
			d.Credit--
			return
		}
	}
	d.Credit = min(d.Credit+gain, mostCredit)
	if len(d.Recent) == recentHosts {
		d.Recent = append(d.Recent[:0], d.Recent[1:]...)
	}
	d.Recent = append(d.Recent, says)
}
