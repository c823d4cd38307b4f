package frontier

import (
	"cmp"
	"math"
	"time"
)

// The defaults of [Limits] and [Options].
const (
	defaultPerHost   = 1
	defaultPerDomain = 4
	defaultPerIP     = 4
	defaultGlobal    = 256
	defaultDelay     = time.Second
	defaultMaxDelay  = 24 * time.Hour
	defaultFactor    = 2
	defaultFactorCap = 30 * time.Second
	defaultHorizon   = time.Hour
)

// bounds is [Limits] with defaults filled in and no special values; times are
// in nanoseconds.
type bounds struct {
	perHost, perDomain, perIP, global     int
	delay, domainDelay, ipDelay, maxDelay int64
	factor                                float64 // 0: none
	factorCap                             int64
	exempt                                exemptions
	budget                                HostBudget
	outage                                outage
}

func (l Limits) bounds() bounds {
	perHost := orNone(l.PerHost, defaultPerHost)
	if l.Delay < 0 && l.Factor == 0 {
		l.Factor = -1
	}
	return bounds{
		perHost:     perHost,
		perDomain:   orNone(l.PerDomain, max(defaultPerDomain, perHost)),
		perIP:       orNone(l.PerIP, max(defaultPerIP, perHost)),
		global:      orNone(l.Global, max(defaultGlobal, l.PerHost)),
		delay:       int64(max(cmp.Or(l.Delay, defaultDelay), 0)),
		domainDelay: int64(max(l.DomainDelay, 0)),
		ipDelay:     int64(max(l.IPDelay, 0)),
		maxDelay:    int64(orNone(l.MaxDelay, defaultMaxDelay)),
		factor:      max(cmp.Or(l.Factor, defaultFactor), 0),
		factorCap:   int64(orNone(l.FactorCap, defaultFactorCap)),
		exempt:      newExemptions(l.Exempt),
		budget:      l.Budget,
		outage:      l.Outage.bounds(),
	}
}

// OwnHost returns the limits for a server of one's own: so many visits of a host at a time,
// no gap between them however long the host takes to answer, and as many visits of its
// domain and of its address. What the host itself asks for (Crawl-delay, Retry-After)
// still holds, as does the rest of a host in [Trouble]. Zero counts as 1, and with a negative
// number there are as many visits at a time as there are Workers.
func OwnHost(visits int) Limits {
	visits = cmp.Or(visits, 1)
	return Limits{PerHost: visits, PerDomain: visits, PerIP: visits, Global: -1, Delay: -1, Factor: -1}
}

// orNone is n, its default when it is zero, and no limit when it is negative.
func orNone[T int | time.Duration](n, whenZero T) T {
	if n < 0 {
		return math.MaxInt // also the greatest duration where int has 64 bits
	}
	return cmp.Or(n, whenZero)
}

// horizon in nanoseconds.
func (o Options) horizon() int64 {
	if o.Horizon < 0 {
		return math.MaxInt64
	}
	b := o.Limits.bounds()
	h := int64(o.Horizon)
	if h == 0 {
		h = max(int64(defaultHorizon), b.outage.maxRest)
	}
	return max(h, b.delay, b.domainDelay, b.ipDelay)
}
