package frontier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/webquarry/quarry/frontier/internal/request"
	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/internal/durable"
)

// Stats counts what a Frontier holds.
type Stats struct {
	Seen    int // distinct URLs ever added
	Queued  int // waiting, those due later included
	Due     int // of these, those whose own time has come; while its host rests it does not
	Leased  int // being visited
	Done    int // visited; not to be visited again
	Dropped int // not visited, and not to be, because of a [HostBudget] or by [HostControl]
	Hosts   int // hosts with something queued or leased
	States  HostStats

	AddRate   float64 // new URLs a second over the last minute
	VisitRate float64 // visits that ended a second over the last minute
}

// HostStats counts hosts by what they do.
type HostStats struct {
	Known   int // of which anything is remembered
	Ready   int // that may be visited now, if domain, address and all together allow it
	Waiting int // with something due that must wait for their clock or their share
	Parked  int // of these, those that are parked
	Away    int // that the last visit did not reach, those that are parked for it included
	Blocked int // of those that wait or have nothing to do, those that are blocked by hand
	Dropped int
}

// Stats implements [Frontier].
func (f *front) Stats(ctx context.Context) (Stats, error) {
	if ctx.Err() != nil {
		return Stats{}, context.Cause(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped != nil {
		return Stats{}, f.stopped
	}
	return f.counts(), nil
}

// Drained implements [Drainer].
func (f *front) Drained(ctx context.Context) (bool, error) {
	if err := f.enter(ctx); err != nil {
		return false, err
	}
	defer f.mu.Unlock()
	now := f.tick()
	f.dispatch(now)
	return f.sched.Drained(now, f.horizon), nil
}

// counts is Stats, also of a frontier that was stopped. The lock is held.
func (f *front) counts() Stats {
	now := f.clock.now()
	if f.stopped == nil {
		now = f.tick()
		f.sched.Unpark(now)
	}
	return statsOf(f.sched, f.seen.Len(), now)
}

// statsOf is told how many URLs were ever added.
func statsOf(s *sched.Schedule, seen int, now int64) Stats {
	x := Stats{
		Seen:    seen,
		Queued:  s.Queued,
		Due:     s.Queued - s.Undue,
		Leased:  s.Leased,
		Dropped: s.Dropped,
		Hosts:   s.Busy,
		States: HostStats{
			Known:   s.Hosts.Index.N,
			Ready:   s.ReadyHosts,
			Waiting: len(s.Waiting) + len(s.Capped),
			Parked:  len(s.Parks),
			Away:    s.Away,
			Blocked: s.Blocked,
			Dropped: s.DroppedHosts,
		},
	}
	x.Done = x.Seen - x.Queued - x.Leased - x.Dropped
	x.AddRate, x.VisitRate = s.PerSecond(now)
	return x
}

// statsFile shows the counts to other processes. It is not needed to open the
// folder, and so it is neither synced nor checked.
const statsFile = "stats"

// statsEvery is how old what it says may become.
const statsEvery = time.Second

// noter writes the file when something has happened.
type noter struct {
	mu    sync.Mutex // held by the one that writes
	path  string
	timer *time.Timer
	armed bool // the timer is running; under the lock of the schedule
	quit  bool
}

// noted is what is in the file.
type noted struct {
	At time.Time
	Stats
}

// noteSoon sees to it that the file is written soon. The lock is held.
func (d *Disk) noteSoon() {
	if !d.notes.armed {
		d.notes.armed = true
		d.notes.timer.Reset(statsEvery)
	}
}

// writeNote writes the file. That it cannot is no trouble: the frontier is told of
// a full disk by what matters.
func (d *Disk) writeNote() {
	n := &d.notes
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.quit {
		return
	}
	d.mu.Lock()
	n.armed = false
	counts := d.counts()
	d.mu.Unlock()
	b, err := json.Marshal(noted{time.Now(), counts})
	if err == nil && os.WriteFile(n.path+".tmp", b, 0o644) == nil {
		os.Rename(n.path+".tmp", n.path)
	}
}

// begin starts to write the file.
func (n *noter) begin(dir *durable.Dir, write func()) {
	n.path = filepath.Join(dir.Path(), statsFile)
	n.armed = true
	n.timer = time.AfterFunc(statsEvery, write)
}

func (n *noter) end() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.quit = true
	n.timer.Stop()
}

// ReadStats returns what the [Disk] in a folder held at some time, and when that
// was, though another process may have it open, which does not notice. While that
// process works the counts are at most two seconds old; they stay as they are while
// nothing happens, and after it has ended. If no process has had the folder open
// for a second yet the error matches [fs.ErrNotExist].
func ReadStats(dir string) (Stats, time.Time, error) {
	path := filepath.Join(dir, statsFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return Stats{}, time.Time{}, fmt.Errorf("frontier: stats: %w", err)
	}
	n, err := readNote(b)
	if err != nil {
		return Stats{}, time.Time{}, &CorruptError{File: path, Err: err}
	}
	return n.Stats, n.At, nil
}

// readNote reads what writeNote wrote.
func readNote(b []byte) (n noted, err error) {
	err = json.Unmarshal(b, &n)
	if err == nil && n.At.IsZero() {
		err = errors.New("it does not say when it was written")
	}
	if err != nil {
		return noted{}, errors.Join(request.ErrRecord, err)
	}
	return n, nil
}
