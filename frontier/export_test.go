package frontier

import "github.com/webquarry/quarry/internal/durable"

// OpenTuned is Open with a least size of the log that is compacted, and hooks
// that see every operation on the disk.
func OpenTuned(dir string, opt Options, least int64, hook ...durable.Hook) (*Disk, error) {
	return open(dir, opt, least, hook...)
}

// Compact compacts and returns when that is done.
func (d *Disk) Compact() error {
	d.compaction.Lock()
	defer d.compaction.Unlock()
	return d.compact()
}
