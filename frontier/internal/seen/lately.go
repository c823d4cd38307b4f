package seen

import (
	"math/bits"
	"sync/atomic"
)

// lately is keys that were found in runs, the latest for each cell. The links of a
// site are the same on most of its pages: those need not be read again. It is never
// wrong, since what is once in a set stays there. The zero key is not kept.
type lately []uint64

// latelyCells is how many cells there are at most.
const latelyCells = 1 << 16

// fit returns one that is large enough for runs of so many keys.
func (l lately) fit(keys int) lately {
	if n := min(1<<bits.Len(uint(keys)), latelyCells); n > len(l) {
		return make(lately, n)
	}
	return l
}

func (l lately) cell(key uint64) *uint64 { return &l[key&uint64(len(l)-1)] }

func (l lately) has(key uint64) bool { return key != 0 && atomic.LoadUint64(l.cell(key)) == key }

func (l lately) note(key uint64) { atomic.StoreUint64(l.cell(key), key) }
