package frontier

import (
	"fmt"
	"math"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/slab"
)

func (r *replay) run(d *request.Decoder) {
	r.runs = append(r.runs, run{
		number: uint32(d.Count(math.MaxUint32)),
		stamp:  uint32(d.Count(math.MaxUint32)),
		count:  d.Count(math.MaxInt),
		size:   int64(d.Count(math.MaxInt)),
	})
}

func readLayer(d *request.Decoder) layer { return layer{uint32(d.Count(math.MaxUint32)), d.Rank()} }

// queued reads a request that is in memory.
func (r *replay) queued(d *request.Decoder) error {
	x, s := &r.prev, r.sched
	d.Stored(x)
	if d.Bad {
		return nil
	}
	if r.home == 0 || x.Host != s.hosts.At(r.home).key {
		h, ok := s.hosts.Find(x.Host)
		if !ok {
			return fmt.Errorf("%w: a request of an unknown host", request.ErrRecord)
		}
		r.home = h
	}
	if math.IsNaN(math.Float64frombits(x.Priority)) {
		return fmt.Errorf("%w: %s has no priority", request.ErrRecord, x.URL)
	}
	fp := s.keyOf(x)
	r.slots = append(r.slots, slab.IndexCell{Key: fp, Number: s.readSlot(fp, r.home, x)})
	r.requests++
	return nil
}

// lane reads what of a queue of the last host is not in memory.
func (r *replay) lane(d *request.Decoder) error {
	s := r.sched
	which := d.Count(request.Lanes - 1)
	l := lane{n: uint32(d.Count(math.MaxUint32)), depth: uint32(d.Count(math.MaxInt32)), head: d.Rank()}
	r.layers = r.layers[:0]
	for range d.Count(uint64(len(d.B))) {
		r.layers = append(r.layers, readLayer(d))
	}
	if d.Bad || len(r.layers) == 0 || l.n == 0 || r.home == 0 {
		d.Fail()
		return nil
	}
	ho := s.hosts.At(r.home)
	if ho.lanes[which] != 0 {
		return fmt.Errorf("%w: a lane occurs twice", request.ErrRecord)
	}
	for i := len(r.layers) - 1; i > 0; i-- {
		at := s.shelf.layers.Take()
		*s.shelf.layers.At(at) = lower{r.layers[i], l.below}
		l.below = at
	}
	l.layer = r.layers[0]
	ho.lanes[which] = s.shelf.lanes.Take()
	*s.shelf.lanes.At(ho.lanes[which]) = l
	s.shelf.n += int(l.n)
	r.lanes++
	return nil
}

// moved applies that requests were brought to memory. Those that were shelved
// after the state was written are there already; so what is left may be less than
// it was, and its best no better.
func (r *replay) moved(d *request.Decoder) error {
	s := r.sched
	key, which, upTo, head := d.Uint64(), d.Count(request.Lanes-1), d.Rank(), d.Rank()
	h, ok := s.hosts.Find(key)
	n := 0
	var x request.Stored
	for range d.Count(uint64(len(d.B))) {
		d.Stored(&x)
		if d.Bad {
			return nil
		}
		fp := s.keyOf(&x)
		if _, live := s.live.Find(fp); live {
			continue
		}
		if !ok || x.Host != key || math.IsNaN(math.Float64frombits(x.Priority)) {
			return fmt.Errorf("%w: %s is of another host", request.ErrRecord, x.URL)
		}
		s.bringSlot(fp, h, &x)
		n++
	}
	return r.left(h, ok, which, upTo, head, n)
}

// left lowers what is not in memory of a host.
func (r *replay) left(h uint32, known bool, which int, upTo, head request.Rank, n int) error {
	s := r.sched
	var l uint32
	if known {
		l = s.hosts.At(h).lanes[which]
	}
	if l == 0 && n == 0 {
		return nil
	}
	if l == 0 || int(s.shelf.lanes.At(l).n) < n {
		return fmt.Errorf("%w: more was brought to memory than there was", request.ErrRecord)
	}
	s.shelf.brought(s.hosts.At(h), which, upTo, head, n)
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
	if r.sched.shelf.gone == nil {
		r.sched.shelf.gone = map[uint64]struct{}{}
	}
	r.sched.shelf.gone[seq] = struct{}{}
}
