package frontier

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
	var e entries
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
	e.opened(70)
	if state {
		e.run(&store.Run{Number: 3, Stamp: 4, Count: 5, Size: 600})
		e.host(fp("http://b.test"), 9, sched.Rest{Start: 1, Until: 2, Gap: 3, Asked: 4})
		e.queued(&request.Stored{Host: fp("http://b.test"), Seq: 17, URL: []byte("http://b.test/1")})
		e.lane(request.DueLane, &sched.Lane{N: 4, Depth: 2, Head: request.Rank{Key: 6, Seq: 7}, Layer: sched.Layer{From: 2, UpTo: request.Rank{Key: 5, Seq: 6}}}, []sched.Below{{Layer: sched.Layer{From: 1, UpTo: request.Rank{Key: 8, Seq: 9}}}})
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
	if !r.ended || r.leases() || len(r.fps) != 2 || s.Live.N != 2 || s.Seq != 20 {
		t.Errorf("ended %v, leases %v, %d URLs, %d live, seq %d", r.ended, r.leases(), len(r.fps), s.Live.N, s.Seq)
	}
	i, _ := s.Live.Find(request.Fingerprint("http://a.test/2", 42))
	if got := s.Request(i); got != (request.Request{URL: "http://a.test/2", Attempt: 4, Due: 50}) {
		t.Errorf("got %+v", got)
	}
	if c := s.Hosts.At(s.Slots.At(i).Host).Clock; c != (sched.Rest{Start: 70, Until: 1020, Gap: 0, Asked: 40}) {
		t.Errorf("clock %+v", c)
	}
	h, ok := s.Hosts.Find(request.Fingerprint("http://b.test", 42))
	if !ok || s.Shelf.N != 4 || s.Shelf.Lanes.At(s.Hosts.At(h).Lanes[request.DueLane]).Below == 0 || r.number != 3 || s.Shelf.Stamp != 4 {
		t.Errorf("shelf %+v", s.Shelf)
	}
	if len(r.runs) != 1 || r.runs[0].Size != 600 {
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
		"wrong seed":            {&replay{generation: 7, sets: sets{seen: seen.New()}, sched: sched.New(Limits{}.bounds(), 42)}, wrong.b},
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
		if r.sched == nil || r.sched.Shelf.N > 0 {
			return // there are no runs
		}
		const now = int64(1) << 60
		r.opened(now)
		r.restore(now)
		s := r.sched
		want := statsOf(s, 0, 0)
		if want.Queued != s.Live.N || want.Leased != 0 {
			t.Fatalf("%+v with %d live", want, s.Live.N)
		}
		for range want.Queued {
			at := s.NextEvent()
			if len(s.Ready) > 0 {
				at = now
			}
			s.Advance(at)
			i, ok := s.Lease(at)
			if !ok {
				t.Fatalf("nothing to lease at %d: %+v", at, statsOf(s, 0, 0))
			}
			s.Request(i)
			s.Done(i, &sched.Ended{At: at})
		}
		if got := statsOf(s, 0, 0); got.Queued+got.Leased+got.Hosts != 0 || got.Seen != want.Seen {
			t.Fatalf("at the end: %+v", got)
		}
	})
}
