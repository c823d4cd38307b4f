package frontier

import (
	"cmp"
	"math"
	"time"

	"github.com/webquarry/quarry/frontier/internal/sched"
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

func (l Limits) bounds() sched.Limits {
	perHost := orNone(l.PerHost, defaultPerHost)
	if l.Delay < 0 && l.Factor == 0 {
		l.Factor = -1
	}
	return sched.Limits{
		PerHost:     perHost,
		PerDomain:   orNone(l.PerDomain, max(defaultPerDomain, perHost)),
		PerIP:       orNone(l.PerIP, max(defaultPerIP, perHost)),
		Global:      orNone(l.Global, max(defaultGlobal, l.PerHost)),
		Delay:       int64(max(cmp.Or(l.Delay, defaultDelay), 0)),
		DomainDelay: int64(max(l.DomainDelay, 0)),
		IPDelay:     int64(max(l.IPDelay, 0)),
		MaxDelay:    int64(orNone(l.MaxDelay, defaultMaxDelay)),
		Factor:      max(cmp.Or(l.Factor, defaultFactor), 0),
		FactorCap:   int64(orNone(l.FactorCap, defaultFactorCap)),
		Exempt:      sched.NewExemptions(l.Exempt),
		Budget:      sched.Budget(l.Budget),
		Outage:      l.Outage.bounds(),
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
		h = max(int64(defaultHorizon), b.Outage.MaxRest)
	}
	return max(h, b.Delay, b.DomainDelay, b.IPDelay)
}

// HostBudget says how much of a crawl one host may take. A host that is over it
// is dropped: what is queued of it, or is added later, counts as done without a
// visit, in this run and all later ones. Visits under way end as usual, so with
// [Limits].PerHost above 1 a few more than Pages may be made. Zero fields: no
// limit. With any of them set no host that was visited is forgotten, which takes
// some 500 bytes for each.
type HostBudget struct {
	Pages    int           // visits that ended, those in trouble included
	Bytes    int64         // received
	Errors   int           // visits in [Trouble]
	Failures int           // visits in trouble one after the other, after which the host is parked
	ParkFor  time.Duration // how long a parked host is not visited, at most [Limits].MaxDelay; 1 h
	Parks    int           // how often a host is parked before it is dropped; 3, negative: it is dropped at once

	// Share is what one host may have of the last Of visits that began, 0.1 being
	// ten per cent, but always one. A host that has it waits until others were
	// visited, or until no visit of any host has begun for a second: a crawl does
	// not stand still because few hosts are left. A [Disk] goes on counting when it is
	// opened again. Zero: any share.
	Share float64
	Of    int // 1000
}

// Outage says how a host is treated that cannot be reached: no connection, no TLS
// handshake, no address for its name, as visits tell by [Unreached]. It rests, longer with
// each visit in a row that does not reach it, and then has one visit at a time, a probe,
// until one reaches it; from then on it is visited as before. A host that was tried for
// Wait, and four times, is parked: what is queued of it stays queued and is told by [Stats] and Hosts, it
// is probed once a day, which is beyond the usual horizon, and anew when the folder is
// opened again. The zero value means the defaults.
//
// With the defaults a host that is away has seven visits in the first hour, after 0, 1, 3,
// 7, 15, 31 and 63 minutes or up to a fifth later, and from then on at most 1.2 an hour; a
// host that was never reached is parked at the fourth. Visits that were under way at the
// same time count as one.
type Outage struct {
	Rest    time.Duration // after the first visit that does not reach the host, twice as long after each further one, up to a fifth longer at random; 1 min
	MaxRest time.Duration // at most; 1 h. [Limits].MaxDelay caps it as well
	Wait    time.Duration // how long a host is tried that was reached before; 26 h, negative: for ever
	WaitNew time.Duration // how long a host is tried that never was; 5 min, negative: for ever
}

// WaitFor is the [Outage] with which a host that is away is tried for so long, and one
// that was never reached for no longer either; zero: four times. Where that is less than
// four visits take with the usual rests, seven minutes, the rests are as much shorter.
func WaitFor(d time.Duration) Outage {
	o := Outage{Wait: max(d, 1), WaitNew: min(max(d, 1), defaultWaitNew)}
	if rests := time.Duration(1<<(sched.LeastProbes-1) - 1); d > 0 && d < rests*defaultRest {
		o.Rest = max(d/rests, 1)
	}
	return o
}

const (
	defaultRest    = time.Minute
	defaultMaxRest = time.Hour
	defaultWait    = 26 * time.Hour
	defaultWaitNew = 5 * time.Minute
)

func (o Outage) bounds() sched.Outage {
	b := sched.Outage{
		Rest:    int64(cmp.Or(max(o.Rest, 0), defaultRest)),
		Wait:    int64(orNone(o.Wait, defaultWait)),
		WaitNew: int64(orNone(o.WaitNew, defaultWaitNew)),
	}
	b.MaxRest = max(int64(cmp.Or(max(o.MaxRest, 0), defaultMaxRest)), b.Rest)
	return b
}
