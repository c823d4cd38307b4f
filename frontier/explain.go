package frontier

import "context"

// explaining is a URL that is being explained.
type explaining struct {
	*watch
	front *front
	url   string
	name  string // of its host
	fp    uint64
	e     Explanation

	// Where it waits, if it does.
	lane  int
	rank  rank
	found bool // on disk
}

// Explain implements [Inspector].
func (f *front) Explain(ctx context.Context, url string) (Explanation, error) {
	unknown := Explanation{State: Unknown, Host: Host{State: Unknown}}
	name, _, msg := splitHost(url)
	if msg != "" {
		unknown.Reason = msg
		return unknown, nil
	}
	seed := f.sched.seed
	x := explaining{front: f, url: url, name: name, fp: fingerprint(url, seed)}
	x.watch = f.watch(fingerprint(name, seed))
	defer f.unwatch(x.watch)
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
	s.advance(f.clock.now())
	x.watch.take()
	x.found = false
	h, known := s.hosts.find(x.host)
	if known {
		e.Host = s.look(h, x.name)
	}
	e.Last = f.ended.find(x.fp)
	i, live := s.live.find(x.fp)
	seen, err := f.seen.HasOne(x.fp)
	switch {
	case err != nil:
		return false, diskError(err)
	case !seen:
	case live && s.slots.look(i).leased:
		e.State, e.Request, e.Since = Leased, s.request(i), fromNanos(s.slots.look(i).due)
	case live:
		slot := s.slots.look(i)
		x.lane, x.rank = slot.lane(), slot.rankIn(slot.lane())
		e.State, e.Request = Queued, s.request(i)
	case e.Host.State == Dropped:
		e.State, e.Reason = Dropped, e.Host.Reason
	default:
		e.State = Done
		return known && s.hosts.at(h).lanes != [lanes]uint32{}, nil
	}
	return false, nil
}

// search looks for a URL among what waits on disk. again says that it may have come to
// memory, and gone from there, meanwhile.
func (x *explaining) search(ctx context.Context) (again bool, err error) {
	f := x.front
	for which := range lanes {
		before := 0
		err := f.steps(ctx, x.host, which, func(s *schedule, o *shelved) bool {
			if string(o.url) != x.url || len(o.variant) > 0 {
				before++
				return true
			}
			r := s.outlier(o)
			x.lane, x.rank, x.found = which, o.rank(), true
			x.e.State, x.e.Request, x.e.Ahead = Queued, r.Request, before
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
	_, again = f.sched.live.find(x.fp)
	for _, c := range x.watch.take() {
		again = again || c.fp == x.fp
	}
	return again, nil
}

// place counts what is before a URL that waits, and says what it waits for.
func (x *explaining) place(ctx context.Context) error {
	f := x.front
	err := f.eachInMemory(ctx, x.host, x.lane, func(_ uint64, r rank) {
		if r.before(x.rank) {
			x.e.Ahead++
		}
	})
	if err == nil && !x.found {
		err = f.steps(ctx, x.host, x.lane, func(_ *schedule, o *shelved) bool {
			before := o.rank().before(x.rank)
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
	if h, ok := f.sched.hosts.find(x.host); ok {
		f.sched.waits(h, x.lane, &x.e)
	}
	return nil
}

// Host implements [Inspector].
func (f *front) Host(ctx context.Context, url string) (Host, error) {
	x := Host{State: Unknown}
	name, _, msg := splitHost(url)
	if msg != "" {
		return x, &URLError{URL: url, Msg: msg}
	}
	if err := f.enter(ctx); err != nil {
		return x, err
	}
	defer f.mu.Unlock()
	f.tick()
	s := f.sched
	s.advance(f.clock.now())
	if h, ok := s.hosts.find(fingerprint(name, s.seed)); ok {
		x = s.look(h, name)
		x.told(f.clock)
	}
	return x, nil
}
