package frontier

import (
	"time"

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
	tune := tuning{log: log, record: 0, step: 1, memory: 6, keep: max(keep, 0), ahead: 2, block: 100, lower: 3, mask: 63 << 58, seed: seed}
	return open(dir, opt, tune, hook...)
}

// NewSeeded is New with a seed of fingerprints.
func NewSeeded(opt Options, seed uint64) *Memory { return newMemory(opt, seed) }

// Compact compacts and returns when that is done.
func (d *Disk) Compact() error {
	d.compaction.Lock()
	defer d.compaction.Unlock()
	return d.compact(true)
}

// Settle returns when nothing goes on in the background, if nobody does anything.
func (d *Disk) Settle() {
	d.compaction.Lock()
	defer d.compaction.Unlock()
	d.merging.Lock()
	defer d.merging.Unlock()
}
