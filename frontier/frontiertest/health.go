package frontiertest

import (
	"net/netip"
	"slices"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// health is what a model remembers of a host's trouble.
type health struct {
	told     bool // anything
	visits   int
	bytes    int64
	errors   int
	parked   int
	row      int // visits in trouble, one after the other
	steps    int
	good     int // visits since the last step
	troubled time.Time

	reached   bool
	unreached int       // visits in a row that did not reach it
	since     time.Time // when the first of them was over
	rest      time.Time // no visit before
}

// reopen forgets for how long the host was tried.
func (h *health) reopen(now time.Time) {
	if h.unreached == 0 {
		return
	}
	h.unreached, h.since = 1, now
	if most := h.troubled.Add(time.Minute); h.rest.After(most) {
		h.rest = most
	}
}

// move notes an address, unless it is exempt.
func (s *site) move(addr string, exempt []string) {
	s.addr = addr
	a := netip.MustParseAddr(addr)
	if slices.ContainsFunc(exempt, func(e string) bool {
		b, err := netip.ParsePrefix(e)
		return e == addr || err == nil && b.Contains(a)
	}) {
		s.addr = ""
	}
}

// begins starts a visit of a host, its domain and its address.
func (s *site) begins(m *model, now time.Time) {
	s.start, s.clear = now, time.Time{}
	m.visit(s, now)
}

// leave forgets an address at which no host is any more.
func (m *model) leave(addr string, now time.Time) {
	for _, s := range m.hosts {
		busy := m.count(func(p *page) bool { return p.host == s && p.state < done }) > 0
		if s.addr == addr && (busy || s.kept.After(now) || m.budgets() && s.health.told) {
			return
		}
	}
	delete(m.visited, "addr "+addr)
}

// visit notes that the domain and the address of a host were visited.
func (m *model) visit(s *site, at time.Time) {
	for _, group := range []string{"domain " + s.domain, "addr " + s.addr} {
		m.visited[group] = latest(m.visited[group], at)
	}
}

// ends notes what a visit told of its host. away is until when it rests if the visit
// did not reach it.
func (s *site) ends(m *model, p *page, out frontier.Outcome, now, away time.Time) {
	h := &s.health
	if out.Addr.IsValid() {
		old := s.addr
		s.move(out.Addr.String(), m.limits.Exempt)
		m.leave(old, now)
		m.visit(s, s.start)
	}
	h.visits, h.bytes = h.visits+1, h.bytes+out.Bytes
	if out.Trouble != frontier.NoTrouble {
		h.errors++
	}
	answered := out.Addr.IsValid() || out.Took > 0 || out.Bytes > 0 || out.Trouble != frontier.NoTrouble
	if answered && out.Trouble != frontier.Unreached {
		h.reached, h.unreached, h.since, h.rest = true, 0, time.Time{}, time.Time{}
	}
	h.told = h.told || m.budgets() || out.Addr.IsValid() || out.Took > 0 || out.Trouble != frontier.NoTrouble
	if s.took == 0 {
		s.took = out.Took
	} else if out.Took > 0 {
		s.took += (out.Took - s.took) / 4
	}
	switch {
	case !h.told:
	case out.Trouble == frontier.NoTrouble:
		h.row = 0
		if h.good++; h.good >= 8 && h.steps > 0 {
			h.steps, h.good = h.steps-1, 0
		}
	case p.began.After(h.troubled):
		h.row++
		h.troubled, h.good = now, 0
		switch out.Trouble {
		case frontier.Slow, frontier.Refused:
			h.steps++
		case frontier.Unreached:
			if h.unreached == 0 {
				h.since = now
			}
			h.unreached++
			h.rest = away
		}
	}
}

// budgets says whether hosts have a budget.
func (m *model) budgets() bool {
	b := m.limits.Budget
	return b.Pages+b.Errors+b.Failures+int(b.Bytes) > 0
}

// spend drops a host that is over its budget, or says for how long it is parked.
func (m *model) spend(s *site, out frontier.Outcome) time.Duration {
	b, h := m.limits.Budget, &s.health
	over := b.Pages > 0 && h.visits >= b.Pages || b.Bytes > 0 && h.bytes >= b.Bytes || b.Errors > 0 && h.errors >= b.Errors
	park := b.Failures > 0 && h.row >= b.Failures && !over && !s.dropped
	if park {
		h.parked++
		over = h.parked > b.Parks
	}
	if over || s.dropped {
		m.drop(s)
		return 0
	}
	if park {
		h.row = 0
		s.away = time.Now().Add(b.ParkFor)
		return b.ParkFor
	}
	return 0
}

// rests checks until when a host rests after a visit in trouble, and returns it
// if the trouble is the reason.
func (m *model) rests(req frontier.Request, out frontier.Outcome, gap time.Duration) time.Time {
	p, now := m.urls[idOf(req)], time.Now()
	h := p.host.health
	if out.Trouble == frontier.Failed || out.Trouble == frontier.Unreached || !p.began.After(h.troubled) {
		return time.Time{}
	}
	least, most := time.Minute, 24*time.Hour
	if out.Trouble == frontier.Slow {
		least, most = 10*time.Second, 5*time.Minute
	}
	for range h.steps {
		least = min(2*least, most)
	}
	if gap > least+least/5 {
		return time.Time{} // something else holds it up for longer
	}
	return now.Add(max(gap, least)) // if it rests for less, what comes next will not agree
}

// away checks until when a host rests after a visit that did not reach it, which is
// next if nothing else holds it up for longer, and returns it.
func (m *model) away(req frontier.Request, out frontier.Outcome, next time.Time) time.Time {
	p, now := m.urls[idOf(req)], time.Now()
	h := p.host.health
	if out.Trouble != frontier.Unreached || !p.began.After(h.troubled) {
		return time.Time{}
	}
	since, wait := h.since, 5*time.Minute
	if h.unreached == 0 {
		since = now
	}
	if h.reached {
		wait = 26 * time.Hour
	}
	if now.Sub(since) >= wait && h.unreached+1 >= 4 {
		return now.Add(24 * time.Hour)
	}
	least := time.Minute
	for range h.unreached {
		least = min(2*least, 50*time.Minute)
	}
	most := least + least/5
	if m.limits.MaxDelay >= 0 {
		least, most = min(least, m.limits.MaxDelay), min(most, m.limits.MaxDelay)
	}
	rest := next.Sub(now)
	if rest > most {
		return now.Add(least) // something else holds it up for longer
	}
	return now.Add(max(rest, least)) // if it rests for less, what comes next will not agree
}

// keep says until when the host is remembered though it has nothing to do.
func (s *site) keep(m *model) {
	s.kept = latest(m.allowed(s), s.start.Add(max(m.limits.DomainDelay, m.limits.IPDelay)))
	if s.health.steps > 0 || s.health.row > 0 {
		s.kept = latest(s.kept, s.health.troubled.Add(24*time.Hour))
	}
}
