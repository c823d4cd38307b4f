package dedup

import (
	"cmp"
	"slices"
	"strings"
)

// A Mirror is the verdict that a host has the pages of another.
type Mirror struct {
	Host, Of string // origins, as in https://example.com; Of is the one whose pages came first
	Agree    int    // pages under the same path on both that say the same
	Differ   int    // and that do not
}

// Hosts are mirrors when at least so many pages agree, and at most one in ten
// that were compared does not.
const (
	mirrorPages = 8
	mirrorShare = 10
	mirrorPairs = 4096 // that are counted
	mirrorOf    = 4    // hosts that one is compared with
)

// hosts are two origins in order.
type hosts struct{ a, b string }

// agreement counts the pages that two hosts have under the same path.
type agreement struct {
	agree, differ int
	aFirst        int // of those that agree: a's came first
}

type mirrors struct {
	pairs map[hosts]*agreement
	with  map[string][]string // which others a host is compared with
}

// seenPair is an agreement as it is saved.
type seenPair struct {
	A, B                  string
	Agree, Differ, AFirst int
}

// see compares a page that was added with those under its path on other hosts.
func (m *mirrors) see(x *Index, url string, found hit) {
	host, path := origin(url)
	like, likePath := origin(found.Like)
	if found.Kind != Unique && host != like && path == likePath {
		if p := m.pair(host, like); p != nil {
			p.agree++
			if like < host {
				p.aFirst++
			}
		}
		return
	}
	for _, other := range m.with[host] {
		at, r, ok, err := x.latest(other + path)
		if err != nil || !ok {
			continue
		}
		p := m.pair(host, other)
		switch {
		case x.leaderOf(at, r) != found.leader:
			p.differ++
		default:
			p.agree++
			if other < host {
				p.aFirst++
			}
		}
	}
}

// pair returns what is known of two hosts, nil where that would be too many.
func (m *mirrors) pair(h, g string) *agreement {
	key := hosts{min(h, g), max(h, g)}
	p := m.pairs[key]
	if p == nil && len(m.pairs) < mirrorPairs && len(m.with[h]) < mirrorOf && len(m.with[g]) < mirrorOf {
		p = new(agreement)
		m.put(key, p)
	}
	return p
}

func (m *mirrors) put(key hosts, p *agreement) {
	if m.with == nil {
		m.with = make(map[string][]string)
	}
	m.pairs[key] = p
	m.with[key.a] = append(m.with[key.a], key.b)
	m.with[key.b] = append(m.with[key.b], key.a)
}

func (m *mirrors) saved() (all []seenPair) {
	for k, p := range m.pairs {
		all = append(all, seenPair{k.a, k.b, p.agree, p.differ, p.aFirst})
	}
	return all
}

func (m *mirrors) restore(all []seenPair) {
	for _, s := range all {
		m.put(hosts{s.A, s.B}, &agreement{s.Agree, s.Differ, s.AFirst})
	}
}

// verdict says which of two hosts is a mirror of the other, if any.
func (k hosts) verdict(p *agreement) (v Mirror, ok bool) {
	if p == nil || p.agree < mirrorPages || p.differ*mirrorShare > p.agree {
		return Mirror{}, false
	}
	if p.aFirst*2 < p.agree {
		return Mirror{k.a, k.b, p.agree, p.differ}, true
	}
	return Mirror{k.b, k.a, p.agree, p.differ}, true
}

// Mirrors returns the hosts that are mirrors of others by the pages added so
// far, those that agree in most pages first. Up to 4,096 pairs of hosts are
// watched, four for each host; what was counted since the last Sync or Close is
// lost in a crash.
func (x *Index) Mirrors() []Mirror {
	x.mu.Lock()
	defer x.mu.Unlock()
	var found []Mirror
	for k, p := range x.mirrors.pairs {
		if v, ok := k.verdict(p); ok {
			found = append(found, v)
		}
	}
	slices.SortFunc(found, func(a, b Mirror) int {
		return cmp.Or(cmp.Compare(b.Agree, a.Agree), strings.Compare(a.Host, b.Host), strings.Compare(a.Of, b.Of))
	})
	return found
}

// origin parts a URL before its path.
func origin(url string) (host, path string) {
	at := strings.Index(url, "://")
	if at < 0 {
		return "", url
	}
	end := strings.IndexAny(url[at+3:], "/?#")
	if end < 0 {
		return url, ""
	}
	return url[:at+3+end], url[at+3+end:]
}
