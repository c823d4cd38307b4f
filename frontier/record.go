package frontier

import (
	"math"
	"net/netip"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// Back-off of a host in trouble: the first rest, which doubles with each step.
const (
	restRefused = time.Minute
	restSlow    = 10 * time.Second
	longestRest = 24 * time.Hour
	longestSlow = 5 * time.Minute // a few pages that hang must not keep a crawl from the rest of their host
	forgiveStep = 8               // visits without trouble that take a step back
	maxSteps    = 20
)

// record is what is remembered of the visits to a host. It is made for the first
// of which there is something to tell.
type record struct {
	visits   int   // that are over
	bytes    int64 // of them all
	errors   int   // visits in trouble
	row      int   // the last of them, those that began before the one before was over aside
	steps    int   // of back-off
	good     int   // visits without trouble since the last step
	troubled int64 // when the last one in row was over
	took     int64 // smoothed
	parked   int   // how often
	fate     fate
	away     int64 // parked until then, if the clock says so, too
	dropped  int   // URLs that were dropped since it was last wanted
	hold     int64 // not visited before, by hand; forEver: until it is ordered otherwise
	outage   lapse
}

// told says whether a visit has something to tell of its host.
func (v *ended) told() bool {
	return v.addr.IsValid() || v.took > 0 || v.bytes > 0 || v.trouble != NoTrouble
}

// judge notes what a visit tells of its host, before it is ended, and makes the
// rest that the host asks for longer if there was trouble.
func (s *schedule) judge(i uint32, v *ended) {
	h := s.slots.At(i).host
	ho := s.hosts.At(h)
	if ho.record == 0 {
		if !v.told() && !s.budget.limited() {
			return
		}
		ho.record = s.records.Take()
	}
	r := s.recordOf(ho)
	before := *r
	defer func() { // when all that the visit tells is noted
		s.budget.spend(r, v)
		if ho.fate = r.fate; ho.fate != before.fate {
			s.droppedHosts++
			s.setLapse(r, lapse{reached: r.outage.reached})
		}
		if until := r.parkedUntil(); until > v.at {
			s.park(h, until)
		}
		s.remember(ho, r, i)
	}()
	if v.told() && v.trouble != Unreached && (r.outage.n > 0 || !r.outage.reached) {
		s.unparkNow(h, r)
		s.setLapse(r, lapse{reached: true})
	}
	s.moveTo(h, v.addr)
	r.visits++
	r.bytes += v.bytes
	switch {
	case v.took <= 0:
	case r.took == 0:
		r.took = v.took
	default:
		r.took += (v.took - r.took) / 4
	}
	if v.trouble == NoTrouble {
		r.goesWell()
		return
	}
	r.errors++
	if s.slots.At(i).due <= r.troubled {
		return // it began before the host was known to be in trouble
	}
	r.row++
	r.troubled, r.good = v.at, 0
	switch v.trouble {
	case Unreached:
		s.setLapse(r, s.outage.missed(r.outage, v.at, s.maxDelay, ho.key))
	case Slow, Refused:
		r.steps = min(r.steps+1, maxSteps)
		v.ask = max(v.ask, r.backOff(v.trouble, ho.key))
	}
}

// remember keeps the name of a host that is parked or dropped: it may have no URL
// soon that tells it.
func (s *schedule) remember(ho *host, r *record, i uint32) {
	if r.fate == isWanted && r.parked == 0 {
		return
	}
	if _, ok := s.names[ho.key]; !ok {
		s.call(ho.key, s.origin(i))
	}
}

// call keeps the name of a host by its key.
func (s *schedule) call(host uint64, name string) {
	if s.names == nil {
		s.names = map[uint64]string{}
	}
	s.names[host] = name
}

// origin is scheme, name and port of the host of a request in memory.
func (s *schedule) origin(i uint32) string {
	r := s.request(i)
	key, _, _ := request.SplitHost(r.URL)
	return key
}

func (r *record) goesWell() {
	r.row = 0
	if r.good++; r.good >= forgiveStep && r.steps > 0 {
		r.steps--
		r.good = 0
	}
}

// backOff is how long a host rests for the steps taken so far: up to a fifth
// longer than the steps say, so that hosts in trouble at the same time do not
// come back at the same time.
func (r *record) backOff(t Trouble, key uint64) int64 {
	first, longest := restRefused, longestRest
	if t == Slow {
		first, longest = restSlow, longestSlow
	}
	d := int64(min(first<<(r.steps-1), longest))
	return d + fifth(d, key^uint64(r.troubled))
}

// fifth is up to a fifth of d, by what of.
func fifth(d int64, of uint64) int64 { return d / 5 * int64(of*0x9e3779b97f4a7c15>>48) >> 16 }

// gap is the least time between two visits of a host, unless it asks for more.
func (s *schedule) gap(r *record) int64 {
	if r == nil || r.took == 0 || s.factor == 0 {
		return s.delay
	}
	return max(s.delay, int64(min(s.factor*float64(r.took), float64(s.factorCap))))
}

// allowed is when the next visit of a host may start, for all that is known of
// the host alone.
func (s *schedule) allowed(ho *host) int64 {
	r := s.recordOf(ho)
	t := ho.clock.allowed(s.gap(r))
	if r != nil {
		t = max(t, r.outage.until, r.hold)
	}
	return t
}

// kept is until when a host of which nothing is queued or leased is remembered:
// its last visit counts for the clocks of its groups, too. What else is known of
// those has no say, as it differs after a restart.
func (s *schedule) kept(ho *host) int64 {
	t := s.allowed(ho)
	if start := ho.clock.start; start > 0 {
		t = max(t, after(start, s.domainDelay), after(start, s.ipDelay))
	}
	switch r := s.recordOf(ho); {
	case r == nil:
	case r.fate != isWanted || s.budget.limited():
		return math.MaxInt64
	case r.steps > 0 || r.row > 0:
		return max(t, after(r.troubled, int64(longestRest)))
	}
	return t
}

// learn replaces what is known of a host by what is written of it, unless that
// is older.
func (s *schedule) learn(h uint32, r *record, addr netip.Addr) {
	ho := s.hosts.At(h)
	if old := s.recordOf(ho); old == nil || r.visits >= old.visits {
		s.setRecord(ho, r)
		s.setAddr(h, addr)
	}
}

// tell notes what an outcome tells of the host.
func (v *ended) tell(out *Outcome) *ended {
	v.took, v.bytes = max(int64(out.Took), 0), max(out.Bytes, 0)
	v.trouble, v.addr = out.Trouble, out.Addr
	return v
}
