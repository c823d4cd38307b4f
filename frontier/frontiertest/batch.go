package frontiertest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// batchCases are left out for frontiers that do not offer the methods.
func batchCases() map[string]func(*desk) {
	return map[string]func(*desk){
		"a batch is what many calls of Next give":      batchIsNext,
		"a batch waits for one and for no more":        batchWaits,
		"Finish is Done in two parts":                  finishInParts,
		"Finish of what is not leased changes nothing": finishTooLate,
	}
}

// batch leases up to so many requests and expects these, by their hosts, at a time since the
// start.
func (d *desk) batch(most int, at time.Duration, urls ...string) []frontier.Lease {
	d.Helper()
	f, ok := frontier.As[frontier.BatchLeaser](d.f)
	if !ok {
		d.Skip("it gives out no batches")
	}
	leases, err := f.NextBatch(d.Context(), most)
	got := map[string]bool{}
	tokens := map[uint64]bool{0: true}
	for _, l := range leases {
		if got[l.URL] = true; tokens[l.Token] {
			d.Errorf("%s: token %d is not its own", l.URL, l.Token)
		}
		tokens[l.Token] = true
	}
	for _, u := range urls {
		if !got[u] {
			d.Errorf("%s is not in the batch", u)
		}
	}
	if err != nil || len(leases) != len(urls) || time.Since(d.start) != at {
		d.Fatalf("a batch of %d: %v, %v after %v, want %v after %v", most, got, err, time.Since(d.start), urls, at)
	}
	return leases
}

func batchIsNext(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2", "http://b.test/1", "http://c.test/1")
	first := d.batch(2, 0, "http://a.test/1", "http://b.test/1")
	rest := d.batch(100, 0, "http://c.test/1") // one of each host
	d.stats(frontier.Stats{Seen: 4, Queued: 1, Leased: 3, Hosts: 3})
	for _, l := range append(first, rest...) {
		d.done(l, frontier.Outcome{})
	}
	for _, l := range d.batch(0, time.Second, "http://a.test/2") { // one at least
		d.done(l, frontier.Outcome{})
	}
	f, _ := frontier.As[frontier.BatchLeaser](d.f)
	if l, err := f.NextBatch(d.Context(), 3); len(l) != 0 || !errors.Is(err, frontier.ErrDrained) {
		d.Errorf("%v, %v, want ErrDrained", l, err)
	}
	gone, cancel := context.WithCancel(d.Context())
	cancel()
	if l, err := f.NextBatch(gone, 3); len(l) != 0 || !errors.Is(err, context.Canceled) {
		d.Errorf("%v, %v, want the cause of the context", l, err)
	}
}

func batchWaits(d *desk) {
	d.add(1, frontier.Request{URL: "http://a.test/1", Due: d.start.Add(3 * time.Second)})
	d.add(1, frontier.Request{URL: "http://b.test/1", Due: d.start.Add(4 * time.Second)})
	d.batch(5, 3*time.Second, "http://a.test/1")
	d.batch(5, 4*time.Second, "http://b.test/1")
}

// finisher is the frontier, if its Done has two parts.
func (d *desk) finisher() frontier.Finisher {
	f, ok := frontier.As[frontier.Finisher](d.f)
	if !ok {
		d.Skip("its Done has one part")
	}
	return f
}

func finishInParts(d *desk) {
	f := d.finisher()
	d.urls("http://a.test/1")
	l := d.next("http://a.test/1", 0)
	safe, err := f.Finish(d.Context(), l, frontier.Outcome{Found: requests("http://b.test/1", "no URL")})
	if refused, rest := frontier.Refusals(err); len(refused) != 1 || rest != nil {
		d.Errorf("Finish: %v", err)
	}
	next := d.next("http://b.test/1", 0) // before it is safe
	d.stats(frontier.Stats{Seen: 2, Leased: 1, Done: 1, Hosts: 1})
	if err := safe(); err != nil {
		d.Error(err)
	}
	d.done(next, frontier.Outcome{})
	d.drained()
}

func finishTooLate(d *desk) {
	f := d.finisher()
	d.urls("http://a.test/1")
	l := d.next("http://a.test/1", 0)
	d.done(l, frontier.Outcome{})
	for i := range 2 {
		safe, err := f.Finish(d.Context(), l, frontier.Outcome{Again: time.Now(), Found: requests(fmt.Sprintf("http://b.test/%d", i))})
		if !errors.Is(err, frontier.ErrLeaseExpired) || safe == nil {
			d.Fatalf("Finish: %v, want ErrLeaseExpired", err)
		}
		if err := safe(); err != nil {
			d.Errorf("nothing is safe: %v", err)
		}
	}
	d.stats(frontier.Stats{Seen: 1, Done: 1})
}
