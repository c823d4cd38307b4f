package frontiertest

import (
	"errors"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// optionCase is a case for a frontier with options.
type optionCase struct {
	name string
	opt  frontier.Options
	f    func(*desk)
}

func optionCases() []optionCase {
	shares := frontier.Options{Limits: frontier.Limits{Delay: -1, PerHost: -1, Budget: frontier.HostBudget{Share: 0.5, Of: 4}}}
	expiry := frontier.Options{LeaseFor: 10 * time.Second}
	return []optionCase{
		{"a host with its share waits for others", shares, shareWaits},
		{"without others it waits for a second", shares, shareEases},
		{"a lease expires", expiry, leaseExpires},
		{"a late Done changes nothing", expiry, lateDone},
		{"leases that expire hold a host once", expiry, onceAtATime},
		{"a lease is extended", expiry, extended},
		{"a lease lasts for ever", frontier.Options{}, unlimited},
	}
}

func shareWaits(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4")
	d.visit("http://a.test/1", 0)
	d.visit("http://a.test/2", 0)
	d.none(500 * time.Millisecond)
	const at = 500 * time.Millisecond
	d.urls("http://b.test/1", "http://c.test/1", "http://d.test/1")
	d.visit("http://b.test/1", at)
	d.visit("http://c.test/1", at)
	d.visit("http://d.test/1", at) // the first of a.test is not among the last four any more
	d.visit("http://a.test/3", at)
}

func shareEases(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4")
	d.visit("http://a.test/1", 0)
	d.visit("http://a.test/2", 0)
	d.visit("http://a.test/3", time.Second)
	d.visit("http://a.test/4", 2*time.Second)
	d.drained()
}

func leaseExpires(d *desk) {
	d.urls("http://a.test/1")
	first := d.next("http://a.test/1", 0)
	second := d.next("http://a.test/1", 10*time.Second)
	if second.Attempt != first.Attempt+1 {
		d.Errorf("attempt %d after %d", second.Attempt, first.Attempt)
	}
	d.done(second, frontier.Outcome{})
	if err := d.f.Done(d.Context(), first, frontier.Outcome{}); !errors.Is(err, frontier.ErrLeaseExpired) {
		d.Errorf("Done of the first: %v", err)
	}
	d.drained()
}

// lateDone ends a visit whose lease has expired while another visits the URL.
func lateDone(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2")
	first := d.next("http://a.test/1", 0)
	second := d.next("http://a.test/1", 10*time.Second)
	late := func() {
		d.Helper()
		out := frontier.Outcome{Again: time.Now(), Delay: time.Hour, Found: requests("http://b.test/1")}
		if err := d.f.Done(d.Context(), first, out); !errors.Is(err, frontier.ErrLeaseExpired) {
			d.Errorf("Done of the first: %v", err)
		}
	}
	late()
	d.stats(frontier.Stats{Seen: 2, Queued: 1, Leased: 1, Hosts: 1})
	d.none(5 * time.Second) // the second still visits the host
	d.done(second, frontier.Outcome{})
	late()
	d.visit("http://a.test/2", 15*time.Second)
	d.drained()
}

// onceAtATime has many leases expire and be ended late: there is never more than one of
// a host.
func onceAtATime(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2", "http://a.test/3")
	var late []frontier.Lease
	for i := range 6 {
		late = append(late, d.next("http://a.test/1", time.Duration(10*i)*time.Second))
		for _, l := range late[:i] {
			if err := d.f.Done(d.Context(), l, frontier.Outcome{}); !errors.Is(err, frontier.ErrLeaseExpired) {
				d.Errorf("Done of a lease until %v: %v", l.Until.Sub(d.start), err)
			}
		}
		d.stats(frontier.Stats{Seen: 3, Queued: 2, Leased: 1, Hosts: 1})
	}
	tokens := map[uint64]bool{0: true}
	for _, l := range late {
		if tokens[l.Token] {
			d.Errorf("token %d twice", l.Token)
		}
		tokens[l.Token] = true
	}
}

// extended has a lease last for as long as it is extended.
func extended(d *desk) {
	x, ok := frontier.As[frontier.Extender](d.f)
	if !ok {
		d.Skip("the frontier cannot extend leases")
	}
	d.urls("http://a.test/1")
	l := d.next("http://a.test/1", 0)
	if got := l.Until.Sub(d.start); got != 10*time.Second {
		d.Errorf("the lease lasts for %v", got)
	}
	var err error
	for range 5 {
		d.none(6 * time.Second)
		if l, err = x.Extend(d.Context(), l); err != nil || time.Until(l.Until) != 10*time.Second {
			d.Fatalf("extended until %v: %v", l.Until.Sub(d.start), err)
		}
	}
	second := d.next("http://a.test/1", 40*time.Second)
	if _, err := x.Extend(d.Context(), l); !errors.Is(err, frontier.ErrLeaseExpired) {
		d.Errorf("extended too late: %v", err)
	}
	d.done(second, frontier.Outcome{})
	if _, err := x.Extend(d.Context(), second); !errors.Is(err, frontier.ErrLeaseExpired) {
		d.Errorf("extended after Done: %v", err)
	}
	d.drained()
}

// unlimited has leases without an end.
func unlimited(d *desk) {
	d.urls("http://a.test/1")
	l := d.next("http://a.test/1", 0)
	if !l.Until.IsZero() || l.Token == 0 {
		d.Errorf("a lease for ever: %+v", l)
	}
	if x, ok := frontier.As[frontier.Extender](d.f); ok {
		if got, err := x.Extend(d.Context(), l); err != nil || got != l {
			d.Errorf("extended to %+v: %v", got, err)
		}
	}
	d.done(l, frontier.Outcome{})
	d.drained()
}
