package store

import "sync"

// aheadMost is how many hosts wait at most to be read ahead.
const aheadMost = 1 << 16

// Queue is the hosts whose requests are to be read ahead.
type Queue struct {
	Hosts []Numbered
	Wake  chan struct{} // has room for one

	Reading sync.RWMutex // held by who picks runs and reads them without the lock of the schedule
	Changes int          // of what the runs are: shelving that began, merges that ended
}

// Soon is told that more requests of a host will be needed.
func (st *Store) Soon(h uint32) {
	a := &st.Ahead
	if len(a.Hosts) == aheadMost {
		return
	}
	a.Hosts = append(a.Hosts, Numbered{st.Sched.Hosts.At(h).Key, h})
	select {
	case a.Wake <- struct{}{}:
	default:
	}
}

// Numbered is a host and its place in the table.
type Numbered struct {
	Key uint64
	At  uint32
}
