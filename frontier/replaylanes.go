package frontier

import (
	"fmt"
	"math"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/slab"
	"github.com/webquarry/quarry/frontier/internal/store"
)

func (r *replay) run(d *request.Decoder) {
	r.runs = append(r.runs, store.Run{
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
func (r *replay) queued(d *request.Decoder) error {
	x, s := &r.prev, r.sched
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
func (r *replay) lane(d *request.Decoder) error {
	s := r.sched
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
func (r *replay) moved(d *request.Decoder) error {
	s := r.sched
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
func (r *replay) left(h uint32, known bool, which int, upTo, head request.Rank, n int) error {
	s := r.sched
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
func (r *replay) guess(h uint32) {
	if r.guessed == nil {
		r.guessed = map[uint32]bool{}
	}
	r.guessed[h] = true
}

func (r *replay) gone(seq uint64) {
	if r.sched.Shelf.Gone == nil {
		r.sched.Shelf.Gone = map[uint64]struct{}{}
	}
	r.sched.Shelf.Gone[seq] = struct{}{}
}
