package seen

import "sync/atomic"

// lately is keys that were found in runs, the latest for each cell. The links of a
// site are the same on most of its pages: those need not be read again. It is never
// wrong, since what is once in a set stays there. The zero key is not kept.
type lately [1 << 16]uint64

func (l *lately) cell(key uint64) *uint64 { return &l[key%uint64(len(l))] }

func (l *lately) has(key uint64) bool { return key != 0 && atomic.LoadUint64(l.cell(key)) == key }

func (l *lately) note(key uint64) { atomic.StoreUint64(l.cell(key), key) }
