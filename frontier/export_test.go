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
	keep := int(opt.Limits.Delay/time.Millisecond) % 2 // none or one
	tune := tuning{log: log, record: 0, step: 1, memory: 6, keep: max(keep, 0), ahead: 2, block: 100, lower: 3, mask: 63 << 58}
	return open(dir, opt, tune, hook...)
}

// Compact compacts and returns when that is done.
func (d *Disk) Compact() error {
	d.compaction.Lock()
	defer d.compaction.Unlock()
	return d.compact(true)
}
