package wal

import (
	"fmt"
	"math"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/slab"
	"github.com/webquarry/quarry/frontier/internal/store"
)

func (r *Replay) run(d *request.Decoder) {
	r.Runs = append(r.Runs, store.Run{
		Number: uint32(d.Count(math.MaxUint32)),
		Stamp:  uint32(d.Count(math.MaxUint32)),
		Count:  d.Count(math.MaxInt),
		Size:   int64(d.Count(math.MaxInt)),
	})
}

func readLayer(d *request.Decoder) sched.Layer {
	return sched.Layer{From: uint32(d.Count(math.MaxUint32)), UpTo: d.Rank()}
}

// queued reads a request that is in memory.
func (r *Replay) queued(d *request.Decoder) error {
	x, s := &r.prev, r.Sched
	d.Stored(x)
	if d.Bad {
		return nil
	}
	if r.home == 0 || x.Host != s.Hosts.At(r.home).Key {
		h, ok := s.Hosts.Find(x.Host)
		if !ok {
			return fmt.Errorf("%w: a request of an unknown host", request.ErrRecord)
		}
		r.home = h
	}
	if math.IsNaN(math.Float64frombits(x.Priority)) {
		return fmt.Errorf("%w: %s has no priority", request.ErrRecord, x.URL)
	}
	fp := s.KeyOf(x)
	r.slots = append(r.slots, slab.IndexCell{Key: fp, Number: s.ReadSlot(fp, r.home, x)})
	r.requests++
	return nil
}

// lane reads what of a queue of the last host is not in memory.
func (r *Replay) lane(d *request.Decoder) error {
	s := r.Sched
	which := d.Count(request.Lanes - 1)
	l := sched.Lane{N: uint32(d.Count(math.MaxUint32)), Depth: uint32(d.Count(math.MaxInt32)), Head: d.Rank()}
	r.layers = r.layers[:0]
	for range d.Count(uint64(len(d.B))) {
		r.layers = append(r.layers, readLayer(d))
	}
	if d.Bad || len(r.layers) == 0 || l.N == 0 || r.home == 0 {
		d.Fail()
		return nil
	}
	ho := s.Hosts.At(r.home)
	if ho.Lanes[which] != 0 {
		return fmt.Errorf("%w: a lane occurs twice", request.ErrRecord)
	}
	for i := len(r.layers) - 1; i > 0; i-- {
		at := s.Shelf.Layers.Take()
		*s.Shelf.Layers.At(at) = sched.Below{Layer: r.layers[i], Below: l.Below}
		l.Below = at
	}
	l.Layer = r.layers[0]
	ho.Lanes[which] = s.Shelf.Lanes.Take()
	*s.Shelf.Lanes.At(ho.Lanes[which]) = l
	s.Shelf.N += int(l.N)
	r.lanes++
	return nil
}

// moved applies that requests were brought to memory. Those that were shelved
// after the state was written are there already; so what is left may be less than
// it was, and its best no better.
func (r *Replay) moved(d *request.Decoder) error {
	s := r.Sched
	key, which, upTo, head := d.Uint64(), d.Count(request.Lanes-1), d.Rank(), d.Rank()
	h, ok := s.Hosts.Find(key)
	n := 0
	var x request.Stored
	for range d.Count(uint64(len(d.B))) {
		d.Stored(&x)
		if d.Bad {
			return nil
		}
		fp := s.KeyOf(&x)
		if _, live := s.Live.Find(fp); live {
			continue
		}
		if !ok || x.Host != key || math.IsNaN(math.Float64frombits(x.Priority)) {
			return fmt.Errorf("%w: %s is of another host", request.ErrRecord, x.URL)
		}
		s.BringSlot(fp, h, &x)
		n++
	}
	return r.left(h, ok, which, upTo, head, n)
}

// left lowers what is not in memory of a host.
func (r *Replay) left(h uint32, known bool, which int, upTo, head request.Rank, n int) error {
	s := r.Sched
	var l uint32
	if known {
		l = s.Hosts.At(h).Lanes[which]
	}
	if l == 0 && n == 0 {
		return nil
	}
	if l == 0 || int(s.Shelf.Lanes.At(l).N) < n {
		return fmt.Errorf("%w: more was brought to memory than there was", request.ErrRecord)
	}
	s.Shelf.Brought(s.Hosts.At(h), which, upTo, head, n)
	r.guess(h)
	return nil
}

// guess notes that the lanes of a host may seem better than they are.
func (r *Replay) guess(h uint32) {
	if r.Guessed == nil {
		r.Guessed = map[uint32]bool{}
	}
	r.Guessed[h] = true
}

// expired applies that a lease has ended by itself.
func (r *Replay) expired(d *request.Decoder) {
	i, ok := r.Sched.Live.Find(d.Uint64())
	if !ok || !r.Sched.Slots.At(i).Leased {
		d.Fail()
		return
	}
	r.Sched.Lost(i)
}

// located applies that the address of a host has become known.
func (r *Replay) located(d *request.Decoder) {
	key, addr := d.Uint64(), d.Addr()
	if h, ok := r.Sched.Hosts.Find(key); ok && !d.Bad {
		r.Sched.SetAddr(h, addr)
	}
}

// reprice applies that a request in memory has another priority.
func (r *Replay) reprice(d *request.Decoder) {
	fp, priority := d.Uint64(), math.Float64frombits(d.Uint64())
	i, ok := r.Sched.Live.Find(fp)
	if !ok || math.IsNaN(priority) {
		d.Fail()
	} else if !d.Bad {
		r.Sched.Reprice(i, priority)
	}
}

// taken applies that a request was brought to memory out of its turn, with
// another priority. If it was shelved after the state was written, it is there.
func (r *Replay) taken(d *request.Decoder, last *request.Request) error {
	x := sched.Outlier{Lane: d.Count(request.Lanes - 1)}
	x.Seq = uint64(d.Count(math.MaxInt))
	*last = d.Request(last)
	if d.Bad {
		return nil
	}
	x.Request = *last
	s := r.Sched
	c, msg := sched.NewCandidate(x.Request, s.Seed)
	if msg != "" {
		return fmt.Errorf("%w: %s: %s", request.ErrRecord, x.Request.URL, msg)
	}
	if i, live := s.Live.Find(c.FP); live {
		s.Reprice(i, x.Priority)
		return nil
	}
	h, ok := s.Hosts.Find(c.Host)
	if !ok || s.Hosts.At(h).Lanes[x.Lane] == 0 {
		d.Fail()
		return nil
	}
	delete(s.Lowered, c.FP)
	s.Shelf.TakeOut(s.Hosts.At(h), x.Lane, x.Seq)
	s.Insert(&c.Request, c.FP, h)
	r.guess(h)
	return nil
}
