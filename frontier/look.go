package frontier

import (
	"net/netip"
	"time"
)

// State is where a URL or a host is.
type State string

// The states of URLs and of hosts.
const (
	Unknown State = "unknown" // never added
	Queued  State = "queued"  // of a URL: it waits for its time and turn
	Leased  State = "leased"  // of a URL: it is being visited
	Done    State = "done"    // of a URL: it was visited, and will not be again

	Ready   State = "ready"   // of a host: it may be visited now, if the limits of domain, address and all together allow it
	Waiting State = "waiting" // of a host: its clock, or the limit of visits at a time, keeps it
	Idle    State = "idle"    // of a host: nothing of it is due
	Dropped State = "dropped" // of a host, by its [HostBudget], or of a URL of it that is not waiting: it may have been visited before
)

// Host is what a [Memory] or [Disk] knows of a host.
type Host struct {
	State  State
	Next   time.Time     // no visit before, for all that the host's own clock says; zero: none was yet
	Gap    time.Duration // between the starts of two visits
	Leased int           // requests being visited
	Addr   netip.Addr    // not valid: not known, or exempt
	Visits int           // visits that ended, since the host was last forgotten
	Errors int           // of them in trouble
	Steps  int           // of back-off that the host is up
	Bytes  int64         // received from it
	Parked int           // how often it was parked
	Reason string        // of Dropped: why
}

// Explanation says what is known of a URL and what it waits for.
type Explanation struct {
	State   State
	Request Request   // of a URL that is queued or leased
	Since   time.Time // of a lease: when it began
	Due     time.Time // of a URL that is queued: not before, be it for the URL's or its host's sake
	Host    Host      // of a URL that is no such host: Unknown
}

// Explain says what is known of a URL. To tell one that waits on disk from one
// that is done it reads all that waits there of the host.
func (f *front) Explain(url string) Explanation {
	key, _, msg := splitHost(url)
	if msg != "" {
		return Explanation{State: Unknown, Host: Host{State: Unknown}}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.sched
	s.advance(f.clock.now())
	e := Explanation{State: Unknown, Host: Host{State: Unknown}}
	h, known := s.hosts.find(fingerprint(key, s.seed))
	if known {
		e.Host = s.look(h)
	}
	fp := fingerprint(url, s.seed)
	i, live := s.live.find(fp)
	seen, _ := f.seen.HasOne(fp)
	switch {
	case live && s.slots.at(i).leased:
		e.State, e.Request, e.Since = Leased, s.request(i), fromNanos(s.slots.at(i).due)
	case live:
		e.State, e.Request = Queued, s.request(i)
		e.Due = fromNanos(max(s.slots.at(i).due, s.allowed(s.hosts.at(s.slots.at(i).host))))
	case seen && e.Host.State == Dropped:
		e.State = Dropped
	case seen:
		e.State = Done
		if !known {
			break // its host has nothing that waits
		}
		if req, ok := s.shelved(h, url); ok {
			e.State, e.Request = Queued, req
			e.Due = fromNanos(max(nanos(req.Due), s.allowed(s.hosts.at(h))))
		}
	}
	return e
}

// look says what is known of a host.
func (s *schedule) look(h uint32) Host {
	ho := s.hosts.at(h)
	x := Host{
		State:  map[whereabouts]State{isIdle: Idle, isReady: Ready, isWaiting: Waiting, isResting: Idle}[ho.where],
		Next:   fromNanos(s.allowed(ho)),
		Gap:    time.Duration(max(s.gap(s.recordOf(ho)), ho.clock.gap)),
		Leased: int(ho.leased),
		Addr:   s.addrOf(ho),
	}
	if ho.where == isIdle && ho.hasDue() {
		x.State = Waiting
	}
	if r := s.recordOf(ho); r != nil {
		x.Visits, x.Errors, x.Steps, x.Bytes, x.Parked = r.visits, r.errors, r.steps, r.bytes, r.parked
		if ho.dropped() {
			x.State, x.Reason = Dropped, r.fate.String()
		}
	}
	return x
}
