package frontier

// host is a scheme, name and port of which something is queued or leased, or
// whose clock has not run out yet.
type host struct {
	key    uint64
	domain uint32 // group of its registrable domain
	addr   uint32 // group of its address; 0: not known
	cell   uint32
	leased int
	clock  rest
	rec    *record       // nil: nothing
	queue  []uint32      // requests that are due, heap by rank
	later  []uint32      // requests that are not, heap by due time
	lanes  [lanes]uint32 // what of both is not in memory, in schedule.shelf; 0: nothing
	standing
}

// standing is where a host stands among the others.
type standing struct {
	where whereabouts
	at    int    // place in the heap that where names
	alarm int    // place in schedule.later, from 1; 0: not there
	wake  int64  // when it leaves waiting or resting
	since int64  // when it became ready
	turn  uint64 // order of hosts that are ready since the same time
}

// busy says whether anything of the host is queued or leased.
func (h *host) busy() bool { return h.leased > 0 || h.hasDue() || h.hasLater() }

// whereabouts of a host.
type whereabouts uint8

const (
	isIdle    whereabouts = iota // nothing to lease, or no more leases allowed
	isReady                      // in the heap of its cell
	isWaiting                    // until its clock allows a visit
	isResting                    // nothing queued or leased, until it may be forgotten
)

// rest is the politeness clock of a host in nanoseconds.
type rest struct {
	start int64 // of the last visit
	until int64 // no visit before, as the host asked
	gap   int64 // between visits, as the host asked
	asked int64 // when the host set gap
}

// allowed is when the next visit may start.
func (r rest) allowed(delay int64) int64 {
	if r.start == 0 {
		return r.until
	}
	return max(r.until, after(r.start, max(delay, r.gap)))
}
