package trap

import (
	"slices"
	"strings"
)

// A name server that answers for any name makes hosts without end. Hosts of one site
// whose names differ in numbers and ids only are taken for one, where there are more
// than a site has for a reason. Their pages then share patterns, whatever their paths.
const (
	manyHosts  = 16 // of one site that differ in numbers, for them to be one
	knownNames = 1 << 16

	fewNames = 3  // of parameters, for their sets to be taken for one
	manySets = 16 // of parameters of one path that make a pattern each; the others are one
)

// names are the hosts that differ from others in numbers only.
type names struct {
	folded map[string]string   // by origin; empty: it is its own
	met    map[string][]uint64 // hashes of the first manyHosts origins, by what they fold to
}

func newNames() names { return names{make(map[string]string), make(map[string][]uint64)} }

// shape is shapeOf, of a URL whose host may be one of many.
func (g *Guard) shape(url string, buf []byte) shape {
	s := shapeOf(url, buf)
	if key := g.key(s.host); key != s.host {
		s.host, s.open, s.id = key, true, true
	}
	if s.names >= fewNames {
		if h := g.hosts[s.host]; h != nil && h.Combined[string(s.text[:s.asked])] >= manySets && h.Patterns[string(s.text)] == nil {
			s.text = append(s.text[:s.asked+1], '*')
		}
	}
	return s
}

// key returns what a host is known by: its origin, or what that folds to.
func (g *Guard) key(origin string) string {
	if !strings.ContainsAny(origin, "0123456789") {
		return origin
	}
	f := g.fold(origin)
	if f != "" && (g.hosts[f] != nil || len(g.names.met[f]) >= manyHosts) {
		return f
	}
	return origin
}

// meet counts an origin, once.
func (g *Guard) meet(origin string) {
	if !strings.ContainsAny(origin, "0123456789") {
		return
	}
	f := g.fold(origin)
	if f == "" {
		return
	}
	if len(g.names.met) >= knownNames {
		clear(g.names.met)
	}
	met, hash := g.names.met[f], hashURL(origin)
	if len(met) < manyHosts && !slices.Contains(met, hash) {
		g.names.met[f] = append(met, hash)
	}
}

// fold returns an origin with #, which no host has, for the numbers and ids in the
// names below its site, and nothing if there are none.
func (g *Guard) fold(origin string) string {
	folded, known := g.names.folded[origin]
	if known {
		return folded
	}
	scheme, name, _ := strings.Cut(origin, "://")
	if site := g.site(origin); strings.HasSuffix(name, "."+site) {
		var s shape
		s.segment(strings.TrimSuffix(name, site))
		folded = scheme + "://" + strings.ReplaceAll(string(s.text), "0", "#") + site
	}
	if folded == origin {
		folded = ""
	}
	if len(g.names.folded) >= knownNames {
		clear(g.names.folded)
	}
	g.names.folded[strings.Clone(origin)] = folded
	return folded
}

// sameHost reports whether a URL is of the host of the page.
func (g *Guard) sameHost(o *observed, url string) bool {
	origin := originOf(url)
	return origin == o.s.host || origin != "" && g.key(origin) == o.s.host
}
