package frontiertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

func waitCases() map[string]func(*desk) {
	return map[string]func(*desk){
		"nothing at all is drained":        drainedAtOnce,
		"a lease keeps the run open":       leaseKeepsOpen,
		"the horizon of a run":             horizon,
		"a host's rest beyond the horizon": restBeyondHorizon,
		"Add wakes at once":                addWakes,
		"Done wakes all at the end":        doneWakesAll,
		"Close wakes at once":              closeWakes,
		"closed for good":                  closedForGood,
		"cancelling returns the cause":     cancelCause,
		"a cancelled call loses nothing":   cancelLosesNothing,
		"first waiting, first served":      waitersInOrder,
		"waiting holds no host":            waitingHoldsNothing,
		"no goroutine for a host":          noGoroutines,
		"many workers":                     manyWorkers,
		"Done counts although cancelled":   doneThoughCancelled,
	}
}

func drainedAtOnce(d *desk) {
	d.drained()
	d.add(0)
	d.drained()
	d.stats(frontier.Stats{})
}

func leaseKeepsOpen(d *desk) {
	d.urls("http://a.test/1")
	a := d.next("http://a.test/1", 0)
	d.none(3 * time.Hour) // far beyond the horizon: a page may take as long as it likes
	d.done(a, frontier.Outcome{Found: requests("http://a.test/2", "http://a.test/3", "http://b.test/1")})
	d.visit("http://b.test/1", 3*time.Hour) // when it was found, a was still being visited
	d.visit("http://a.test/2", 3*time.Hour)
	d.visit("http://a.test/3", 3*time.Hour+time.Second)
	d.drained()
	d.stats(frontier.Stats{Seen: 4, Done: 4})
}

func horizon(d *desk) {
	d.add(2,
		frontier.Request{URL: "http://a.test/1", Due: d.start.Add(59 * time.Minute)},
		frontier.Request{URL: "http://a.test/2", Due: d.start.Add(3 * time.Hour)},
	)
	d.visit("http://a.test/1", 59*time.Minute)
	d.drained()
	d.stats(frontier.Stats{Seen: 2, Queued: 1, Done: 1, Hosts: 1})
	time.Sleep(time.Hour + time.Minute) // it comes into sight
	d.visit("http://a.test/2", 3*time.Hour)
	d.drained()
}

func restBeyondHorizon(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2", "http://b.test/1")
	d.done(d.next("http://a.test/1", 0), frontier.Outcome{Delay: 2 * time.Hour})
	d.visit("http://b.test/1", 0)
	d.drained()
	time.Sleep(61 * time.Minute)
	d.visit("http://a.test/2", 2*time.Hour)
}

// call is a Next that runs on its own.
type call struct {
	req  frontier.Lease
	err  error
	took time.Duration // since the start of the test
	over bool
}

// calls starts so many calls of Next, one after the other.
func (d *desk) calls(ctx context.Context, n int) []*call {
	cs := make([]*call, n)
	for i := range cs {
		c := &call{}
		cs[i] = c
		go func() {
			c.req, c.err = d.f.Next(ctx)
			c.took, c.over = time.Since(d.start), true
		}()
		synctest.Wait()
	}
	return cs
}

func addWakes(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2")
	a := d.next("http://a.test/1", 0)
	c := d.calls(d.Context(), 1)[0]
	time.Sleep(100 * time.Millisecond)
	d.urls("http://b.test/1")
	synctest.Wait()
	if !c.over || c.req.URL != "http://b.test/1" || c.took != 100*time.Millisecond {
		d.Errorf("got %+v", c)
	}
	d.done(a, frontier.Outcome{})
}

func doneWakesAll(d *desk) {
	d.urls("http://a.test/1")
	a := d.next("http://a.test/1", 0)
	cs := d.calls(d.Context(), 3)
	time.Sleep(time.Minute)
	d.done(a, frontier.Outcome{})
	synctest.Wait()
	for _, c := range cs {
		if !c.over || !errors.Is(c.err, frontier.ErrDrained) || c.took != time.Minute {
			d.Errorf("got %+v, want ErrDrained", c)
		}
	}
}

func closeWakes(d *desk) {
	closer, ok := d.f.(io.Closer)
	if !ok {
		d.Skip("the frontier has no Close")
	}
	d.urls("http://a.test/1", "http://a.test/2")
	a := d.next("http://a.test/1", 0)
	cs := d.calls(d.Context(), 3)
	if err := closer.Close(); err != nil {
		d.Error(err)
	}
	synctest.Wait()
	for _, c := range cs {
		if !c.over || !errors.Is(c.err, frontier.ErrClosed) {
			d.Errorf("got %+v, want ErrClosed", c)
		}
	}
	if err := d.f.Done(d.Context(), a, frontier.Outcome{}); !errors.Is(err, frontier.ErrClosed) {
		d.Errorf("Done after Close: %v", err)
	}
}

func closedForGood(d *desk) {
	closer, ok := d.f.(io.Closer)
	if !ok {
		d.Skip("the frontier has no Close")
	}
	d.urls("http://a.test/1")
	for range 2 {
		if err := closer.Close(); err != nil {
			d.Error(err)
		}
	}
	if n, err := d.f.Add(d.Context(), requests("http://a.test/2")...); n != 0 || !errors.Is(err, frontier.ErrClosed) {
		d.Errorf("Add after Close: %d, %v", n, err)
	}
	if req, err := d.f.Next(d.Context()); !errors.Is(err, frontier.ErrClosed) {
		d.Errorf("Next after Close: %q, %v", req.URL, err)
	}
}

func cancelCause(d *desk) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(d.Context())
	d.urls("http://a.test/1", "http://a.test/2")
	d.visit("http://a.test/1", 0)
	c := d.calls(ctx, 1)[0]
	time.Sleep(10 * time.Millisecond)
	cancel(cause)
	synctest.Wait()
	if !c.over || c.err != cause || c.took != 10*time.Millisecond {
		d.Errorf("cancelled while waiting: %+v", c)
	}
	time.Sleep(5 * time.Second)
	if req, err := d.f.Next(ctx); err != cause { // although one is ready
		d.Errorf("cancelled before: %q, %v", req.URL, err)
	}
	if n, err := d.f.Add(ctx, requests("http://a.test/3")...); n != 0 || !errors.Is(err, cause) {
		d.Errorf("Add: %d, %v", n, err)
	}
	d.visit("http://a.test/2", 5010*time.Millisecond)
	d.drained()
}

func cancelLosesNothing(d *desk) {
	ctx, cancel := context.WithCancel(d.Context())
	d.urls("http://a.test/1", "http://a.test/2")
	d.visit("http://a.test/1", 0)
	gone := d.calls(ctx, 3)
	stays := d.calls(d.Context(), 1)[0]
	cancel()
	synctest.Wait()
	for _, c := range gone {
		if !errors.Is(c.err, context.Canceled) {
			d.Errorf("cancelled: %+v", c)
		}
	}
	time.Sleep(2 * time.Second)
	synctest.Wait()
	if stays.req.URL != "http://a.test/2" || stays.took != time.Second {
		d.Errorf("the one that was not cancelled got %+v", stays)
	}
}

func waitersInOrder(d *desk) {
	d.urls("http://a.test/1", "http://a.test/2", "http://b.test/1", "http://b.test/2")
	d.visit("http://a.test/1", 0)
	time.Sleep(100 * time.Millisecond)
	d.visit("http://b.test/1", 100*time.Millisecond)
	cs := d.calls(d.Context(), 2)
	time.Sleep(3 * time.Second)
	synctest.Wait()
	if cs[0].req.URL != "http://a.test/2" || cs[1].req.URL != "http://b.test/2" {
		d.Errorf("got %+v and %+v", cs[0], cs[1])
	}
	if cs[0].took != time.Second || cs[1].took != 1100*time.Millisecond {
		d.Errorf("got them after %v and %v", cs[0].took, cs[1].took)
	}
}

// waitingHoldsNothing has workers wait for one host while all four leases of its
// domain are used by others.
func waitingHoldsNothing(d *desk) {
	d.urls("http://h0.shop.test/1", "http://h0.shop.test/2", "http://h0.shop.test/3")
	d.visit("http://h0.shop.test/1", 0)
	cs := d.calls(d.Context(), 5)
	for h := 1; h < 6; h++ {
		d.urls(fmt.Sprintf("http://h%d.shop.test/", h))
	}
	synctest.Wait()
	for i, c := range cs[:4] {
		if want := fmt.Sprintf("http://h%d.shop.test/", i+1); c.req.URL != want || c.took != 0 {
			d.Errorf("worker %d got %+v, want %s at once", i, c, want)
		}
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	if cs[4].over {
		d.Errorf("a fifth visit of the domain: %+v", cs[4])
	}
	d.done(cs[0].req, frontier.Outcome{})
	synctest.Wait()
	if cs[4].req.URL != "http://h5.shop.test/" { // ready since the start, h0 since 1 s
		d.Errorf("the fifth worker got %+v", cs[4])
	}
}

func noGoroutines(d *desk) {
	before := runtime.NumGoroutine()
	for h := range 2000 {
		d.urls(fmt.Sprintf("http://h%d/1", h), fmt.Sprintf("http://h%d/2", h))
	}
	for h := range 200 {
		d.visit(fmt.Sprintf("http://h%d/1", h), 0)
	}
	synctest.Wait()
	// Other tests run beside this one, hence the margin.
	if n := runtime.NumGoroutine() - before; n > 1000 {
		d.Errorf("%d goroutines more than before", n)
	}
}

// manyWorkers crawls a small web in which every page links to others.
func manyWorkers(d *desk) {
	const hosts, pages, workers = 40, 25, 30
	link := func(n int) string { return fmt.Sprintf("http://h%d.d%d.test/%d", n%hosts, n%hosts/4, n/hosts%pages) }
	var mu sync.Mutex
	visits, open, last := map[string]int{}, map[string]int{}, map[string]time.Time{}
	begin := func(host string) {
		mu.Lock()
		defer mu.Unlock()
		if open[host]++; open[host] > 1 {
			d.Errorf("%d visits of %s at a time", open[host], host)
		}
		if gap := time.Since(last[host]); gap < time.Second {
			d.Errorf("gap of %v between visits of %s", gap, host)
		}
		last[host] = time.Now()
	}
	end := func(host, url string) {
		mu.Lock()
		defer mu.Unlock()
		open[host]--
		visits[url]++
	}
	d.urls(link(0))
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				req, err := d.f.Next(d.Context())
				if errors.Is(err, frontier.ErrDrained) {
					return
				}
				var host, dom, page int
				if _, serr := fmt.Sscanf(req.URL, "http://h%d.d%d.test/%d", &host, &dom, &page); err != nil || serr != nil {
					d.Errorf("Next: %v, %v", req, err)
					return
				}
				n := page*hosts + host
				begin(fmt.Sprint(host))
				time.Sleep(time.Duration(n*37%400) * time.Millisecond)
				end(fmt.Sprint(host), req.URL)
				d.done(req, frontier.Outcome{Found: requests(link(2*n+1), link(2*n+2), link(n*n+7), link(n))})
			}
		})
	}
	wg.Wait()
	reached := map[int]bool{}
	for todo := []int{0}; len(todo) > 0; todo = todo[1:] {
		if n := todo[0] % (hosts * pages); !reached[n] {
			reached[n] = true
			todo = append(todo, 2*n+1, 2*n+2, n*n+7, n)
		}
	}
	if len(visits) != len(reached) {
		d.Errorf("%d pages visited, want %d", len(visits), len(reached))
	}
	for url, n := range visits {
		if n != 1 {
			d.Errorf("%s was visited %d times", url, n)
		}
	}
	d.stats(frontier.Stats{Seen: len(reached), Done: len(reached)})
}

func doneThoughCancelled(d *desk) {
	d.urls("http://a.test/1")
	a := d.next("http://a.test/1", 0)
	ctx, cancel := context.WithCancel(d.Context())
	cancel()
	if err := d.f.Done(ctx, a, frontier.Outcome{Found: requests("http://b.test/1")}); err != nil {
		d.Fatal(err)
	}
	d.visit("http://b.test/1", 0)
	d.drained()
}
