package frontiertest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// Test checks that a frontier keeps the contract. Open returns an empty one with
// zero [frontier.Options]; it is called once for each case, inside a bubble of
// testing/synctest, and closed at the end. All cases are run once more with the frontier in
// three wrappers that have Unwrap, through which what it can do besides is to be found.
func Test(t *testing.T, open func(t *testing.T) frontier.Frontier) {
	cases := map[string]func(*desk){}
	for _, group := range []map[string]func(*desk){paceCases(), orderCases(), rescoreCases(), waitCases(), inputCases(), metaCases(), batchCases(), inspectCases(), controlCases()} {
		for name, f := range group {
			cases[name] = f
		}
	}
	within := func(t *testing.T) frontier.Frontier { return wrapper{wrapper{wrapper{open(t)}}} }
	for name, f := range cases {
		run(t, name, open, f)
		run(t, name+", wrapped", within, f)
	}
}

// wrapper is a Frontier around another one.
type wrapper struct{ frontier.Frontier }

func (w wrapper) Unwrap() frontier.Frontier { return w.Frontier }

func run(t *testing.T, name string, open func(t *testing.T) frontier.Frontier, f func(*desk)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			d := &desk{T: t, f: open(t), start: time.Now()}
			defer d.close()
			f(d)
		})
	})
}

// TestOptions checks, as Test does, what frontiers do that were opened with
// [frontier.Options]: shares of hosts, and leases that expire.
func TestOptions(t *testing.T, open func(t *testing.T, opt frontier.Options) frontier.Frontier) {
	for _, c := range optionCases() {
		run(t, c.name, func(t *testing.T) frontier.Frontier { return open(t, c.opt) }, c.f)
	}
}

// desk is a frontier under test with shorthands for what tests do to it.
type desk struct {
	*testing.T
	f     frontier.Frontier
	start time.Time
}

func (d *desk) close() {
	for range 2 {
		if err := d.f.Close(); err != nil {
			d.Errorf("Close: %v", err)
		}
	}
	if _, err := d.f.Stats(d.Context()); !errors.Is(err, frontier.ErrClosed) {
		d.Errorf("Stats after Close: %v", err)
	}
}

// add adds requests of which so many are new.
func (d *desk) add(want int, reqs ...frontier.Request) {
	d.Helper()
	if n, err := d.f.Add(d.Context(), reqs...); err != nil || n != want {
		d.Fatalf("Add of %v: %d, %v, want %d", reqs, n, err, want)
	}
}

// urls adds new URLs.
func (d *desk) urls(urls ...string) {
	d.Helper()
	d.add(len(urls), requests(urls...)...)
}

func requests(urls ...string) []frontier.Request {
	reqs := make([]frontier.Request, len(urls))
	for i, u := range urls {
		reqs[i].URL = u
	}
	return reqs
}

// next leases a request and expects it to be that URL, at a time since the start.
func (d *desk) next(url string, at time.Duration) frontier.Lease {
	d.Helper()
	req, err := d.f.Next(d.Context())
	if err != nil || req.URL != url || time.Since(d.start) != at {
		d.Fatalf("Next: %q, %v after %v, want %q after %v", req.URL, err, time.Since(d.start), url, at)
	}
	return req
}

// done ends a lease.
func (d *desk) done(req frontier.Lease, out frontier.Outcome) {
	d.Helper()
	if err := d.f.Done(d.Context(), req, out); err != nil {
		d.Fatalf("Done %s: %v", req.URL, err)
	}
}

// visit leases a URL and ends the lease at once.
func (d *desk) visit(url string, at time.Duration) {
	d.Helper()
	d.done(d.next(url, at), frontier.Outcome{})
}

// none expects that nothing can be leased for some time.
func (d *desk) none(wait time.Duration) {
	d.Helper()
	ctx, cancel := context.WithTimeout(d.Context(), wait)
	defer cancel()
	if req, err := d.f.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
		d.Fatalf("Next: %q, %v after %v, want nothing for %v", req.URL, err, time.Since(d.start), wait)
	}
}

// drained expects that the run is over, and that this is known at once.
func (d *desk) drained() {
	d.Helper()
	before := time.Now()
	if req, err := d.f.Next(d.Context()); !errors.Is(err, frontier.ErrDrained) || time.Since(before) != 0 {
		d.Fatalf("Next: %q, %v after waiting %v, want ErrDrained at once", req.URL, err, time.Since(before))
	}
}

// stats expects counts.
func (d *desk) stats(want frontier.Stats) {
	d.Helper()
	if s := bare(statsOf(d.f)); s != want {
		d.Errorf("Stats: %+v, want %+v", s, want)
	}
}

// bare is the counts that follow from what was done alone.
func bare(s frontier.Stats) frontier.Stats {
	return frontier.Stats{Seen: s.Seen, Queued: s.Queued, Leased: s.Leased, Done: s.Done, Dropped: s.Dropped, Hosts: s.Hosts}
}

func statsOf(f frontier.Frontier) frontier.Stats {
	s, err := f.Stats(context.Background())
	if err != nil {
		panic(err)
	}
	return s
}
