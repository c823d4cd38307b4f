package stored

import (
	"encoding/binary"
	"sort"

	"github.com/klauspost/compress/zstd"

	"github.com/webquarry/quarry/index/internal/packed"
	"github.com/webquarry/quarry/index/internal/pagefile"
)

// Reader reads records. It may be used from many goroutines.
type Reader struct {
	blocks pagefile.Section
	index  []byte
	n      int // blocks
	docs   uint32
	codec  *Codec
}

// Open reads the index of the records of so many documents.
func Open(blocks, index pagefile.Section, docs uint32, codec *Codec) (*Reader, error) {
	b, err := index.All()
	if err != nil {
		return nil, err
	}
	r := &Reader{blocks, b, len(b) / entrySize, docs, codec}
	if len(b)%entrySize != 0 || (r.n == 0) != (docs == 0) {
		return nil, index.Damage(0, "index of records has the wrong length")
	}
	for i := range r.n {
		if i == 0 && r.first(i) != 0 || i > 0 && r.first(i) <= r.first(i-1) || r.first(i) >= docs ||
			r.offset(i) > r.offset(i+1) || r.offset(i) > blocks.Len() {
			return nil, index.Damage(uint64(i*entrySize), "index of records is out of order")
		}
	}
	return r, nil
}

func (r *Reader) first(i int) uint32 {
	if i == r.n {
		return r.docs
	}
	return binary.LittleEndian.Uint32(r.index[i*entrySize:])
}

func (r *Reader) offset(i int) uint64 {
	if i == r.n {
		return r.blocks.Len()
	}
	return binary.LittleEndian.Uint64(r.index[i*entrySize+8:])
}

// Record returns the record of a document.
func (r *Reader) Record(doc uint32) ([]byte, error) {
	w := r.Walk()
	return w.Record(doc)
}

// Walk reads many records; it is quick when they are asked for in order.
func (r *Reader) Walk() *Walk { return &Walk{r: r, block: -1} }

// Walk holds the block that was read last.
type Walk struct {
	r     *Reader
	block int
	next  uint32 // document at the start of rest
	raw   []byte
	rest  packed.Bytes
}

// Record returns the record of a document, until the next call.
func (w *Walk) Record(doc uint32) ([]byte, error) {
	if w.block < 0 || doc < w.next || doc >= w.r.first(w.block+1) {
		if err := w.open(sort.Search(w.r.n, func(i int) bool { return w.r.first(i) > doc }) - 1); err != nil {
			return nil, err
		}
	}
	for {
		record := w.rest.Counted()
		if w.rest.Bad {
			return nil, w.damage()
		}
		w.next++
		if w.next > doc {
			return record, nil
		}
	}
}

func (w *Walk) damage() error {
	return w.r.blocks.Damage(w.r.offset(w.block), "damaged records")
}

func (w *Walk) open(block int) error {
	r := w.r
	w.block, w.next = block, r.first(block)
	raw := binary.LittleEndian.Uint32(r.index[block*entrySize+4:])
	frame, err := r.blocks.Bytes(r.offset(block), r.offset(block+1)-r.offset(block))
	if err != nil {
		w.block = -1
		return err
	}
	if !plausible(frame, raw) {
		err = w.damage()
	} else if w.raw, err = r.codec.dec.DecodeAll(frame, w.raw[:0]); err != nil || len(w.raw) != int(raw) {
		err = w.damage()
	}
	if err != nil {
		w.block = -1
		return err
	}
	w.rest = packed.Bytes{B: w.raw}
	return nil
}

// plausible reports whether a frame says that it holds raw bytes, and may be
// right, so that damage cannot ask for all memory.
func plausible(frame []byte, raw uint32) bool {
	var h zstd.Header
	err := h.Decode(frame)
	return err == nil && h.HasFCS && h.FrameContentSize == uint64(raw) && uint64(raw) <= uint64(len(frame))<<16
}
