package frontiertest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// controlCases are left out for frontiers whose hosts cannot be held up by hand.
func controlCases() map[string]func(*desk) {
	return map[string]func(*desk){
		"Park holds a host up":                   parkHolds,
		"Block holds until Resume":               blockHolds,
		"Drop drops what waits and what comes":   dropDrops,
		"Resume lifts what was not by hand":      resumeLifts,
		"visits under way end when held up":      heldVisits,
		"who holds a host up is told why not":    controlEnds,
		"of a host that is well nothing changes": resumeNothing,
	}
}

// control is the frontier, if its hosts can be held up.
func (d *desk) control() frontier.HostControl {
	f, ok := frontier.As[frontier.HostControl](d.f)
	if !ok {
		d.Skip("its hosts cannot be held up by hand")
	}
	return f
}

// ordered expects that there was no error.
func (d *desk) ordered(err error) {
	d.Helper()
	if err != nil {
		d.Fatal(err)
	}
}

// host expects the state of a host, and how many hosts are in some states.
func (d *desk) host(url string, state frontier.State, want frontier.HostStats) {
	d.Helper()
	f, ok := frontier.As[frontier.Inspector](d.f)
	if !ok {
		return
	}
	h, err := f.Host(d.Context(), url)
	if err != nil || h.State != state {
		d.Errorf("%s is %s, %v, want %s", url, h.State, err, state)
	}
	s := statsOf(d.f).States
	if got := (frontier.HostStats{Parked: s.Parked, Blocked: s.Blocked, Dropped: s.Dropped}); got != want {
		d.Errorf("%+v, want %+v", got, want)
	}
	listed := false
	for h, err := range f.Hosts(d.Context()) {
		listed = listed || err == nil && h.Name != "" && url[:len(h.Name)] == h.Name
	}
	if held := state == frontier.Parked || state == frontier.Blocked || state == frontier.Dropped; held && !listed {
		d.Errorf("Hosts does not tell of %s, which is %s", url, state)
	}
}

// waits expects the state of a URL, and what it waits for.
func (d *desk) waits(url string, state frontier.State, want frontier.Wait) {
	d.Helper()
	if f, ok := frontier.As[frontier.Inspector](d.f); ok {
		if e, err := f.Explain(d.Context(), url); err != nil || e.State != state || e.Waits != want {
			d.Errorf("%s is %s and waits for %q, %v, want %s, %q", url, e.State, e.Waits, err, state, want)
		}
	}
}

func parkHolds(d *desk) {
	f := d.control()
	d.urls("http://a.test/1", "http://b.test/1")
	d.ordered(f.Park(d.Context(), "http://a.test/any", d.start.Add(10*time.Second)))
	d.host("http://a.test/1", frontier.Parked, frontier.HostStats{Parked: 1})
	d.waits("http://a.test/1", frontier.Queued, frontier.ForPark)
	d.visit("http://b.test/1", 0)
	d.visit("http://a.test/1", 10*time.Second)
	d.host("http://a.test/1", frontier.Idle, frontier.HostStats{})
	d.urls("http://a.test/2")
	d.ordered(f.Park(d.Context(), "http://a.test/", d.start.Add(24*time.Hour)))
	d.drained() // that is beyond the horizon
	d.ordered(f.Park(d.Context(), "http://a.test/", d.start.Add(20*time.Second)))
	d.host("http://a.test/", frontier.Parked, frontier.HostStats{Parked: 1})
	d.ordered(f.Park(d.Context(), "http://a.test/", time.Time{}))
	d.host("http://a.test/", frontier.Waiting, frontier.HostStats{})
	d.visit("http://a.test/2", 11*time.Second)
}

func blockHolds(d *desk) {
	f := d.control()
	d.ordered(f.Block(d.Context(), "http://a.test/"))
	d.host("http://a.test/1", frontier.Blocked, frontier.HostStats{Blocked: 1})
	d.urls("http://a.test/1", "http://b.test/1")
	d.waits("http://a.test/1", frontier.Queued, frontier.ForBlock)
	d.visit("http://b.test/1", 0)
	d.drained()
	time.Sleep(30 * time.Hour)
	d.drained()
	d.stats(frontier.Stats{Seen: 2, Queued: 1, Done: 1, Hosts: 1})
	d.ordered(f.Resume(d.Context(), "http://a.test/"))
	d.host("http://a.test/1", frontier.Ready, frontier.HostStats{})
	d.visit("http://a.test/1", 30*time.Hour)
	d.drained()
}

func dropDrops(d *desk) {
	f := d.control()
	d.urls("http://a.test/1", "http://a.test/2", "http://b.test/1")
	d.add(1, frontier.Request{URL: "http://a.test/3", Due: d.start.Add(time.Minute)})
	drop := func(url string, want int) {
		d.Helper()
		if n, err := f.Drop(d.Context(), url); n != want || err != nil {
			d.Errorf("Drop %s: %d, %v, want %d", url, n, err, want)
		}
	}
	drop("http://a.test/", 3)
	drop("http://a.test/", 0)
	drop("http://c.test/", 0)
	d.urls("http://a.test/4", "http://c.test/1")
	d.add(0, frontier.Request{URL: "http://a.test/1", Again: true})
	d.host("http://a.test/1", frontier.Dropped, frontier.HostStats{Dropped: 2})
	d.waits("http://a.test/1", frontier.Dropped, "")
	d.stats(frontier.Stats{Seen: 6, Queued: 1, Dropped: 5, Hosts: 1})
	d.visit("http://b.test/1", 0)
	d.drained()
	d.ordered(f.Resume(d.Context(), "http://a.test/"))
	d.host("http://a.test/1", frontier.Unknown, frontier.HostStats{Dropped: 1}) // it is forgotten as others are
	d.waits("http://a.test/1", frontier.Done, "")
	d.stats(frontier.Stats{Seen: 6, Done: 5, Dropped: 1})
	d.urls("http://a.test/5")
	d.visit("http://a.test/5", 0)
	d.add(1, frontier.Request{URL: "http://a.test/1", Again: true})
	d.visit("http://a.test/1", time.Second)
	d.drained()
}

func resumeLifts(d *desk) {
	f := d.control()
	d.urls("http://a.test/1", "http://a.test/2")
	l := d.next("http://a.test/1", 0)
	d.done(l, frontier.Outcome{Trouble: frontier.Unreached})
	d.ordered(f.Block(d.Context(), "http://a.test/"))
	d.drained()
	d.ordered(f.Resume(d.Context(), "http://a.test/"))
	if _, ok := frontier.As[frontier.Inspector](d.f); ok {
		d.host("http://a.test/1", frontier.Waiting, frontier.HostStats{})
	}
	d.visit("http://a.test/2", time.Second)
}

func heldVisits(d *desk) {
	f := d.control()
	d.urls("http://a.test/1", "http://b.test/1")
	a, b := d.next("http://a.test/1", 0), d.next("http://b.test/1", 0)
	d.ordered(f.Block(d.Context(), a.URL))
	if n, err := f.Drop(d.Context(), b.URL); n != 0 || err != nil {
		d.Errorf("Drop: %d, %v", n, err)
	}
	again := frontier.Outcome{Again: time.Now(), Found: requests("http://c.test/1")}
	d.done(a, again)
	again.Found = requests("http://b.test/2")
	d.done(b, again)
	d.visit("http://c.test/1", 0)
	d.drained()
	d.stats(frontier.Stats{Seen: 4, Queued: 1, Done: 2, Dropped: 1, Hosts: 1})
	d.ordered(f.Resume(d.Context(), a.URL))
	d.visit(a.URL, time.Second)
}

// resumeNothing: a host that rests because it asked for it goes on resting.
func resumeNothing(d *desk) {
	f := d.control()
	d.urls("http://a.test/1", "http://a.test/2")
	d.done(d.next("http://a.test/1", 0), frontier.Outcome{Delay: 10 * time.Second})
	d.ordered(f.Resume(d.Context(), "http://a.test/"))
	d.ordered(f.Resume(d.Context(), "http://nobody.test/"))
	d.ordered(f.Park(d.Context(), "http://a.test/", d.start.Add(time.Second)))
	d.ordered(f.Resume(d.Context(), "http://a.test/"))
	d.visit("http://a.test/2", 10*time.Second)
}

func controlEnds(d *desk) {
	f := d.control()
	all := func(ctx context.Context, url string) (errs []error) {
		_, err := f.Drop(ctx, url)
		return append(errs, f.Park(ctx, url, time.Now()), f.Block(ctx, url), f.Resume(ctx, url), err)
	}
	cause := errors.New("cause")
	gone, cancel := context.WithCancelCause(d.Context())
	cancel(cause)
	for i, err := range all(gone, "http://a.test/") {
		if !errors.Is(err, cause) {
			d.Errorf("number %d: %v, want the cause", i, err)
		}
	}
	for i, err := range all(d.Context(), "no URL") {
		if !isURLError(err) {
			d.Errorf("number %d: %v, want a URLError", i, err)
		}
	}
	d.host("http://a.test/", frontier.Unknown, frontier.HostStats{})
	if err := d.f.Close(); err != nil {
		d.Fatal(err)
	}
	for i, err := range all(d.Context(), "http://a.test/") {
		if !errors.Is(err, frontier.ErrClosed) {
			d.Errorf("number %d: %v, want ErrClosed", i, err)
		}
	}
}

// never is until when a host is held that is blocked.
var never = time.Unix(1<<40, 0)

// control holds a host up by hand, or has it visited again.
func (w *walk) control() {
	f, ok := frontier.As[frontier.HostControl](w.f)
	if !ok {
		return
	}
	reqs := w.requests(2)
	if len(reqs) == 0 {
		return
	}
	url, now := reqs[0].URL, time.Now()
	var err error
	switch w.IntN(5) {
	case 0:
		until := now.Add([]time.Duration{-time.Second, 700 * time.Millisecond, 5 * time.Second, 3 * time.Hour}[w.IntN(4)])
		w.log("park %s until %v", url, until)
		w.model.hold(url, until, now)
		err = f.Park(w.Context(), url, until)
	case 1:
		w.log("block %s", url)
		w.model.hold(url, never, now)
		err = f.Block(w.Context(), url)
	case 2:
		if w.IntN(3) > 0 {
			return
		}
		s := w.model.site(url, now)
		s.health.told = true
		want := w.model.drop(s)
		w.log("drop %s, %d", url, want)
		n, failed := f.Drop(w.Context(), url)
		if err = failed; n != want {
			err = errors.Join(err, fmt.Errorf("dropped %d, want %d", n, want))
		}
	default:
		w.log("resume %s", url)
		w.model.resume(url, now)
		err = f.Resume(w.Context(), url)
	}
	if err != nil {
		w.Fatal(err)
	}
}

// hold has a host not visited before some time.
func (m *model) hold(url string, until, now time.Time) {
	s := m.site(url, now)
	before := m.allowed(s)
	s.health.told, s.hold = true, time.Time{}
	if until.After(now) {
		s.hold = until
	}
	s.changed(m, before, now)
}

// changed notes since when a host is ready that was, or is, held up.
func (s *site) changed(m *model, before, now time.Time) {
	switch after := m.allowed(s); {
	case after.After(now):
		s.clear = time.Time{}
	case before.After(now):
		s.clear, s.freed = time.Time{}, now
	case s.clear.IsZero(): // it may be ready for longer than its clock says now
		s.freed = latest(s.freed, before)
	}
	s.keep(m)
}

// drop drops all that waits of a host and returns how much that was.
func (m *model) drop(s *site) (n int) {
	s.dropped = true
	for _, p := range m.pages {
		if p.host == s && p.state == queued {
			p.state = dropped
			n++
		}
	}
	return n
}

// resume has a host visited again.
func (m *model) resume(url string, now time.Time) {
	s := m.site(url, now)
	before, full := m.allowed(s), m.full(m.perHost(s), func(p *page) bool { return p.host == s })
	s.hold = time.Time{}
	if parked := s.away.After(now); s.dropped || parked || s.health.unreached > 0 {
		if parked && !s.until.After(s.away) {
			s.until, s.gap = time.Time{}, 0
		}
		s.health = health{told: true, reached: s.health.reached}
		s.dropped, s.away = false, time.Time{}
		for _, p := range m.pages {
			if p.host == s && p.state == dropped {
				p.state = done
			}
		}
	}
	if full {
		before = never
	}
	s.changed(m, before, now)
}
