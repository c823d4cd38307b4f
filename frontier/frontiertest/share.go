package frontiertest

import (
	"slices"
	"time"
)

// most is how many of the latest visits one host may have, of so many; 0: any
// number.
func (m *model) most() (most, of int) {
	b := m.limits.Budget
	if b.Share == 0 {
		return 0, 0
	}
	return max(int(b.Share*float64(b.Of)), 1), b.Of
}

// over says whether a host has its share.
func (m *model) over(s *site) bool {
	most, _ := m.most()
	n := 0
	for _, x := range m.began {
		if x.key == s.key {
			n++
		}
	}
	return most > 0 && n >= most
}

// share is when the share of a host allows a visit if there are no others.
func (m *model) share(s *site) time.Time {
	if m.over(s) {
		return m.last.Add(time.Second)
	}
	return time.Time{}
}

// shareOut counts a visit that begins.
func (m *model) shareOut(s *site, now time.Time) {
	_, of := m.most()
	eased := !m.last.Add(time.Second).After(now)
	m.last = now
	m.began = append(m.began, s)
	if len(m.began) <= of {
		return
	}
	old := m.hosts[m.began[0].key]
	before := m.over(old)
	m.began = slices.Delete(m.began, 0, 1)
	if before && !eased && !m.over(old) {
		old.freed = now
	}
}

// tick lets leases expire, and lets hosts go that have their share when nobody was
// visited for a while.
func (m *model) tick(now time.Time) {
	for end := m.expiry(); !end.IsZero() && !end.After(now); end = m.expiry() {
		for _, p := range m.pages {
			if p.state == leased && p.until.Equal(end) {
				m.expire(p, end)
				break
			}
		}
	}
	for _, s := range m.hosts {
		if t := m.share(s); !t.IsZero() && !t.After(now) {
			s.freed = latest(s.freed, t)
		}
	}
}

// expiry is when the next lease expires; zero: never.
func (m *model) expiry() (first time.Time) {
	for _, p := range m.pages {
		if m.span > 0 && p.state == leased && (first.IsZero() || p.until.Before(first)) {
			first = p.until
		}
	}
	return first
}

func (m *model) expire(p *page, now time.Time) {
	if m.full(m.perHost(p.host), func(q *page) bool { return q.host == p.host }) {
		p.host.freed = now
	}
	p.state, p.since = queued, now
	p.req.Attempt++
	if p.host.dropped {
		p.state = dropped
	}
}
