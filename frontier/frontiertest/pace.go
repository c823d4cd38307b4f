package frontiertest

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/webquarry/quarry/frontier"
)

func paceCases() map[string]func(*desk) {
	return map[string]func(*desk){
		"gap is from start to start":                 gapStartToStart,
		"gap after a long visit":                     gapAfterLongVisit,
		"gap from when the host was asked":           gapFromAsked,
		"one visit of a host at a time":              oneVisitPerHost,
		"a host is scheme, name and port":            hostKeys,
		"four visits of a domain at a time":          fourPerDomain,
		"private suffixes and addresses stand alone": domainsOfTheirOwn,
		"all visits together":                        globalLimit,
		"a rest is counted from Done":                restFromDone,
		"a rest is capped":                           restCapped,
		"a rest is not cut short":                    restNotCutShort,
		"a rest holds while nothing is queued":       restOfIdleHost,
		"robots.txt first, then the delay":           robotsFirst,
		"a retry keeps the gap":                      retryKeepsGap,
		"a host that refuses visits rests":           refusedRests,
		"hosts of one address":                       fourPerAddress,
	}
}

func gapStartToStart(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2", "http://a.test/3", "http://b.test/1")
	a := d.next("http://a.test/1", 0)
	d.visit("http://b.test/1", 0)
	time.Sleep(300 * time.Millisecond)
	d.done(a, frontier.Outcome{})
	d.visit("http://a.test/2", time.Second)
	time.Sleep(999 * time.Millisecond)
	d.visit("http://a.test/3", 2*time.Second)
}

func gapAfterLongVisit(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2")
	a := d.next("http://a.test/1", 0)
	time.Sleep(1500 * time.Millisecond)
	d.done(a, frontier.Outcome{})
	d.visit("http://a.test/2", 1500*time.Millisecond)
}

// gapFromAsked is of visits whose first request was sent long after the lease, as where a
// connection takes its time: a server knows of the requests only.
func gapFromAsked(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4", "http://a.test/5")
	a := d.next("http://a.test/1", 0)
	time.Sleep(700 * time.Millisecond)
	asked := time.Now()
	time.Sleep(100 * time.Millisecond)
	d.done(a, frontier.Outcome{Asked: asked})
	a = d.next("http://a.test/2", 1700*time.Millisecond)
	d.done(a, frontier.Outcome{Asked: asked}) // before the lease: from something kept
	a = d.next("http://a.test/3", 2700*time.Millisecond)
	d.done(a, frontier.Outcome{Asked: time.Now().Add(time.Hour)}) // to come: it is now
	a = d.next("http://a.test/4", 3700*time.Millisecond)
	time.Sleep(500 * time.Millisecond)
	d.done(a, frontier.Outcome{Asked: time.Now(), Unvisited: true})
	d.visit("http://a.test/5", 4200*time.Millisecond)
}

func oneVisitPerHost(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2")
	a := d.next("http://a.test/1", 0)
	d.none(10 * time.Minute)
	d.done(a, frontier.Outcome{})
	d.visit("http://a.test/2", 10*time.Minute)
}

func hostKeys(d *desk) {
	same := []string{"http://a.test/1", "http://a.test:80/2", "http://user@a.test/3", "http://A.test/4", "http://a.test./5", "http://a.test?6"}
	others := []string{"https://a.test/", "http://a.test:8080/", "http://b.a.test/"}
	d.urls(append(same, others...)...)
	d.visit(same[0], 0)
	for _, u := range others {
		d.visit(u, 0)
	}
	for i, u := range same[1:] {
		d.visit(u, time.Duration(i+1)*time.Second)
	}
}

func fourPerDomain(d *desk) {
	var leases []frontier.Lease
	for i := range 6 {
		d.urls(fmt.Sprintf("http://h%d.shop.co.uk/", i))
	}
	for i := range 4 {
		leases = append(leases, d.next(fmt.Sprintf("http://h%d.shop.co.uk/", i), 0))
	}
	d.none(time.Minute)
	d.urls("http://other.co.uk/")
	d.visit("http://other.co.uk/", time.Minute)
	d.done(leases[2], frontier.Outcome{})
	leases = append(leases, d.next("http://h4.shop.co.uk/", time.Minute))
	d.none(time.Minute)
	d.done(leases[4], frontier.Outcome{})
	d.visit("http://h5.shop.co.uk/", 2*time.Minute)
}

func domainsOfTheirOwn(d *desk) {
	for _, format := range []string{"http://h%d.github.io/", "http://127.0.0.%d/", "http://[2001:db8::%d]/", "http://single%d/"} {
		for i := range 6 {
			url := fmt.Sprintf(format, i+1)
			d.urls(url)
			d.next(url, 0)
		}
	}
	for port := range 5 { // but the ports of an address are one domain
		d.urls(fmt.Sprintf("http://127.0.0.9:%d/", 8000+port))
	}
	for port := range 4 {
		d.next(fmt.Sprintf("http://127.0.0.9:%d/", 8000+port), 0)
	}
	d.none(time.Minute)
}

func globalLimit(d *desk) {
	var first frontier.Lease
	for i := range 257 {
		d.urls(fmt.Sprintf("http://h%d/", i))
	}
	for i := range 256 {
		req := d.next(fmt.Sprintf("http://h%d/", i), 0)
		if i == 0 {
			first = req
		}
	}
	d.none(time.Hour)
	d.done(first, frontier.Outcome{})
	d.next("http://h256/", time.Hour)
}

func restFromDone(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2", "http://a.test/3", "http://b.test/1", "http://b.test/2")
	a := d.next("http://a.test/1", 0)
	d.visit("http://b.test/1", 0)
	time.Sleep(500 * time.Millisecond)
	d.done(a, frontier.Outcome{Delay: 120 * time.Second})
	d.visit("http://b.test/2", time.Second) // other hosts do not mind
	d.visit("http://a.test/2", 120500*time.Millisecond)
	d.visit("http://a.test/3", 121500*time.Millisecond)
}

func restCapped(d *desk) {
	due := time.Now().Add(25 * time.Hour)
	d.urls("http://a.test/1")
	d.done(d.next("http://a.test/1", 0), frontier.Outcome{Delay: 99999999 * time.Second, Again: time.Now()})
	d.drained() // its host is busy for longer than the horizon
	time.Sleep(23*time.Hour + time.Second)
	d.visit("http://a.test/1", 24*time.Hour)
	d.add(1, frontier.Request{URL: "http://a.test/2", Due: due})
	d.visit("http://a.test/2", 25*time.Hour)
}

func restNotCutShort(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2")
	a := d.next("http://a.test/1", 0)
	d.done(a, frontier.Outcome{Delay: time.Minute, Again: time.Now()})
	d.done(d.next("http://a.test/2", time.Minute), frontier.Outcome{Delay: -time.Hour})
	d.visit("http://a.test/1", time.Minute+time.Second)
}

func restOfIdleHost(d *desk) {
	d.urls("http://a.test/1", "http://b.test/1")
	d.done(d.next("http://a.test/1", 0), frontier.Outcome{Delay: 10 * time.Second})
	d.visit("http://b.test/1", 0)
	time.Sleep(500 * time.Millisecond)
	d.urls("http://b.test/2", "http://a.test/2")
	d.visit("http://b.test/2", time.Second)
	d.visit("http://a.test/2", 10*time.Second)
}

func robotsFirst(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2")
	req := d.next("http://a.test/1", 0)
	time.Sleep(200 * time.Millisecond) // robots.txt is fetched instead
	d.done(req, frontier.Outcome{Again: time.Now(), Delay: 10 * time.Second})
	d.stats(frontier.Stats{Seen: 2, Queued: 2, Hosts: 1})
	d.done(d.next("http://a.test/2", 10200*time.Millisecond), frontier.Outcome{Delay: 10 * time.Second})
	req = d.next("http://a.test/1", 20200*time.Millisecond)
	if req.Attempt != 0 {
		d.Errorf("Attempt is %d, want 0", req.Attempt)
	}
}

func refusedRests(d *desk) {
	d.urls("http://a.test/1", "http://b.test/1", "http://b.test/2")
	d.done(d.next("http://a.test/1", 0), frontier.Outcome{Again: time.Now(), Trouble: frontier.Refused})
	d.visit("http://b.test/1", 0)
	d.visit("http://b.test/2", time.Second) // other hosts do not mind
	req, err := d.f.Next(d.Context())
	if rest := time.Since(d.start); err != nil || rest < time.Minute || rest > 72*time.Second {
		d.Errorf("%s, %v after %v, want it after a minute", req.URL, err, rest)
	}
}

func fourPerAddress(d *desk) {
	addr := netip.MustParseAddr("2001:db8::1")
	for i := range 6 {
		d.urls(fmt.Sprintf("http://h%d/1", i))
		d.done(d.next(fmt.Sprintf("http://h%d/1", i), 0), frontier.Outcome{Addr: addr})
		d.urls(fmt.Sprintf("http://h%d/2", i))
	}
	var open []frontier.Lease
	for i := range 4 {
		open = append(open, d.next(fmt.Sprintf("http://h%d/2", i), time.Second))
	}
	d.none(time.Second)
	d.done(open[1], frontier.Outcome{Addr: netip.MustParseAddr("192.0.2.1")}) // elsewhere by now
	d.next("http://h4/2", 2*time.Second)
	d.none(time.Second)
	d.done(open[2], frontier.Outcome{})
	d.next("http://h5/2", 3*time.Second)
}

func retryKeepsGap(d *desk) {
	d.urls("http://a.test/1")
	d.done(d.next("http://a.test/1", 0), frontier.Outcome{Again: time.Now()})
	d.visit("http://a.test/1", time.Second)
	d.drained()
}
