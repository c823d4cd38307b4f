package postings

import (
	"encoding/binary"

	"github.com/webquarry/quarry/index/internal/pagefile"
)

// table reads the skips of a list.
type table struct {
	blocks  int
	skips   []byte
	supers  []byte
	impacts []byte // of the tail; nil: there are none
	end     uint64 // of blocks and tail in the list
	posSize uint64
}

func openTable(lists pagefile.Section, e Entry) (table, error) {
	t := table{blocks: int(e.Docs / blockLen), posSize: e.PosSize}
	groups := 0
	if t.blocks > groupLen {
		groups = (t.blocks + groupLen - 1) / groupLen
	}
	size := uint64(groups*superSize + t.blocks*skipSize)
	if t.blocks > 0 && e.Docs%blockLen > 0 {
		size += impactSize
	}
	if size > e.Size {
		return table{}, lists.Damage(e.Off, "a list without room for its skips")
	}
	t.end = e.Size - size
	b, err := lists.Bytes(e.Off+t.end, size)
	if err != nil {
		return table{}, err
	}
	t.supers, b = b[:groups*superSize], b[groups*superSize:]
	t.skips, b = b[:t.blocks*skipSize], b[t.blocks*skipSize:]
	t.impacts = b
	return t, nil
}

// last returns the last document of block b.
func (t *table) last(b int) uint32 {
	return binary.LittleEndian.Uint32(t.skips[b*skipSize:])
}

// first returns the least document that block b, or the tail, may hold.
func (t *table) first(b int) uint64 {
	if b == 0 {
		return 0
	}
	return uint64(t.last(b-1)) + 1
}

// find returns the first block from b on whose last document is not less than
// target, by steps of growing size; if there is none, the tail.
func (t *table) find(b int, target uint32) int {
	lo, step := b, 1
	for lo+step <= t.blocks && t.last(lo+step-1) < target {
		lo += step
		step *= 2
	}
	hi := min(lo+step, t.blocks)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); t.last(mid) < target {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// pairs returns the impacts of block b or of the tail, 8 bytes; nil when there
// are none.
func (t *table) pairs(b int) []byte {
	if b == t.blocks {
		return t.impacts
	}
	skip := t.skips[b*skipSize:]
	return skip[skipSize-impactSize : skipSize]
}

// span returns where block b is in the list. Of a damaged table the end may
// lie before the start, or behind the list.
func (t *table) span(b int) (from, to uint64) {
	return t.at(b), t.at(b + 1)
}

// tail returns where the tail is in the list.
func (t *table) tail() (from, to uint64) {
	return min(t.at(t.blocks), t.end), t.end
}

// at returns where block b starts, which is where the one before ends.
func (t *table) at(b int) uint64 {
	if b == 0 {
		return 0
	}
	if b%groupLen == 0 && b < t.blocks {
		return binary.LittleEndian.Uint64(t.supers[b/groupLen*superSize+4:])
	}
	return t.start(b-1) + uint64(binary.LittleEndian.Uint16(t.skips[(b-1)*skipSize+4:]))
}

// start returns where the 32 blocks that b belongs to start.
func (t *table) start(b int) uint64 {
	if len(t.supers) == 0 {
		return 0
	}
	return binary.LittleEndian.Uint64(t.supers[b/groupLen*superSize+4:])
}

// posSpan returns where the positions of block b, or of the tail, are in those
// of the term.
func (t *table) posSpan(b int) (from, to uint64) {
	if b > 0 {
		from = t.posEnd(b - 1)
	}
	if b == t.blocks {
		return from, t.posSize
	}
	return from, t.posEnd(b)
}

func (t *table) posEnd(b int) uint64 {
	start := uint64(0)
	if len(t.supers) > 0 {
		start = binary.LittleEndian.Uint64(t.supers[b/groupLen*superSize+12:])
	}
	return start + uint64(binary.LittleEndian.Uint32(t.skips[b*skipSize+6:]))
}
