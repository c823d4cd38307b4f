package frontier

import (
	"errors"
	"testing"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/seen"
	"github.com/webquarry/quarry/internal/durable"
)

// sample is a record with an entry of each kind.
func sample(generation uint64, state bool) []byte {
	var e entries
	e.head(42, generation)
	fp := func(u string) uint64 { return request.Fingerprint(u, 42) }
	e.first(&request.Request{URL: "http://a.test/1", Label: "x"}, 5)
	e.add(&request.Request{URL: "http://a.test/2", Depth: 3})
	e.lower(fp("http://a.test/2"), 1)
	e.lease(fp("http://a.test/1"), 0, 10)
	e.done(ended{fp: fp("http://a.test/1"), start: 10, at: 20, ask: 1000})
	e.lease(fp("http://a.test/2"), 2, 30)
	e.done(ended{fp: fp("http://a.test/2"), start: 30, at: 40, again: &request.Request{URL: "http://a.test/2", Attempt: 3, Due: 50}})
	e.lease(fp("http://a.test/2"), 3, 60)
	e.opened(70)
	if state {
		e.run(&run{number: 3, stamp: 4, count: 5, size: 600})
		e.host(fp("http://b.test"), 9, rest{start: 1, until: 2, gap: 3, asked: 4})
		e.queued(&request.Stored{Host: fp("http://b.test"), Seq: 17, URL: []byte("http://b.test/1")})
		e.lane(request.DueLane, &lane{n: 4, depth: 2, head: request.Rank{Key: 6, Seq: 7}, layer: layer{from: 2, upTo: request.Rank{Key: 5, Seq: 6}}}, []lower{{layer: layer{from: 1, upTo: request.Rank{Key: 8, Seq: 9}}}})
		e.end(1, 1, 20, 3, 4)
	}
	return e.b
}

func TestReplay(t *testing.T) {
	t.Parallel()
	r := &replay{generation: 7, sets: sets{seen: seen.New()}}
	if err := r.record(sample(7, true)); err != nil {
		t.Fatal(err)
	}
	s := r.sched
	if !r.ended || r.leases() || len(r.fps) != 2 || s.live.N != 2 || s.seq != 20 {
		t.Errorf("ended %v, leases %v, %d URLs, %d live, seq %d", r.ended, r.leases(), len(r.fps), s.live.N, s.seq)
	}
	i, _ := s.live.Find(request.Fingerprint("http://a.test/2", 42))
	if got := s.request(i); got != (request.Request{URL: "http://a.test/2", Attempt: 4, Due: 50}) {
		t.Errorf("got %+v", got)
	}
	if c := s.hosts.At(s.slots.At(i).host).clock; c != (rest{start: 70, until: 1020, gap: 0, asked: 40}) {
		t.Errorf("clock %+v", c)
	}
	h, ok := s.hosts.Find(request.Fingerprint("http://b.test", 42))
	if !ok || s.shelf.n != 4 || s.shelf.lanes.At(s.hosts.At(h).lanes[request.DueLane]).below == 0 || r.number != 3 || s.shelf.stamp != 4 {
		t.Errorf("shelf %+v", s.shelf)
	}
	if len(r.runs) != 1 || r.runs[0].size != 600 {
		t.Errorf("runs %+v", r.runs)
	}
}

func TestReplayRefuses(t *testing.T) {
	t.Parallel()
	good := sample(7, true)
	var early, wrong entries
	early.lower(1, 2)
	wrong.head(43, 7)
	for name, x := range map[string]struct {
		r *replay
		b []byte
	}{
		"entry before the head": {&replay{sets: sets{seen: seen.New()}}, early.b},
		"two heads":             {&replay{generation: 7, sets: sets{seen: seen.New()}}, append(append([]byte{}, sample(7, false)...), sample(7, false)...)},
		"after the end":         {&replay{generation: 7, sets: sets{seen: seen.New()}}, append(append([]byte{}, good...), early.b...)},
		"wrong generation":      {&replay{generation: 8, sets: sets{seen: seen.New()}}, good},
		"wrong seed":            {&replay{generation: 7, sets: sets{seen: seen.New()}, sched: newSchedule(Limits{}, 42)}, wrong.b},
		"unknown kind":          {&replay{generation: 7, sets: sets{seen: seen.New()}}, append(append([]byte{}, sample(7, false)...), 99)},
		"kind 0":                {&replay{generation: 7, sets: sets{seen: seen.New()}}, append(append([]byte{}, sample(7, false)...), 0)},
	} {
		if err := x.r.record(x.b); !errors.Is(err, durable.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range good {
		r := &replay{generation: 7, sets: sets{seen: seen.New()}}
		if err := r.record(good[:n]); err != nil && !errors.Is(err, durable.ErrCorrupt) || r.ended {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	r := &replay{sets: sets{seen: seen.New()}}
	err := diskError(r.record([]byte{entryHead, stateVersion + 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
	if !errors.Is(err, ErrVersion) || errors.Is(err, ErrCorrupt) {
		t.Errorf("another version: %v", err)
	}
}

// FuzzReplay applies arbitrary bytes; what was taken is then used.
func FuzzReplay(f *testing.F) {
	f.Add(sample(0, true))
	f.Add(sample(0, false))
	f.Add([]byte("\x01\x0500000000\x00\t0000000000000000\x00\b\x000\x00\x0f000000000000000!")) // damage behind what is pending
	f.Fuzz(func(t *testing.T, b []byte) {
		r := &replay{sets: sets{seen: seen.New()}}
		err := r.record(b)
		if err != nil && !errors.Is(err, durable.ErrCorrupt) {
			t.Fatalf("damage not called damage: %v", err)
		}
		if err != nil && r.sched != nil && r.await(entryUnused) != nil {
			return // of what was read before the damage, something does not fit
		}
		if r.sched == nil || r.sched.shelf.n > 0 {
			return // there are no runs
		}
		const now = int64(1) << 60
		r.opened(now)
		r.restore(now)
		s := r.sched
		want := s.stats(0, 0)
		if want.Queued != s.live.N || want.Leased != 0 {
			t.Fatalf("%+v with %d live", want, s.live.N)
		}
		for range want.Queued {
			at := s.nextEvent()
			if len(s.ready) > 0 {
				at = now
			}
			s.advance(at)
			i, ok := s.lease(at)
			if !ok {
				t.Fatalf("nothing to lease at %d: %+v", at, s.stats(0, 0))
			}
			s.request(i)
			s.done(i, &ended{at: at})
		}
		if got := s.stats(0, 0); got.Queued+got.Leased+got.Hosts != 0 || got.Seen != want.Seen {
			t.Fatalf("at the end: %+v", got)
		}
	})
}
