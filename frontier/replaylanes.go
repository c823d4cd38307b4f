package frontier

import (
	"fmt"
	"math"
)

func (r *replay) run(d *decoder) {
	r.runs = append(r.runs, run{
		number: uint32(d.count(math.MaxUint32)),
		stamp:  uint32(d.count(math.MaxUint32)),
		count:  d.count(math.MaxInt),
		size:   int64(d.count(math.MaxInt)),
	})
}

func (d *decoder) rank() rank { return rank{d.uint64(), uint64(d.count(math.MaxInt))} }

func (d *decoder) layer() layer { return layer{uint32(d.count(math.MaxUint32)), d.rank()} }

// queued reads a request that is in memory.
func (r *replay) queued(d *decoder) error {
	x, s := &r.prev, r.sched
	d.shelved(x)
	if d.bad {
		return nil
	}
	if r.home == 0 || x.host != s.hosts.at(r.home).key {
		h, ok := s.hosts.find(x.host)
		if !ok {
			return fmt.Errorf("%w: a request of an unknown host", errRecord)
		}
		r.home = h
	}
	if math.IsNaN(math.Float64frombits(x.priority)) {
		return fmt.Errorf("%w: %s has no priority", errRecord, x.url)
	}
	fp := s.keyOf(x)
	r.slots = append(r.slots, indexCell{fp, s.readSlot(fp, r.home, x)})
	r.requests++
	return nil
}

// lane reads what of a queue of the last host is not in memory.
func (r *replay) lane(d *decoder) error {
	s := r.sched
	which := d.count(lanes - 1)
	l := lane{n: uint32(d.count(math.MaxUint32)), depth: uint32(d.count(math.MaxInt32)), head: d.rank()}
	r.layers = r.layers[:0]
	for range d.count(uint64(len(d.b))) {
		r.layers = append(r.layers, d.layer())
	}
	if d.bad || len(r.layers) == 0 || l.n == 0 || r.home == 0 {
		d.fail()
		return nil
	}
	ho := s.hosts.at(r.home)
	if ho.lanes[which] != 0 {
		return fmt.Errorf("%w: a lane occurs twice", errRecord)
	}
	for i := len(r.layers) - 1; i > 0; i-- {
		at := s.shelf.layers.take()
		*s.shelf.layers.at(at) = lower{r.layers[i], l.below}
		l.below = at
	}
	l.layer = r.layers[0]
	ho.lanes[which] = s.shelf.lanes.take()
	*s.shelf.lanes.at(ho.lanes[which]) = l
	s.shelf.n += int(l.n)
	r.lanes++
	return nil
}

// moved applies that requests were brought to memory. Those that were shelved
// after the state was written are there already; so what is left may be less than
// it was, and its best no better.
func (r *replay) moved(d *decoder) error {
	s := r.sched
	key, which, upTo, head := d.uint64(), d.count(lanes-1), d.rank(), d.rank()
	h, ok := s.hosts.find(key)
	n := 0
	var x shelved
	for range d.count(uint64(len(d.b))) {
		d.shelved(&x)
		if d.bad {
			return nil
		}
		fp := s.keyOf(&x)
		if _, live := s.live.find(fp); live {
			continue
		}
		if !ok || x.host != key || math.IsNaN(math.Float64frombits(x.priority)) {
			return fmt.Errorf("%w: %s is of another host", errRecord, x.url)
		}
		s.bringSlot(fp, h, &x)
		n++
	}
	return r.left(h, ok, which, upTo, head, n)
}

// left lowers what is not in memory of a host.
func (r *replay) left(h uint32, known bool, which int, upTo, head rank, n int) error {
	s := r.sched
	var l uint32
	if known {
		l = s.hosts.at(h).lanes[which]
	}
	if l == 0 && n == 0 {
		return nil
	}
	if l == 0 || int(s.shelf.lanes.at(l).n) < n {
		return fmt.Errorf("%w: more was brought to memory than there was", errRecord)
	}
	s.shelf.brought(s.hosts.at(h), which, upTo, head, n)
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
