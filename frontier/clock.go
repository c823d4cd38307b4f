package frontier

import (
	"math"
	"time"

	"github.com/webquarry/quarry/frontier/internal/sched"
)

// clock tells the time in nanoseconds since 1970. It begins with the time of the machine's
// clock, or with the latest time that a folder tells of if that is later, and from then on
// runs by the monotonic clock alone. So it never goes back, and whoever sets the machine's
// clock, while a frontier is open or between two processes, makes no gap shorter, no rest
// longer and no lease end early. While no process has the folder open there is only the machine's
// clock to go by: set forward meanwhile, it cannot be told from time that has passed.
type clock struct {
	start time.Time
	ahead int64 // of the machine's clock as it was at start; not negative
}

func startClock() clock { return clock{start: time.Now()} }

// notBefore has a clock that was started go on from a time, if that is later.
func (c *clock) notBefore(latest int64) { c.ahead = max(latest-c.start.UnixNano(), 0) }

func (c clock) now() int64 { return c.at(time.Now()) }

// at is the time of the clock at a reading of time.Now.
func (c clock) at(reading time.Time) int64 {
	return sched.After(c.start.UnixNano(), c.ahead) + int64(reading.Sub(c.start))
}

// sameTime is how far the two clocks of a machine, the one that can be set and the one
// that cannot, may drift apart before the first counts as set.
const sameTime = time.Second

// in is a time of the machine's as this clock tells it; the zero time is 0. A time with a
// monotonic reading, such as that of time.Now().Add(d), is what it was meant to be
// even if the machine's clock is set before it comes.
func (c clock) in(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	now := time.Now()
	n := c.at(now)
	if d := int64(t.Sub(now)); d > 0 {
		n = sched.After(n, d)
	} else {
		n = max(n+d, 1)
	}
	if said := sched.After(nanos(t), c.ahead); said-n < int64(sameTime) && n-said < int64(sameTime) {
		return said // but for the nanoseconds between two readings
	}
	return n
}

// out is the reverse of in, for a time without a monotonic reading.
func (c clock) out(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	now := time.Now()
	behind := c.at(now) - now.UnixNano()
	if d := behind - c.ahead; d < int64(sameTime) && -d < int64(sameTime) {
		behind = c.ahead
	}
	if behind < 0 {
		return fromNanos(sched.After(n, -behind))
	}
	return fromNanos(max(n-behind, 1))
}

// machine is a time to come with a monotonic reading, so that it can be compared with
// time.Now whatever the machine's clock is set to; 0 is the zero time.
func (c clock) machine(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	now := time.Now()
	return now.Add(time.Duration(n - c.at(now)))
}

// asked is when an outcome says that its host was last asked; zero: it does not say.
func (c clock) asked(out *Outcome) int64 {
	if out.Asked.IsZero() || out.Unvisited {
		return 0
	}
	return c.at(out.Asked)
}

// outTime is out of one time.Time as another.
func (c clock) outTime(t time.Time) time.Time { return c.out(nanos(t)) }

// nanos is a time as the clock tells it; zero stays zero. Times beyond the range
// of nanoseconds become its ends.
func nanos(t time.Time) int64 {
	switch sec := t.Unix(); {
	case t.IsZero():
		return 0
	case sec >= math.MaxInt64/int64(time.Second):
		return math.MaxInt64
	case sec < 0:
		return 1
	}
	return max(t.UnixNano(), 1)
}

// fromNanos is the reverse of nanos.
func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
