package frontier

import (
	"errors"
	"maps"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/store"
)

// Reading ahead: when the last request in memory of a host is leased, more of it
// are brought before they are needed, without the lock. If they are needed
// earlier, whoever needs them brings them, and what was read ahead is dropped.

// aheadBatch is how many hosts are read ahead between two holds of the lock.
const (
	aheadBatch = 64
	aheadGone  = 1 << 12 // requests taken out of turn, of which a copy is made
)

// readAhead reads ahead until the frontier is closed.
func (d *Disk) readAhead() {
	defer d.running.Done()
	var readers []store.Reader
	for {
		select {
		case <-d.store.Ahead.Wake:
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
func (d *Disk) fetchAhead(readers *[]store.Reader) ([]*store.Pick, error) {
	d.store.Ahead.Reading.RLock()
	defer d.store.Ahead.Reading.RUnlock()
	picks, want := d.pickAhead()
	return picks, d.read(picks, want, readers)
}

// pickAhead picks what is read for the hosts that have waited longest, and says
// how many requests of each.
func (d *Disk) pickAhead() (picks []*store.Pick, want int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := &d.store.Ahead
	n := min(len(a.Hosts), aheadBatch)
	if d.stopped != nil || d.store.Filling != nil || len(d.sched.Shelf.Gone) > aheadGone {
		n = 0 // what is being put into a run cannot be read without the lock
		a.Hosts = a.Hosts[:0]
	}
	gone := maps.Clone(d.sched.Shelf.Gone)
	for _, x := range a.Hosts[:n] {
		if d.cold(x) {
			p := d.store.Pick(x.At, request.DueLane, false)
			p.Gone = gone
			picks = append(picks, p)
		}
	}
	a.Hosts = a.Hosts[:copy(a.Hosts, a.Hosts[n:])]
	return picks, d.store.AheadOf(d.crowded(1))
}

// cold says whether a host has due requests, but none in memory.
func (d *Disk) cold(x store.Numbered) bool {
	if x.At >= d.sched.Hosts.End {
		return false
	}
	ho := d.sched.Hosts.At(x.At)
	return ho.Key == x.Key && ho.Lanes[request.DueLane] != 0 && ho.Queues[request.DueLane].N == 0
}

// read reads what was picked.
func (d *Disk) read(picks []*store.Pick, want int, readers *[]store.Reader) error {
	for _, p := range picks {
		select {
		case <-d.quit:
			return ErrClosed
		default:
		}
		if err := p.Read(readers, want); err != nil {
			return err
		}
	}
	return nil
}

// bringAhead brings what was read, if nothing has changed meanwhile. After a merge
// nothing is: depths that were remembered may be in the new run alone. Nor is it if
// shelving has begun: a lane from which a request was taken and to which one was put
// may look as it did.
func (d *Disk) bringAhead(picks []*store.Pick) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sched
	for _, p := range picks {
		h, ok := s.Hosts.Find(p.Host)
		if d.stopped != nil {
			return ErrClosed
		}
		if !ok || p.Changes != d.store.Ahead.Changes || !d.cold(store.Numbered{Key: p.Host, At: h}) ||
			*s.Shelf.Lanes.At(s.Hosts.At(h).Lanes[request.DueLane]) != p.Lane {
			continue
		}
		if p.Miscounted() {
			return d.store.Miscounted()
		}
		slots, err := d.store.Insert(h, &p.Moved)
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
