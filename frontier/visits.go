package frontier

import "time"

// Visit is a visit that ended, as its [Outcome] told.
type Visit struct {
	At      time.Time // when it ended
	Took    time.Duration
	Bytes   int64
	Trouble Trouble
	Again   time.Time // when the request is offered again; zero: never
}

// visitsKept is how many visits are kept, of 40 bytes each.
const visitsKept = 4096

// visits are the latest that ended.
type visits struct {
	ring []visit
	next int
}

type visit struct {
	fp              uint64
	at, took, bytes int64
	again           int64
	trouble         Trouble
}

func (v *visits) note(x visit) {
	if len(v.ring) < visitsKept {
		v.ring = append(v.ring, x)
		return
	}
	v.ring[v.next] = x
	v.next = (v.next + 1) % visitsKept
}

// find returns the latest visit of a URL.
func (v *visits) find(fp uint64) Visit {
	for i := range v.ring {
		x := &v.ring[(v.next+len(v.ring)-1-i)%len(v.ring)]
		if x.fp == fp {
			return Visit{At: fromNanos(x.at), Took: time.Duration(x.took), Bytes: x.bytes, Trouble: x.trouble, Again: fromNanos(x.again)}
		}
	}
	return Visit{}
}
