package refresh

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"
)

// ErrCorrupt is matched by the error of [History.UnmarshalBinary] for bytes
// that no History was written as.
var ErrCorrupt = errors.New("refresh: corrupt history")

const historyVersion = 1

// AppendBinary appends some 20 bytes, by which a history is stored. A page that
// was never visited is one byte. Times are kept to the millisecond.
//
//	version  [1]  1
//	last     [v]  the latest visit, milliseconds since 1970, zigzag
//	span     [v]  the latest visit less the first, milliseconds
//	visits   [v]  and with them changes [v], dated [v]
//	quiet    [v]  milliseconds
//	seen     [8]  changes and seconds, float32, little-endian
//
// [v] is a varint of encoding/binary. A history without Last ends after the
// version.
func (h History) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, historyVersion)
	if h.Last.IsZero() {
		return b, nil
	}
	b = binary.AppendVarint(b, min(max(h.Last.UnixMilli(), -latestMilli), latestMilli))
	for _, n := range []int64{
		h.Last.Sub(h.First).Milliseconds(), int64(h.Visits), int64(h.Changes), int64(h.Dated), h.Quiet.Milliseconds(),
	} {
		b = binary.AppendUvarint(b, uint64(min(max(n, 0), longestMilli)))
	}
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(h.seen.changes)))
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(h.seen.seconds))), nil
}

// MarshalBinary is [History.AppendBinary] to nothing.
func (h History) MarshalBinary() ([]byte, error) { return h.AppendBinary(nil) }

// UnmarshalBinary reads what AppendBinary wrote, all of b. The error matches
// [ErrCorrupt], and h is as it was then.
func (h *History) UnmarshalBinary(b []byte) error {
	if len(b) == 0 || b[0] != historyVersion {
		return fmt.Errorf("%w: no version %d", ErrCorrupt, historyVersion)
	}
	if b = b[1:]; len(b) == 0 {
		*h = History{}
		return nil
	}
	last, k := binary.Varint(b)
	if k <= 0 || last < -latestMilli || last > latestMilli {
		return fmt.Errorf("%w: time of the latest visit", ErrCorrupt)
	}
	b = b[k:]
	var n [5]int64
	for i := range n {
		u, k := binary.Uvarint(b)
		if k <= 0 || u > uint64(longestMilli) {
			return fmt.Errorf("%w: count or duration", ErrCorrupt)
		}
		n[i], b = int64(u), b[k:]
	}
	if len(b) != 8 {
		return fmt.Errorf("%w: %d bytes of 8 at the end", ErrCorrupt, len(b))
	}
	seen := evidence{
		float64(math.Float32frombits(binary.LittleEndian.Uint32(b))),
		float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4:]))),
	}
	if !seen.possible() || n[2] > n[1] || n[3] > n[2] {
		return fmt.Errorf("%w: more changes than can be", ErrCorrupt)
	}
	*h = History{
		First: time.UnixMilli(last - n[0]).UTC(), Last: time.UnixMilli(last).UTC(),
		Visits: int(n[1]), Changes: int(n[2]), Dated: int(n[3]),
		Quiet: time.Duration(n[4]) * time.Millisecond,
		seen:  seen,
	}
	return nil
}

const (
	longestMilli = math.MaxInt64 / int64(time.Millisecond) // the longest time.Duration, 292 years
	latestMilli  = int64(1e15)                             // in the year 33658
)

// possible also refuses what is not a number.
func (e evidence) possible() bool {
	return e.changes >= 0 && e.changes <= 2*memory && e.seconds >= 0 && e.seconds <= float64(longestMilli)
}
