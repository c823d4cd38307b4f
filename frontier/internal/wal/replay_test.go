package wal

import (
	"errors"
	"testing"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/seen"
	"github.com/webquarry/quarry/frontier/internal/store"
	"github.com/webquarry/quarry/internal/durable"
)

// sample is a record with an entry of each kind.
func sample(generation uint64, state bool) []byte {
	var e Entries
	e.head(42, generation)
	fp := func(u string) uint64 { return request.Fingerprint(u, 42) }
	e.first(&request.Request{URL: "http://a.test/1", Label: "x"}, 5)
	e.add(&request.Request{URL: "http://a.test/2", Depth: 3})
	e.lower(fp("http://a.test/2"), 1)
	e.lease(fp("http://a.test/1"), 0, 10)
	e.done(sched.Ended{FP: fp("http://a.test/1"), Start: 10, At: 20, Ask: 1000})
	e.lease(fp("http://a.test/2"), 2, 30)
	e.done(sched.Ended{FP: fp("http://a.test/2"), Start: 30, At: 40, Again: &request.Request{URL: "http://a.test/2", Attempt: 3, Due: 50}})
	e.lease(fp("http://a.test/2"), 3, 60)
	e.Opened(70)
	if state {
		e.run(&store.Run{Number: 3, Stamp: 4, Count: 5, Size: 600})
		e.host(fp("http://b.test"), 9, sched.Rest{Start: 1, Until: 2, Gap: 3, Asked: 4})
		e.queued(&request.Stored{Host: fp("http://b.test"), Seq: 17, URL: []byte("http://b.test/1")})
		e.lane(request.DueLane, &sched.Lane{N: 4, Depth: 2, Head: request.Rank{Key: 6, Seq: 7}, Layer: sched.Layer{From: 2, UpTo: request.Rank{Key: 5, Seq: 6}}}, []sched.Below{{Layer: sched.Layer{From: 1, UpTo: request.Rank{Key: 8, Seq: 9}}}})
		e.end(1, 1, 20, 3, 4)
	}
	return e.B
}

func TestReplay(t *testing.T) {
	t.Parallel()
	r := newReplay(7, nil)
	if err := r.record(sample(7, true)); err != nil {
		t.Fatal(err)
	}
	s := r.Sched
	if !r.ended || r.Leases() || len(r.fps) != 2 || s.Live.N != 2 || s.Seq != 20 {
		t.Errorf("ended %v, leases %v, %d URLs, %d live, seq %d", r.ended, r.Leases(), len(r.fps), s.Live.N, s.Seq)
	}
	i, _ := s.Live.Find(request.Fingerprint("http://a.test/2", 42))
	if got := s.Request(i); got != (request.Request{URL: "http://a.test/2", Attempt: 4, Due: 50}) {
		t.Errorf("got %+v", got)
	}
	if c := s.Hosts.At(s.Slots.At(i).Host).Clock; c != (sched.Rest{Start: 70, Until: 1020, Gap: 0, Asked: 40}) {
		t.Errorf("clock %+v", c)
	}
	h, ok := s.Hosts.Find(request.Fingerprint("http://b.test", 42))
	if !ok || s.Shelf.N != 4 || s.Shelf.Lanes.At(s.Hosts.At(h).Lanes[request.DueLane]).Below == 0 || r.Number != 3 || s.Shelf.Stamp != 4 {
		t.Errorf("shelf %+v", s.Shelf)
	}
	if len(r.Runs) != 1 || r.Runs[0].Size != 600 {
		t.Errorf("runs %+v", r.Runs)
	}
}

// newReplay is a replay of a file of some generation, with limits that allow visits.
func newReplay(generation uint64, s *sched.Schedule) *Replay {
	limits := sched.Limits{PerHost: 1, PerDomain: 4, PerIP: 4, Global: 256, Delay: 1e9, MaxDelay: 24 * 3600e9}
	return &Replay{Limits: limits, generation: generation, Sets: Sets{Seen: seen.New()}, Sched: s}
}

func TestReplayRefuses(t *testing.T) {
	t.Parallel()
	good := sample(7, true)
	var early, wrong Entries
	early.lower(1, 2)
	wrong.head(43, 7)
	for name, x := range map[string]struct {
		r *Replay
		b []byte
	}{
		"entry before the head": {newReplay(0, nil), early.B},
		"two heads":             {newReplay(7, nil), append(append([]byte{}, sample(7, false)...), sample(7, false)...)},
		"after the end":         {newReplay(7, nil), append(append([]byte{}, good...), early.B...)},
		"wrong generation":      {newReplay(8, nil), good},
		"wrong seed":            {newReplay(7, sched.New(sched.Limits{}, 42)), wrong.B},
		"unknown kind":          {newReplay(7, nil), append(append([]byte{}, sample(7, false)...), 99)},
		"kind 0":                {newReplay(7, nil), append(append([]byte{}, sample(7, false)...), 0)},
	} {
		if err := x.r.record(x.b); !errors.Is(err, durable.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range good {
		r := newReplay(7, nil)
		if err := r.record(good[:n]); err != nil && !errors.Is(err, durable.ErrCorrupt) || r.ended {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	r := newReplay(0, nil)
	err := r.record([]byte{entryHead, stateVersion + 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	if !errors.Is(err, ErrVersion) {
		t.Errorf("another version: %v", err)
	}
}

// FuzzReplay applies arbitrary bytes; what was taken is then used.
func FuzzReplay(f *testing.F) {
	f.Add(sample(0, true))
	f.Add(sample(0, false))
	f.Add([]byte("\x01\x0500000000\x00\t0000000000000000\x00\b\x000\x00\x0f000000000000000!")) // damage behind what is pending
	f.Fuzz(func(t *testing.T, b []byte) {
		r := newReplay(0, nil)
		err := r.record(b)
		if err != nil && !errors.Is(err, durable.ErrCorrupt) {
			t.Fatalf("damage not called damage: %v", err)
		}
		if err != nil && r.Sched != nil && r.await(entryUnused) != nil {
			return // of what was read before the damage, something does not fit
		}
		if r.Sched == nil || r.Sched.Shelf.N > 0 {
			return // there are no runs
		}
		const now = int64(1) << 60
		r.Opened(now)
		r.Restore(now)
		s := r.Sched
		dropped := s.Dropped
		if s.Queued != s.Live.N || s.Leased != 0 {
			t.Fatalf("%d queued and %d leased with %d live", s.Queued, s.Leased, s.Live.N)
		}
		for range s.Queued {
			at := s.NextEvent()
			if len(s.Ready) > 0 {
				at = now
			}
			s.Advance(at)
			i, ok := s.Lease(at)
			if !ok {
				t.Fatalf("nothing to lease at %d with %d queued", at, s.Queued)
			}
			s.Request(i)
			s.Done(i, &sched.Ended{At: at})
		}
		if s.Queued+s.Leased+s.Busy != 0 || s.Dropped != dropped {
			t.Fatalf("at the end %d queued, %d leased, %d dropped, %d hosts", s.Queued, s.Leased, s.Dropped, s.Busy)
		}
	})
}
