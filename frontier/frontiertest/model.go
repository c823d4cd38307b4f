package frontiertest

import (
	"cmp"
	"net"
	"net/url"
	"slices"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/webquarry/quarry/frontier"
)

// model is a frontier that keeps everything in lists and walks over all of it to
// answer a question. It waits for nothing: it says what may be leased now, or
// when that will change.
type model struct {
	limits  frontier.Limits // with defaults, -1 for none
	horizon time.Duration
	urls    map[id]*page
	pages   []*page // the same
	hosts   map[string]*site
	visited map[string]time.Time // last visit of a domain or an address
	queued  int                  // requests queued so far
	began   []*site              // of the visits that count for shares
	last    time.Time            // when the latest of them began
	span    time.Duration        // of a lease; 0: for ever
}

// id is what a request goes by.
type id struct{ url, variant string }

func idOf(r frontier.Request) id { return id{r.URL, r.Variant} }

// page is a URL.
type page struct {
	req   frontier.Request
	state state
	order int       // of queueing
	since time.Time // when it was queued
	began time.Time // its last visit
	token uint64    // of its last lease
	until time.Time // when that expires; zero: never
	host  *site
}

type state int

const (
	queued state = iota
	leased
	done
	dropped
)

// site is a host.
type site struct {
	key     string
	domain  string
	addr    string        // empty: not known
	start   time.Time     // of the last visit
	until   time.Time     // rests
	gap     time.Duration // asked for
	took    time.Duration // to answer, smoothed
	health  health
	dropped bool      // it is over its budget, or was dropped by hand
	away    time.Time // parked by its budget until then
	hold    time.Time // parked by hand until then
	kept    time.Time // it is not forgotten before
	clear   time.Time // its clock allowed a visit then, before the gap grew; zero: it did not
	freed   time.Time // last time when its turn was over, or what stood in its way ended
}

func newModel(opt frontier.Options) *model {
	l := opt.Limits
	factor, shared := 2.0, max(4, l.PerHost)
	if l.Delay < 0 {
		factor = -1
	}
	if l.PerHost < 0 {
		shared = -1
	}
	return &model{
		limits: frontier.Limits{
			PerHost:   cmp.Or(l.PerHost, 1),
			PerDomain: cmp.Or(l.PerDomain, shared),
			PerIP:     cmp.Or(l.PerIP, shared),
			Global:    cmp.Or(l.Global, max(256, l.PerHost)),
			Delay:     max(cmp.Or(l.Delay, time.Second), 0),
			MaxDelay:  cmp.Or(l.MaxDelay, 24*time.Hour),
			Factor:    cmp.Or(l.Factor, factor),
			FactorCap: cmp.Or(l.FactorCap, 30*time.Second),
			Exempt:    l.Exempt,
			Budget:    l.Budget,

			DomainDelay: max(l.DomainDelay, 0),
			IPDelay:     max(l.IPDelay, 0),
		},
		horizon: cmp.Or(opt.Horizon, time.Hour),
		span:    opt.LeaseFor,
		urls:    map[id]*page{},
		hosts:   map[string]*site{},
		visited: map[string]time.Time{},
	}
}

// add queues what is new and returns how much that was.
func (m *model) add(reqs []frontier.Request, now time.Time) (n int) {
	for _, r := range reqs {
		again := r.Again
		r.Again = false
		if p := m.urls[idOf(r)]; p != nil {
			if again && p.state == done {
				if p.host = m.site(r.URL, now); !p.host.dropped {
					n++
					p.req = r
					m.queue(p, now)
				}
				continue
			}
			if p.state == queued {
				p.req.Depth = min(p.req.Depth, r.Depth)
			}
			continue
		}
		n++
		p := &page{req: r, host: m.site(r.URL, now)}
		m.urls[idOf(r)] = p
		m.pages = append(m.pages, p)
		if p.host.dropped {
			p.state = dropped
		} else {
			m.queue(p, now)
		}
	}
	return n
}

func (m *model) queue(p *page, now time.Time) {
	m.queued++
	p.state, p.order, p.since = queued, m.queued, now
}

// rescore gives what waits other priorities and returns how many that were.
func (m *model) rescore(reqs []frontier.Request) (n int) {
	for _, r := range reqs {
		if p := m.urls[idOf(r)]; p != nil && p.state == queued && p.req.Priority != r.Priority {
			n++
			m.queued++
			p.req.Priority, p.order = r.Priority, m.queued
		}
	}
	return n
}

// site finds the host of a URL. One that has nothing to do is forgotten when its
// clock has run out.
func (m *model) site(raw string, now time.Time) *site {
	key, u := keyOf(raw), parse(raw)
	s := m.hosts[key]
	if s == nil || m.count(func(p *page) bool { return p.host == s && p.state < done }) == 0 && !s.kept.After(now) && !m.budgets() && !s.dropped {
		s = &site{key: key, domain: u.Hostname()}
		if ip := net.ParseIP(u.Hostname()); ip != nil {
			s.move(ip.String(), m.limits.Exempt)
		} else if d, err := publicsuffix.EffectiveTLDPlusOne(u.Hostname()); err == nil && !slices.Contains(m.limits.Exempt, d) {
			s.domain = d
		}
		m.hosts[key] = s
	}
	return s
}

func (m *model) count(f func(*page) bool) (n int) {
	for _, p := range m.pages {
		if f(p) {
			n++
		}
	}
	return n
}

// allowed is when a host may be visited again.
func (m *model) allowed(s *site) time.Time {
	if s.start.IsZero() {
		return latest(s.until, s.health.rest, s.hold)
	}
	gap := max(m.limits.Delay, s.gap)
	if m.limits.Factor > 0 {
		slow := time.Duration(m.limits.Factor * float64(s.took))
		if m.limits.FactorCap >= 0 {
			slow = min(slow, m.limits.FactorCap)
		}
		gap = max(gap, slow)
	}
	return latest(s.until, s.start.Add(gap), s.health.rest, s.hold)
}

// open is when the clocks of a host, its domain and its address allow a visit.
func (m *model) open(s *site) time.Time { return latest(m.allowed(s), m.pauses(s)) }

// pauses is when the clocks of the domain and the address of a host do.
func (m *model) pauses(s *site) (t time.Time) {
	if last := m.visited["domain "+s.domain]; !last.IsZero() {
		t = latest(t, last.Add(m.limits.DomainDelay))
	}
	if last := m.visited["addr "+s.addr]; !last.IsZero() && s.addr != "" {
		t = latest(t, last.Add(m.limits.IPDelay))
	}
	return t
}

func latest(t time.Time, ts ...time.Time) time.Time {
	for _, u := range ts {
		if u.After(t) {
			t = u
		}
	}
	return t
}

// full says whether a limit leaves no room for another lease of some kind.
func (m *model) full(limit int, f func(*page) bool) bool {
	return limit >= 0 && m.count(func(p *page) bool { return p.state == leased && f(p) }) >= limit
}

// perHost is how many visits a host may have at a time.
func (m *model) perHost(s *site) int {
	if s.health.unreached > 0 {
		return 1
	}
	return m.limits.PerHost
}

// blocked says whether the limits stand in the way of a visit to a host.
func (m *model) blocked(s *site) bool {
	return m.full(m.limits.Global, func(*page) bool { return true }) ||
		m.full(m.perHost(s), func(p *page) bool { return p.host == s }) ||
		m.full(m.limits.PerDomain, func(p *page) bool { return p.host.domain == s.domain }) ||
		s.addr != "" && m.full(m.limits.PerIP, func(p *page) bool { return p.host.addr == s.addr })
}

// best returns the requests any of which may be leased now: more than one only if
// their hosts have been ready for equally long.
func (m *model) best(now time.Time) []id {
	var open []*page
	for _, p := range m.pages {
		if p.state == queued && !p.req.Due.After(now) && !m.open(p.host).After(now) && !m.blocked(p.host) && !m.share(p.host).After(now) {
			open = append(open, p)
		}
	}
	if len(open) == 0 {
		return nil
	}
	top := slices.MaxFunc(open, func(a, b *page) int { return cmp.Compare(a.req.Priority, b.req.Priority) }).req.Priority
	first := map[*site]*page{}
	var since time.Time
	for _, p := range open {
		if p.req.Priority != top {
			continue
		}
		if f := first[p.host]; f == nil || p.order < f.order {
			first[p.host] = p
		}
		if s := m.ready(p.host); since.IsZero() || s.Before(since) {
			since = s
		}
	}
	var urls []id
	for s, p := range first {
		if m.ready(s).Equal(since) {
			urls = append(urls, idOf(p.req))
		}
	}
	return urls
}

// ready is since when a host has something that could be leased.
func (m *model) ready(s *site) time.Time {
	var first time.Time
	for _, p := range m.pages {
		if t := latest(p.since, p.req.Due); p.host == s && p.state == queued && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	if s.clear.IsZero() {
		return latest(m.allowed(s), first, s.freed)
	}
	return latest(s.clear, first, s.freed)
}

// next is when something can be leased if nothing but time happens; zero: never.
func (m *model) next(now time.Time) time.Time {
	var first time.Time
	for _, p := range m.pages {
		if t := latest(now, p.req.Due, m.open(p.host), m.share(p.host)); p.state == queued && !m.blocked(p.host) && !p.host.hold.Equal(never) && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// drained says whether nothing is leased nor will be ready within the horizon.
func (m *model) drained(now time.Time) bool {
	end := now.Add(max(m.horizon, m.limits.Delay, m.limits.DomainDelay, m.limits.IPDelay))
	return m.count(func(p *page) bool {
		return p.state == leased || p.state == queued && (m.horizon < 0 || !latest(p.req.Due, m.allowed(p.host)).After(end))
	}) == 0
}

// lease starts a visit. Token is what the frontier calls it by.
func (m *model) lease(p *page, token uint64, now time.Time) frontier.Request {
	p.state, p.token = leased, token
	p.began = now
	m.extend(p, now)
	p.host.begins(m, now)
	p.host.freed = now
	m.shareOut(p.host, now)
	return p.req
}

// extend has a lease last from now on.
func (m *model) extend(p *page, now time.Time) {
	if m.span > 0 {
		p.until = now.Add(m.span)
	}
}

// holds reports whether a lease is not over.
func (m *model) holds(l frontier.Lease) bool {
	p := m.urls[idOf(l.Request)]
	return p.state == leased && p.token == l.Token
}

// done ends a visit. Rested is until when the host rests because of trouble,
// which is known but for a random part, away because it was not reached; zero: it need not.
func (m *model) done(req frontier.Request, out frontier.Outcome, now, rested, away time.Time) {
	p := m.urls[idOf(req)]
	m.add(out.Found, now)
	// The gap may become shorter now, but it was what it was up to now.
	before := m.allowed(p.host)
	if p.host.clear.IsZero() {
		p.host.freed = latest(p.host.freed, before)
	}
	if p.host.freed.After(now) || m.full(m.perHost(p.host), func(q *page) bool { return q.host == p.host }) {
		p.host.freed = now
	}
	p.state = done
	p.host.ends(m, p, out, now, away)
	p.host.gap = max(out.Delay, rested.Sub(now), m.spend(p.host, out), 0)
	if m.limits.MaxDelay >= 0 {
		p.host.gap = min(p.host.gap, m.limits.MaxDelay)
	}
	if p.host.gap > 0 {
		p.host.until = latest(p.host.until, now.Add(p.host.gap))
	}
	if t := m.allowed(p.host); t.After(now) {
		p.host.clear = time.Time{}
	} else if p.host.clear.IsZero() && before.Before(t) {
		p.host.clear = before
	}
	p.host.keep(m)
	if !out.Again.IsZero() && !p.host.dropped {
		p.req = req
		p.req.Due = out.Again
		for key, value := range out.Meta.All() {
			p.req.Meta = p.req.Meta.Without(key)
			if value != "" {
				p.req.Meta = p.req.Meta.With(key, value)
			}
		}
		if out.Priority != nil {
			p.req.Priority = *out.Priority
		}
		m.queue(p, now)
	}
}

// reopen is what a crash and opening again does.
func (m *model) reopen(now time.Time) {
	for _, p := range m.pages {
		if p.state == leased {
			p.state = queued
			p.req.Attempt++
			p.host.begins(m, now)
			if p.host.dropped {
				p.state = dropped
			}
		}
	}
	clear(m.visited) // but for what follows from the visits of hosts
	for _, s := range m.hosts {
		s.freed = now // whose turn it was is not kept
		s.health.reopen(now)
		m.visit(s, s.start)
	}
}

func (m *model) stats() (s frontier.Stats) {
	hosts := map[*site]bool{}
	for _, p := range m.pages {
		s.Seen++
		switch p.state {
		case queued:
			s.Queued++
		case leased:
			s.Leased++
		case done:
			s.Done++
		case dropped:
			s.Dropped++
		}
		if p.state < done {
			hosts[p.host] = true
		}
	}
	s.Hosts = len(hosts)
	return s
}

func parse(raw string) *url.URL {
	u, err := url.Parse(raw)
	if err != nil {
		panic(err)
	}
	return u
}

// keyOf is the host of a URL.
func keyOf(raw string) string {
	u := parse(raw)
	return u.Scheme + " " + u.Hostname() + " " + cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}
