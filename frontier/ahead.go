package frontier

import (
	"errors"
	"maps"
	"sync"

	"github.com/webquarry/quarry/frontier/internal/request"
)

// Reading ahead: when the last request in memory of a host is leased, more of it
// are brought before they are needed, without the lock. If they are needed
// earlier, whoever needs them brings them, and what was read ahead is dropped.

// aheadBatch is how many hosts are read ahead between two holds of the lock, and
// aheadMost how many wait for that at most.
const (
	aheadBatch = 64
	aheadMost  = 1 << 16
	aheadGone  = 1 << 12 // requests taken out of turn, of which a copy is made
)

// ahead is the hosts whose requests are to be read ahead.
type ahead struct {
	hosts []numbered
	wake  chan struct{} // has room for one

	reading sync.RWMutex // held by who picks runs and reads them without the lock of the schedule
	changes int          // of what the runs are: shelving that began, merges that ended
}

// soon is told that more requests of a host will be needed.
func (st *store) soon(h uint32) {
	a := &st.ahead
	if len(a.hosts) == aheadMost {
		return
	}
	a.hosts = append(a.hosts, numbered{st.sched.Hosts.At(h).Key, h})
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// readAhead reads ahead until the frontier is closed.
func (d *Disk) readAhead() {
	defer d.running.Done()
	var readers []reader
	for {
		select {
		case <-d.store.ahead.wake:
		case <-d.quit:
			return
		}
		for {
			picks, err := d.fetchAhead(&readers)
			if len(picks) == 0 {
				break
			}
			if err == nil {
				err = d.bringAhead(picks)
			}
			if errors.Is(err, ErrClosed) {
				return
			}
			if err != nil {
				d.stop(diskError(err))
				return
			}
		}
	}
}

// fetchAhead picks and reads. Between the two no run is closed.
func (d *Disk) fetchAhead(readers *[]reader) ([]*pick, error) {
	d.store.ahead.reading.RLock()
	defer d.store.ahead.reading.RUnlock()
	picks, want := d.pickAhead()
	return picks, d.read(picks, want, readers)
}

// pickAhead picks what is read for the hosts that have waited longest, and says
// how many requests of each.
func (d *Disk) pickAhead() (picks []*pick, want int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := &d.store.ahead
	n := min(len(a.hosts), aheadBatch)
	if d.stopped != nil || d.store.filling != nil || len(d.sched.Shelf.Gone) > aheadGone {
		n = 0 // what is being put into a run cannot be read without the lock
		a.hosts = a.hosts[:0]
	}
	gone := maps.Clone(d.sched.Shelf.Gone)
	for _, x := range a.hosts[:n] {
		if d.cold(x) {
			p := d.store.pick(x.at, request.DueLane, false)
			p.gone = gone
			picks = append(picks, p)
		}
	}
	a.hosts = a.hosts[:copy(a.hosts, a.hosts[n:])]
	return picks, d.store.aheadOf(d.crowded(1))
}

// cold says whether a host has due requests, but none in memory.
func (d *Disk) cold(x numbered) bool {
	if x.at >= d.sched.Hosts.End {
		return false
	}
	ho := d.sched.Hosts.At(x.at)
	return ho.Key == x.key && ho.Lanes[request.DueLane] != 0 && ho.Queues[request.DueLane].N == 0
}

// read reads what was picked.
func (d *Disk) read(picks []*pick, want int, readers *[]reader) error {
	for _, p := range picks {
		select {
		case <-d.quit:
			return ErrClosed
		default:
		}
		if err := p.read(readers, want); err != nil {
			return err
		}
	}
	return nil
}

// bringAhead brings what was read, if nothing has changed meanwhile. After a merge
// nothing is: depths that were remembered may be in the new run alone. Nor is it if
// shelving has begun: a lane from which a request was taken and to which one was put
// may look as it did.
func (d *Disk) bringAhead(picks []*pick) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sched
	for _, p := range picks {
		h, ok := s.Hosts.Find(p.host)
		if d.stopped != nil {
			return ErrClosed
		}
		if !ok || p.changes != d.store.ahead.changes || !d.cold(numbered{p.host, h}) ||
			*s.Shelf.Lanes.At(s.Hosts.At(h).Lanes[request.DueLane]) != p.lane {
			continue
		}
		if p.miscounted() {
			return d.store.miscounted()
		}
		slots, err := d.store.insert(h, &p.moved)
		if err != nil {
			return err
		}
		for _, i := range slots {
			s.Enqueue(s.Hosts.At(h), request.DueLane, i)
		}
		s.Settle(h, s.Now)
	}
	return nil
}
