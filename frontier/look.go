package frontier

import (
	"net/netip"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
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
	Waiting State = "waiting" // of a host: its clock, the limit of visits at a time, or its share keeps it
	Idle    State = "idle"    // of a host: nothing of it is due
	Parked  State = "parked"  // of a host: as waiting, after too many failures by its [HostBudget], away for as long as [Outage] says, or by [HostControl]

	// Away is the state of a host that the last visit did not reach: it rests, or
	// is about to be probed, see [Outage].
	Away    State = "away"
	Blocked State = "blocked" // of a host: as waiting, by [HostControl]
	Dropped State = "dropped" // of a host, by its [HostBudget] or by [HostControl], or of a URL of it that is not waiting: it may have been visited before
)

// ByHand is the Reason of a [Host] that a [HostControl] has blocked or dropped.
const ByHand = "by hand"

// Host is what a [Memory] or [Disk] knows of a host.
type Host struct {
	Name   string // scheme, name and port, as http://example.com:8080
	State  State
	Next   time.Time     // no visit before, for all that the host's own clock says; zero: none was yet
	Gap    time.Duration // between the starts of two visits
	Queued int           // requests that wait
	Leased int           // requests being visited
	Addr   netip.Addr    // not valid: not known, or exempt
	Reason string        // of Dropped, Parked and Blocked: why
	HostRecord
}

// HostRecord is what is remembered of the visits to a host, since it was last
// forgotten.
type HostRecord struct {
	Visits int   // that ended
	Errors int   // of them in trouble
	Steps  int   // of back-off that the host is up
	Bytes  int64 // received from it
	Parked int   // how often it was parked by its budget

	Reached bool      // a visit reached it
	Missed  int       // visits in a row that did not reach it, since the folder was opened; see [Outage]
	Since   time.Time // when the first of them was over; zero: the last one reached it
}

// Explanation says what is known of a URL and what it waits for.
type Explanation struct {
	State   State
	Request Request   // of a URL that is queued or leased
	Since   time.Time // of a lease: when it began
	Due     time.Time // of a URL that is queued: not before, be it for its own, its host's, its domain's or its address's sake
	Reason  string    // of one that is Unknown: why Add refuses it, if it does; of one that is Dropped: why
	Host    Host      // of a URL that is no such host: Unknown

	// What a URL that is queued waits for. Ahead is how many requests of its host
	// are before it: of those that are due, or, if it is not due itself, of those
	// that are not.
	Waits Wait
	Ahead int

	// Last is its latest visit, if that was among the latest few thousand of all
	// that this process has seen end; else zero. More is not kept of a URL that is
	// done, so that a hundred million of them take no room.
	Last Visit
}

// Wait is what a URL waits for, the first of these that holds. It is empty when
// the URL would be the next of its host and could be leased now, but for hosts whose
// turn it is before.
type Wait string

// What a URL waits for.
const (
	ForDue          Wait = "its own time"
	ForPark         Wait = "its host, which is parked"
	ForBlock        Wait = "its host, which is blocked"
	ForOutage       Wait = "its host, which cannot be reached"
	ForHostClock    Wait = "the clock of its host"
	ForHostVisits   Wait = "visits of its host to end"
	ForShare        Wait = "the share of its host"
	ForDomainVisits Wait = "visits of its domain to end"
	ForDomainClock  Wait = "the clock of its domain"
	ForAddrVisits   Wait = "visits of its address to end"
	ForAddrClock    Wait = "the clock of its address"
	ForAllVisits    Wait = "visits of any host to end"
	ForOthers       Wait = "others of its host"
)

// waits says for what a request that waits does, and until when.
func waits(s *sched.Schedule, h uint32, which int, e *Explanation) {
	ho := s.Hosts.At(h)
	allowed := s.Allowed(ho)
	due := max(nanos(e.Request.Due), allowed)
	limits := groupWaits(s, ho, &due)
	e.Due = fromNanos(due)
	switch {
	case which == request.LaterLane && nanos(e.Request.Due) > s.Now:
		e.Waits = ForDue
	case e.Host.State == Blocked:
		e.Waits = ForBlock
	case e.Host.State == Parked:
		e.Waits = ForPark
	case e.Host.State == Away && allowed > s.Now:
		e.Waits = ForOutage
	case allowed > s.Now:
		e.Waits = ForHostClock
	case int(ho.Leased) >= s.VisitsOf(ho):
		e.Waits = ForHostVisits
	case ho.Where == sched.IsCapped:
		e.Waits = ForShare
	case limits != "":
		e.Waits = limits
	case s.Leased >= s.Global:
		e.Waits = ForAllVisits
	case e.Ahead > 0:
		e.Waits = ForOthers
	}
}

// groupWaits says what the domain and the address of a host hold it up for, and
// makes due later if their clocks do.
func groupWaits(s *sched.Schedule, ho *sched.Host, due *int64) (w Wait) {
	for i, g := range [...]uint32{ho.Domain, ho.Addr} {
		if g == 0 {
			continue
		}
		x := s.Groups.At(g)
		*due = max(*due, x.Pause)
		most, _ := s.LimitsOf(x)
		switch {
		case w != "":
		case int(x.Leased) >= most:
			w = [...]Wait{ForDomainVisits, ForAddrVisits}[i]
		case x.Pause > s.Now:
			w = [...]Wait{ForDomainClock, ForAddrClock}[i]
		}
	}
	return w
}

// look says what is known of a host.
func look(s *sched.Schedule, h uint32, name string) Host {
	ho := s.Hosts.At(h)
	r := s.RecordOf(ho)
	x := Host{
		Name:   name,
		State:  map[sched.Whereabouts]State{sched.IsIdle: Idle, sched.IsReady: Ready, sched.IsWaiting: Waiting, sched.IsCapped: Waiting, sched.IsResting: Idle}[ho.Where],
		Next:   fromNanos(s.Allowed(ho)),
		Gap:    time.Duration(max(s.Gap(r), ho.Clock.Gap)),
		Leased: int(ho.Leased),
		Addr:   s.AddrOf(ho),
	}
	x.Queued = s.QueuedOf(ho)
	if ho.Where == sched.IsIdle && ho.HasDue() {
		x.State = Waiting
	}
	if r != nil {
		x.HostRecord = HostRecord{Visits: r.Visits, Errors: r.Errors, Steps: r.Steps, Bytes: r.Bytes, Parked: r.Parked, Reached: r.Outage.Reached, Missed: r.Outage.N, Since: fromNanos(r.Outage.Since)}
		switch {
		case ho.Dropped():
			x.State, x.Reason = Dropped, r.Fate.String()
		case r.Blocked():
			x.State, x.Reason = Blocked, sched.ByHand.String()
		case r.ParkedUntil() > s.Now && s.Allowed(ho) > s.Now:
			x.State, x.Reason = Parked, r.WhyParked(s.Now)
		case r.Outage.N > 0:
			x.State = Away
		}
	}
	return x
}

// told turns the times of a host into those of the machine's clock.
func (x *Host) told(c clock) { x.Next, x.Since = c.outTime(x.Next), c.outTime(x.Since) }
