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

// lane reads what of a queue is not in memory.
func (r *replay) lane(d *decoder) error {
	s := r.sched
	key, domain, which := d.uint64(), d.uint64(), d.count(lanes-1)
	l := lane{n: uint32(d.count(math.MaxUint32)), depth: uint32(d.count(math.MaxInt32)), head: d.rank()}
	layers := make([]layer, 0, 1)
	for range d.count(uint64(len(d.b))) {
		layers = append(layers, d.layer())
	}
	if d.bad || len(layers) == 0 || l.n == 0 {
		d.fail()
		return nil
	}
	h, ok := s.hosts.find(key)
	if !ok {
		h = s.addHost(key, domain)
	}
	ho := s.hosts.at(h)
	if ho.lanes[which] != 0 {
		return fmt.Errorf("%w: a lane occurs twice", errRecord)
	}
	for i := len(layers) - 1; i > 0; i-- {
		var at uint32
		s.shelf.layers, s.shelf.unused, at = take(s.shelf.layers, s.shelf.unused)
		s.shelf.layers[at] = lower{layers[i], l.below}
		l.below = at
	}
	l.layer = layers[0]
	s.shelf.lanes, s.shelf.free, ho.lanes[which] = take(s.shelf.lanes, s.shelf.free)
	s.shelf.lanes[ho.lanes[which]] = l
	s.shelf.n += int(l.n)
	r.lanes++
	return nil
}

// moved applies that requests were brought to memory. Those that were shelved
// after the state was written are there already; so what is left may be less than
// it was, and its best no better.
func (r *replay) moved(d *decoder, last *Request) error {
	s := r.sched
	key, which, upTo, head := d.uint64(), d.count(lanes-1), d.rank(), d.rank()
	h, ok := s.hosts.find(key)
	n := 0
	for range d.count(uint64(len(d.b))) {
		seq := uint64(d.count(math.MaxInt))
		*last = d.request(last)
		if d.bad {
			return nil
		}
		c, err := newCandidate(*last, s.seed)
		if err != nil {
			return err
		}
		if _, live := s.live.find(c.fp); live {
			continue
		}
		if !ok || c.host != key {
			return fmt.Errorf("%w: %s is of another host", errRecord, c.URL)
		}
		if depth, ok := s.lowered[c.fp]; ok {
			c.Depth = min(c.Depth, int(depth))
			delete(s.lowered, c.fp)
		}
		s.fillAt(s.slot(c.fp, h), &c.Request, seq)
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
	if l == 0 || int(s.shelf.lanes[l].n) < n {
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
