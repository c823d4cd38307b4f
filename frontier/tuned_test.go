package frontier

import (
	"testing"
	"time"
	"unsafe"

	"github.com/webquarry/quarry/frontier/internal/store"
	"github.com/webquarry/quarry/internal/durable"
)

// OpenTuned is Open with a size of the log from which on it is compacted, and
// hooks that see every operation on the disk. The state is written in the
// smallest steps, and hardly anything is kept in memory: requests are shelved and
// brought back, and runs merged, all the time.
func OpenTuned(dir string, opt Options, log int64, hook ...durable.Hook) (*Disk, error) {
	return OpenSeeded(dir, opt, log, 0, hook...)
}

// OpenSeeded is OpenTuned with a seed of fingerprints for a new folder: ties are
// broken in the same way each time.
func OpenSeeded(dir string, opt Options, log int64, seed uint64, hook ...durable.Hook) (*Disk, error) {
	keep := int(opt.Limits.Delay/time.Millisecond) % 2 // none or one
	tune := sizes{log: log, long: log, record: 0, step: 1, look: lookSteps{slots: 3, hosts: 2, disk: 2, names: 1}, seed: seed, store: store.Sizes{Memory: 6, Keep: max(keep, 0), Ahead: 2, Block: 100, Lower: 3}}
	return open(dir, opt, tune, hook...)
}

// NewStepping is New with the smallest steps for those who look.
func NewStepping(opt Options) *Memory {
	m := New(opt)
	m.look = lookSteps{slots: 3, hosts: 2, disk: 2, names: 1}
	return m
}

// NewSeeded is New with a seed of fingerprints.
func NewSeeded(opt Options, seed uint64) *Memory { return newMemory(opt, seed) }

// Compact compacts and returns when that is done.
func (d *Disk) Compact() error {
	d.compaction.Lock()
	defer d.compacted()
	return d.compact(true)
}

// Settle returns when nothing goes on in the background, if nobody does anything.
func (d *Disk) Settle() {
	d.compaction.Lock()
	defer d.compacted()
	d.merging.Lock()
	defer d.merging.Unlock()
}

// SetMachine has a frontier see the machine's clock as if that had been set by so much
// since the frontier was made. Nothing else can fake that: the times of a bubble of
// testing/synctest have no monotonic reading.
func SetMachine(t testing.TB, f Frontier, by time.Duration) {
	var c *clock
	switch f := f.(type) {
	case *Memory:
		c = &f.clock
	case *Disk:
		c = &f.clock
	}
	type parts struct { // of a time.Time with a monotonic reading
		wall uint64 // 1 bit, 33 bits of seconds, 30 bits of nanoseconds
		ext  int64
		loc  *time.Location
	}
	start := c.start
	(*parts)(unsafe.Pointer(&start)).wall -= uint64(by/time.Second) << 30
	if start.Sub(c.start) != 0 || c.start.Round(0).Sub(start.Round(0)) != by {
		t.Fatalf("a time.Time is not what it was: %v shifted by %v became %v", c.start, by, start)
	}
	c.start, c.ahead = start, c.ahead+int64(by)
}

// Held is Stats of a frontier that is closed, too.
func (f *front) Held() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts()
}

// OpenCrowded is Open with room for so many requests in memory.
func OpenCrowded(dir string, opt Options, memory int) (*Disk, error) {
	tune := usualSizes()
	tune.store.Memory = memory
	return open(dir, opt, tune)
}
