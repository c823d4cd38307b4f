package frontiertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// Maker opens frontiers for [Random] and [Script].
type Maker struct {
	// Open returns an empty frontier.
	Open func(t *testing.T, opt frontier.Options) frontier.Frontier

	// Reopen ends f as a crash would, or in an orderly way, and opens what is
	// left of it. Nil: the frontier does not outlive its process.
	Reopen func(t *testing.T, f frontier.Frontier, opt frontier.Options) frontier.Frontier
}

// Random does so many random operations, which follow from seed, with a frontier
// and with a slow and obvious model of one, and expects the same answers at the
// same times.
func Random(t *testing.T, m Maker, seed uint64, steps int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &walk{T: t, maker: m, Rand: rand.New(rand.NewPCG(seed, 0))}
		w.opt = w.options()
		w.model = newModel(w.opt)
		w.f = m.Open(t, w.opt)
		defer func() {
			w.f.Close()
			if t.Failed() {
				t.Logf("seed %d, options %+v, last steps:\n%s", seed, w.opt, strings.Join(w.trace[max(0, len(w.trace)-40):], "\n"))
			}
		}()
		for range steps {
			w.step()
		}
	})
}

// walk is a run of random operations.
type walk struct {
	*testing.T
	*rand.Rand
	maker Maker
	opt   frontier.Options
	f     frontier.Frontier
	model *model
	open  []frontier.Lease // of this process and of those before, some of which are over
	trace []string
}

func (w *walk) options() frontier.Options {
	pick := func(ns ...int) int { return ns[w.IntN(len(ns))] }
	var budget frontier.HostBudget
	if w.IntN(4) == 0 {
		budget.Share, budget.Of = 0.25, pick(4, 8, 12)
	} else if w.IntN(3) == 0 {
		budget = frontier.HostBudget{Pages: pick(0, 0, 8), Bytes: int64(pick(0, 0, 900)), Errors: pick(0, 0, 3), Failures: pick(0, 1, 2), ParkFor: 20 * time.Second, Parks: pick(1, 2)}
	}
	return frontier.Options{
		Limits: frontier.Limits{
			PerHost:   pick(0, 0, 1, 2, 3, 6, -1),
			PerDomain: pick(0, 0, 1, 2, -1),
			Global:    pick(0, 0, 1, 3, -1),
			PerIP:     pick(0, 0, 1, 2, -1),
			Delay:     time.Duration(pick(0, 0, 1, 300, 5000, -1)) * time.Millisecond,
			MaxDelay:  time.Duration(pick(0, 0, 10, -1)) * time.Second,
			Factor:    float64(pick(0, 0, 1, 3, -1)),
			FactorCap: time.Duration(pick(0, 0, 500, 3000, -1)) * time.Millisecond,
			Exempt:    [][]string{nil, nil, {"x.test", "192.0.2.3"}, {"192.0.2.0/31", "10.0.0.0/8"}}[w.IntN(4)],

			Budget:      budget,
			DomainDelay: time.Duration(pick(0, 0, 0, 200, 3000, -1)) * time.Millisecond,
			IPDelay:     time.Duration(pick(0, 0, 0, 150, 4000, -1)) * time.Millisecond,
		},
		Horizon:   time.Duration(pick(0, 0, 1, 600, -1)) * time.Second,
		SyncEvery: time.Duration(pick(0, 1, -1)) * time.Second,
		LeaseFor:  time.Duration(pick(0, 0, 0, 2, 60)) * time.Second,
	}
}

func (w *walk) log(format string, args ...any) {
	w.trace = append(w.trace, time.Now().Format("02 15:04:05.000000 ")+fmt.Sprintf(format, args...))
}

func (w *walk) step() {
	w.model.tick(time.Now())
	switch n := w.IntN(100); {
	case n < 25:
		w.add()
	case n < 60:
		w.next()
	case n < 83:
		w.done()
	case n < 85:
		w.extend()
	case n < 88:
		w.rescore()
	case n < 90:
		w.locate()
	case n < 92:
		w.look()
	case n < 94:
		w.control()
	case n < 98 || w.maker.Reopen == nil:
		d := time.Duration(w.IntN(1500)) * time.Millisecond
		if w.IntN(20) == 0 {
			d = time.Duration(w.IntN(90)) * time.Minute
		}
		w.log("sleep %v", d)
		time.Sleep(d)
	default:
		time.Sleep(time.Millisecond) // tokens are told apart by when a frontier was opened
		w.model.tick(time.Now())
		w.log("reopen")
		if f, ok := frontier.As[frontier.Locator](w.f); ok { // what has expired is written down
			f.Locate(w.Context(), "http://none/", netip.Addr{})
		}
		w.f = w.maker.Reopen(w.T, w.f, w.opt)
		w.model.reopen(time.Now())
	}
	w.model.tick(time.Now())
	if s := bare(statsOf(w.f)); s != w.model.stats() {
		w.Fatalf("stats %+v, model %+v", s, w.model.stats())
	}
}

// requests makes up some requests out of a small number of URLs.
func (w *walk) requests(n int) []frontier.Request {
	hosts := []string{"http://a.x.test", "http://b.x.test", "https://a.x.test", "http://c.github.io", "http://d.github.io", "http://10.0.0.1", "http://10.0.0.1:81", "http://one"}
	reqs := make([]frontier.Request, w.IntN(n))
	for i := range reqs {
		reqs[i] = frontier.Request{
			URL:      fmt.Sprintf("%s/%d", hosts[w.IntN(len(hosts))], w.IntN(200)),
			Depth:    w.IntN(4),
			Priority: []float64{0, 0, 0, 1, 1, 2.5, -1}[w.IntN(7)],
			Due:      w.due(6),
		}
		reqs[i].Again = w.IntN(8) == 0
		if w.IntN(4) == 0 {
			reqs[i].Via, reqs[i].Label, reqs[i].Hops = reqs[0].URL, "label", w.IntN(2)
			reqs[i].Meta = w.meta(0)
		}
		reqs[i].Variant = []string{"", "", "", "quarry.other", "\x00\xff"}[w.IntN(5)]
	}
	return reqs
}

// meta makes up some values, one of so many of them empty; 0: none.
func (w *walk) meta(empty int) (m frontier.Meta) {
	for range w.IntN(4) {
		value := []string{"1", "\x00\xff", fmt.Sprint(w.IntN(300)), strings.Repeat("long", 1+w.IntN(40))}[w.IntN(4)]
		if empty > 0 && w.IntN(empty) == 0 {
			value = ""
		}
		m = m.With([]string{"a.b", "quarry.recrawl", "shop.price", "shop.price.old"}[w.IntN(4)], value)
	}
	return m
}

// due is zero but for one time out of so many.
func (w *walk) due(n int) time.Time {
	if w.IntN(n) != 0 {
		return time.Time{}
	}
	return time.Now().Add(time.Duration(w.IntN(5000)-1000) * time.Duration(1+w.IntN(2)*2000) * time.Millisecond).UTC()
}

func (w *walk) add() {
	reqs := w.requests(6)
	w.log("add %v", reqs)
	want := w.model.add(reqs, time.Now())
	if n, err := w.f.Add(w.Context(), reqs...); n != want || err != nil {
		w.Fatalf("Add: %d, %v, want %d", n, err, want)
	}
}

// rescore changes priorities, of a frontier that can.
func (w *walk) rescore() {
	f, ok := frontier.As[frontier.Rescorer](w.f)
	if !ok {
		return
	}
	reqs := w.requests(12)
	if len(reqs) > 3 {
		for i := range reqs { // some of one host
			reqs[i].URL = fmt.Sprintf("http://a.x.test/%d", w.IntN(200))
		}
	}
	w.log("rescore %v", reqs)
	want := w.model.rescore(reqs)
	if n, err := f.Rescore(w.Context(), reqs...); n != want || err != nil {
		w.Fatalf("Rescore: %d, %v, want %d", n, err, want)
	}
}

// next asks for a request and, if the model has none now, waits until it says
// that there will be one, or gives up shortly before.
func (w *walk) next() {
	now := time.Now()
	at := w.model.next(now)
	if end := w.model.expiry(); !end.IsZero() && (at.IsZero() || at.After(now) && !end.After(at)) {
		w.log("sleep until a lease expires")
		time.Sleep(end.Sub(now))
		return
	}
	patience := time.Second
	switch {
	case at.Equal(now) && len(w.model.best(now)) > 0:
		patience = time.Nanosecond
	case w.model.drained(now):
		w.log("next: drained")
		if req, err := w.f.Next(w.Context()); !errors.Is(err, frontier.ErrDrained) || !time.Now().Equal(now) {
			w.Fatalf("Next: %v, %v, want ErrDrained at once", req, err)
		}
		return
	case !at.IsZero():
		patience = at.Sub(now) + time.Nanosecond
		if w.IntN(3) == 0 {
			patience, at = at.Sub(now)-time.Nanosecond, time.Time{}
		}
	}
	ctx, cancel := context.WithTimeout(w.Context(), patience)
	defer cancel()
	l, err := w.f.Next(ctx)
	if at.IsZero() {
		w.log("next: nothing for %v", patience)
		if !errors.Is(err, context.DeadlineExceeded) {
			w.Fatalf("Next: %v, %v, want nothing for %v", l, err, patience)
		}
		return
	}
	w.log("next: %v %v", l, err)
	w.model.tick(at)
	best := w.model.best(at)
	if err != nil || !slices.Contains(best, idOf(l.Request)) || !time.Now().Equal(at) {
		w.Fatalf("Next: %v, %v, want one of %v at %v", l, err, best, at)
	}
	var until time.Time
	if w.opt.LeaseFor > 0 {
		until = at.Add(w.opt.LeaseFor)
	}
	p := w.model.urls[idOf(l.Request)]
	before := p.token
	if want := w.model.lease(p, l.Token, at); !same(l.Request, want) || l.Token <= before || !l.Until.Equal(until) {
		w.Fatalf("Next: %+v, want %+v until %v, token above %d", l, want, until, before)
	}
	w.open = append(w.open, l)
}

func (w *walk) done() {
	if len(w.open) == 0 || w.IntN(20) == 0 {
		none := frontier.Lease{Request: frontier.Request{URL: "http://a.x.test/none"}, Token: 1}
		if err := w.f.Done(w.Context(), none, frontier.Outcome{}); !errors.Is(err, frontier.ErrLeaseExpired) {
			w.Fatalf("Done for what is not leased: %v", err)
		}
		return
	}
	i := w.IntN(len(w.open))
	l := w.open[i]
	w.open = slices.Delete(w.open, i, i+1)
	if !w.model.holds(l) {
		w.log("done too late %v", l)
		if err := w.f.Done(w.Context(), l, frontier.Outcome{Found: w.requests(4)}); !errors.Is(err, frontier.ErrLeaseExpired) {
			w.Fatalf("Done after the lease has expired: %v", err)
		}
		return
	}
	l.Attempt += w.IntN(2)
	l.Depth = w.IntN(4)
	out := frontier.Outcome{Again: w.due(3), Found: w.requests(4)}
	if w.IntN(4) == 0 {
		out.Meta, out.Priority = w.meta(3), new(float64(w.IntN(2)))
	}
	if w.IntN(4) == 0 {
		out.Delay = []time.Duration{time.Millisecond, 300 * time.Millisecond, 7 * time.Second, 2 * time.Hour}[w.IntN(4)]
	}
	if w.IntN(2) == 0 {
		out.Addr = netip.AddrFrom4([4]byte{192, 0, 2, byte(w.IntN(4))})
	}
	if w.IntN(3) == 0 {
		out.Took = time.Duration(w.IntN(4000)) * time.Millisecond
	}
	out.Bytes = int64(w.IntN(2) * w.IntN(300))
	x, explains := frontier.As[frontier.Inspector](w.f)
	if explains && w.IntN(4) == 0 {
		out.Trouble = frontier.Trouble(w.IntN(5))
	}
	w.log("done %v %+v", l, out)
	if err := w.f.Done(w.Context(), l, out); err != nil {
		w.Fatalf("Done: %v", err)
	}
	var rested, away time.Time
	if out.Trouble != frontier.NoTrouble {
		h, err := x.Host(w.Context(), l.URL)
		if err != nil {
			w.Fatal(err)
		}
		rested = w.model.rests(l.Request, out, min(h.Gap, time.Until(h.Next)))
		away = w.model.away(l.Request, out, h.Next)
	}
	w.model.done(l.Request, out, time.Now(), rested, away)
}

// extend has a lease last longer, of a frontier that can.
func (w *walk) extend() {
	x, ok := frontier.As[frontier.Extender](w.f)
	if !ok || len(w.open) == 0 {
		return
	}
	l := w.open[w.IntN(len(w.open))]
	w.log("extend %v", l)
	got, err := x.Extend(w.Context(), l)
	if !w.model.holds(l) {
		if !errors.Is(err, frontier.ErrLeaseExpired) {
			w.Fatalf("Extend after the lease has expired: %v", err)
		}
		return
	}
	p := w.model.urls[idOf(l.Request)]
	w.model.extend(p, time.Now())
	if err != nil || got.Token != l.Token || !same(got.Request, l.Request) || !got.Until.Equal(p.until) {
		w.Fatalf("Extend: %+v, %v, want it until %v", got, err, p.until)
	}
}
