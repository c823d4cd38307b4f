package frontier

import (
	"errors"
	"testing"
	"time"

	"github.com/webquarry/quarry/internal/durable"
)

// sample is a record with an entry of each kind.
func sample(generation uint64, state bool) []byte {
	var e entries
	e.head(42, generation)
	fp := func(u string) uint64 { return fingerprint(u, 42) }
	e.first(&Request{URL: "http://a.test/1", Label: "x"}, 5)
	e.add(&Request{URL: "http://a.test/2", Depth: 3})
	e.lower(fp("http://a.test/2"), 1)
	e.lease(fp("http://a.test/1"), 0, 10)
	e.done(ended{fp: fp("http://a.test/1"), start: 10, at: 20, ask: 1000})
	e.lease(fp("http://a.test/2"), 2, 30)
	e.done(ended{fp: fp("http://a.test/2"), start: 30, at: 40, again: &Request{URL: "http://a.test/2", Attempt: 3, Due: time.Unix(0, 50)}})
	e.lease(fp("http://a.test/2"), 3, 60)
	e.opened(70)
	if state {
		e.seen([]uint64{1, 2, 3})
		e.queued(17, &Request{URL: "http://b.test/1"})
		e.host(fp("http://b.test"), 9, rest{start: 1, until: 2, gap: 3, asked: 4})
		e.end(3, 1)
	}
	return e.b
}

func TestReplay(t *testing.T) {
	t.Parallel()
	r := &replay{generation: 7}
	if err := r.record(sample(7, true)); err != nil {
		t.Fatal(err)
	}
	s := r.sched
	if !r.ended || r.leases() || len(s.seen) != 6 || len(s.live) != 2 || s.seq < 17 {
		t.Errorf("ended %v, leases %v, %d seen, %d live, seq %d", r.ended, r.leases(), len(s.seen), len(s.live), s.seq)
	}
	i := s.live[fingerprint("http://a.test/2", 42)]
	if got := s.request(i); got != (Request{URL: "http://a.test/2", Attempt: 4, Due: fromNanos(50)}) {
		t.Errorf("got %+v", got)
	}
	if c := s.hosts.at(s.slots[i].host).clock; c != (rest{start: 70, until: 1020, gap: 0, asked: 40}) {
		t.Errorf("clock %+v", c)
	}
	// Every entry once more changes nothing but the order of queueing.
	twice := &replay{generation: 7, sched: s}
	if err := twice.record(sample(7, false)); err != nil {
		t.Fatal(err)
	}
	if got := s.request(i); len(s.seen) != 6 || len(s.live) != 2 || got.Attempt != 4 {
		t.Errorf("applied twice: %d seen, %d live, %+v", len(s.seen), len(s.live), got)
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
		"entry before the head": {&replay{}, early.b},
		"two heads":             {&replay{generation: 7}, append(append([]byte{}, sample(7, false)...), sample(7, false)...)},
		"after the end":         {&replay{generation: 7}, append(append([]byte{}, good...), early.b...)},
		"wrong generation":      {&replay{generation: 8}, good},
		"wrong seed":            {&replay{generation: 7, sched: newSchedule(Limits{}, 42)}, wrong.b},
		"unknown kind":          {&replay{generation: 7}, append(append([]byte{}, sample(7, false)...), 99)},
		"kind 0":                {&replay{generation: 7}, append(append([]byte{}, sample(7, false)...), 0)},
	} {
		if err := x.r.record(x.b); !errors.Is(err, durable.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for n := range good {
		r := &replay{generation: 7}
		if err := r.record(good[:n]); err != nil && !errors.Is(err, durable.ErrCorrupt) || r.ended {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	r := &replay{}
	err := diskError(r.record([]byte{entryHead, stateVersion + 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
	if !errors.Is(err, ErrVersion) || errors.Is(err, ErrCorrupt) {
		t.Errorf("another version: %v", err)
	}
}

// FuzzReplay applies arbitrary bytes; what was taken is then used.
func FuzzReplay(f *testing.F) {
	f.Add(sample(0, true))
	f.Add(sample(0, false))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := &replay{}
		if err := r.record(b); err != nil && !errors.Is(err, durable.ErrCorrupt) {
			t.Fatalf("damage not called damage: %v", err)
		}
		if r.sched == nil {
			return
		}
		const now = int64(1) << 60
		r.opened(now)
		r.restore(now)
		s := r.sched
		want := s.stats(len(s.seen))
		if want.Queued != len(s.live) || want.Leased != 0 {
			t.Fatalf("%+v with %d live", want, len(s.live))
		}
		for range want.Queued {
			at := s.nextEvent()
			if len(s.ready) > 0 {
				at = now
			}
			s.advance(at)
			i, ok := s.lease(at)
			if !ok {
				t.Fatalf("nothing to lease at %d: %+v", at, s.stats(len(s.seen)))
			}
			s.request(i)
			s.done(i, &ended{at: at})
		}
		if got := s.stats(len(s.seen)); got.Queued+got.Leased+got.Hosts != 0 || got.Seen != want.Seen {
			t.Fatalf("at the end: %+v", got)
		}
	})
}
