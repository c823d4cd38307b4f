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
		{"a lease that has expired can be ended", expiry, lateDone},
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
	if err := d.f.Done(d.Context(), first, frontier.Outcome{}); !errors.Is(err, frontier.ErrNotLeased) {
		d.Errorf("Done of the first: %v", err)
	}
	d.drained()
}

func lateDone(d *desk) {
	d.urls("http://a.test/1")
	first := d.next("http://a.test/1", 0)
	second := d.next("http://a.test/1", 10*time.Second)
	d.done(first, frontier.Outcome{})
	if err := d.f.Done(d.Context(), second, frontier.Outcome{}); !errors.Is(err, frontier.ErrNotLeased) {
		d.Errorf("Done of the second: %v", err)
	}
	d.drained()
}
