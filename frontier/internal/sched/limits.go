package sched

import "math"

// Limits is frontier.Limits with defaults filled in and no special values; times are
// in nanoseconds.
type Limits struct {
	PerHost, PerDomain, PerIP, Global     int
	Delay, DomainDelay, IPDelay, MaxDelay int64
	Factor                                float64 // 0: none
	FactorCap                             int64
	Exempt                                Exemptions
	Budget                                Budget
	Outage                                Outage
}

// After is t+d without overflow; d is not negative.
func After(t, d int64) int64 {
	if d > math.MaxInt64-t {
		return math.MaxInt64
	}
	return t + d
}
