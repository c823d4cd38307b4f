package invert

import "sync"

// records holds what is stored of documents, without pointers to each.
type records struct{ blocks [][]byte }

// record says where the records of a document are: the large one follows the
// small one.
type record struct{ block, at, small, large uint32 }

const blockLen = 1 << 18

// blocks are used again, as chunks are.
var blocks = sync.Pool{New: func() any { return new([blockLen]byte) }}

// recordWeight is about what the records of a document weigh. Large ones are copied
// whole, and packed, when they are written.
func recordWeight(size int) int64 {
	if size > blockLen {
		return 3 * int64(size)
	}
	return int64(size)
}

// add keeps the records of a document.
func (r *records) add(small, large []byte) record {
	size, last := len(small)+len(large), len(r.blocks)-1
	if last < 0 || len(r.blocks[last])+size > cap(r.blocks[last]) {
		if size > blockLen {
			r.blocks = append(r.blocks, make([]byte, 0, size))
		} else {
			r.blocks = append(r.blocks, blocks.Get().(*[blockLen]byte)[:0])
		}
		last++
	}
	at := len(r.blocks[last])
	r.blocks[last] = append(append(r.blocks[last], small...), large...)
	return record{uint32(last), uint32(at), uint32(len(small)), uint32(len(large))}
}

// of returns the records of a document.
func (r *records) of(at record) (small, large []byte) {
	b := r.blocks[at.block][at.at:]
	return b[:at.small], b[at.small : at.small+at.large]
}

// release gives the memory back.
func (r *records) release() {
	for _, b := range r.blocks {
		if cap(b) == blockLen {
			blocks.Put((*[blockLen]byte)(b[:blockLen]))
		}
	}
	r.blocks = nil
}
