package frontier

import (
	"context"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
)

// explaining is a URL that is being explained.
type explaining struct {
	*sched.Watch
	front *front
	url   string
	name  string // of its host
	fp    uint64
	e     Explanation

	// Where it waits, if it does.
	lane  int
	rank  request.Rank
	found bool // on disk
}

// Explain implements [Inspector].
func (f *front) Explain(ctx context.Context, url string) (Explanation, error) {
	unknown := Explanation{State: Unknown, Host: Host{State: Unknown}}
	name, _, msg := request.SplitHost(url)
	if msg != "" {
		unknown.Reason = msg
		return unknown, nil
	}
	seed := f.sched.Seed
	x := explaining{front: f, url: url, name: name, fp: request.Fingerprint(url, seed)}
	x.Watch = f.watch(request.Fingerprint(name, seed))
	defer f.unwatch(x.Watch)
	for again := true; again; {
		x.e, again = unknown, false
		onDisk, err := x.look(ctx)
		if err == nil && onDisk {
			again, err = x.search(ctx)
		}
		if err == nil && x.e.State == Queued {
			err = x.place(ctx)
		}
		if err != nil {
			return unknown, err
		}
	}
	e, c := x.e, f.clock
	e.Request.Due, e.Due, e.Since = c.outTime(e.Request.Due), c.outTime(e.Due), c.outTime(e.Since)
	e.Host.told(c)
	e.Last.At, e.Last.Again = c.outTime(e.Last.At), c.outTime(e.Last.Again)
	return e, nil
}

// look says what is known without looking far.
func (x *explaining) look(ctx context.Context) (maybeOnDisk bool, err error) {
	f, e := x.front, &x.e
	if err := f.enter(ctx); err != nil {
		return false, err
	}
	defer f.mu.Unlock()
	f.tick()
	s := f.sched
	s.Advance(f.clock.now())
	x.Watch.Take()
	x.Newest, x.found = s.Seq, false
	h, known := s.Hosts.Find(x.Host)
	if known {
		e.Host = look(s, h, x.name)
	}
	e.Last = f.ended.find(x.fp)
	i, live := s.Live.Find(x.fp)
	seen, err := f.seen.HasOne(x.fp)
	switch {
	case err != nil:
		return false, diskError(err)
	case !seen:
	case live && s.Slots.Look(i).Leased:
		e.State, e.Request, e.Since = Leased, public(s.Request(i)), fromNanos(s.Slots.Look(i).Due)
	case live:
		slot := s.Slots.Look(i)
		x.lane, x.rank = slot.Lane(), slot.RankIn(slot.Lane())
		e.State, e.Request = Queued, public(s.Request(i))
	case e.Host.State == Dropped:
		e.State, e.Reason = Dropped, e.Host.Reason
	default:
		e.State = Done
		return known && s.Hosts.At(h).Lanes != [request.Lanes]uint32{}, nil
	}
	return false, nil
}

// search looks for a URL among what waits on disk. again says that it may have come to
// memory, and gone from there, meanwhile.
func (x *explaining) search(ctx context.Context) (again bool, err error) {
	f := x.front
	for which := range request.Lanes {
		before := 0
		err := f.steps(ctx, x.Watch, which, func(s *sched.Schedule, o *request.Stored) bool {
			if string(o.URL) != x.url || len(o.Variant) > 0 {
				before++
				return true
			}
			r := s.Outlier(o)
			x.lane, x.rank, x.found = which, o.Rank(), true
			x.e.State, x.e.Request, x.e.Ahead = Queued, public(r.Request), before
			return false
		})
		if err != nil || x.found {
			return false, err
		}
	}
	if err := f.enter(ctx); err != nil {
		return false, err
	}
	defer f.mu.Unlock()
	_, again = f.sched.Live.Find(x.fp)
	for _, c := range x.Watch.Take() {
		again = again || c.FP == x.fp
	}
	return again, nil
}

// place counts what is before a URL that waits, and says what it waits for.
func (x *explaining) place(ctx context.Context) error {
	f := x.front
	err := f.eachInMemory(ctx, x.Host, x.lane, func(_ uint64, r request.Rank) {
		if r.Before(x.rank) {
			x.e.Ahead++
		}
	})
	if err == nil && !x.found {
		err = f.steps(ctx, x.Watch, x.lane, func(_ *sched.Schedule, o *request.Stored) bool {
			before := o.Rank().Before(x.rank)
			if before {
				x.e.Ahead++
			}
			return before
		})
	}
	if err != nil {
		return err
	}
	if err := f.enter(ctx); err != nil {
		return err
	}
	defer f.mu.Unlock()
	if h, ok := f.sched.Hosts.Find(x.Host); ok {
		waits(f.sched, h, x.lane, &x.e)
	}
	return nil
}

// Host implements [Inspector].
func (f *front) Host(ctx context.Context, url string) (Host, error) {
	x := Host{State: Unknown}
	name, _, msg := request.SplitHost(url)
	if msg != "" {
		return x, &URLError{URL: url, Msg: msg}
	}
	if err := f.enter(ctx); err != nil {
		return x, err
	}
	defer f.mu.Unlock()
	f.tick()
	s := f.sched
	s.Advance(f.clock.now())
	if h, ok := s.Hosts.Find(request.Fingerprint(name, s.Seed)); ok {
		x = look(s, h, name)
		x.told(f.clock)
	}
	return x, nil
}

// Visit is a visit that ended, as its [Outcome] told.
type Visit struct {
	At      time.Time // when it ended
	Took    time.Duration
	Bytes   int64
	Trouble Trouble
	Again   time.Time // when the request is offered again; zero: never
}

// visitsKept is how many visits are kept, of 40 bytes each.
const visitsKept = 4096

// visits are the latest that ended.
type visits struct {
	ring []visit
	next int
}

type visit struct {
	fp              uint64
	at, took, bytes int64
	again           int64
	trouble         Trouble
}

func (v *visits) note(x visit) {
	if len(v.ring) < visitsKept {
		v.ring = append(v.ring, x)
		return
	}
	v.ring[v.next] = x
	v.next = (v.next + 1) % visitsKept
}

// find returns the latest visit of a URL.
func (v *visits) find(fp uint64) Visit {
	for i := range v.ring {
		x := &v.ring[(v.next+len(v.ring)-1-i)%len(v.ring)]
		if x.fp == fp {
			return Visit{At: fromNanos(x.at), Took: time.Duration(x.took), Bytes: x.bytes, Trouble: x.trouble, Again: fromNanos(x.again)}
		}
	}
	return Visit{}
}
