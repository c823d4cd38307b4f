package frontier

import "github.com/webquarry/quarry/internal/durable"

// OpenTuned is Open with a size of the log from which on it is compacted, and
// hooks that see every operation on the disk. The state is written in the
// smallest steps.
func OpenTuned(dir string, opt Options, log int64, hook ...durable.Hook) (*Disk, error) {
	return open(dir, opt, tuning{log: log, record: 0, step: 1}, hook...)
}

// Compact compacts and returns when that is done.
func (d *Disk) Compact() error {
	d.compaction.Lock()
	defer d.compaction.Unlock()
	return d.compact()
}
