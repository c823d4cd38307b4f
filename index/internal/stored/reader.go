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
	blocks  pagefile.Section
	index   pagefile.Section
	entries []byte
	n       int // blocks
	docs    uint32
	places  uint64 // where the index says which record each document has; its end: nowhere
	codec   *Codec
}

// Open reads the index of the records of so many documents.
func Open(blocks, index pagefile.Section, docs uint32, codec *Codec) (*Reader, error) {
	r := &Reader{blocks: blocks, index: index, docs: docs, codec: codec}
	if err := r.open(index); err != nil {
		return nil, err
	}
	for i := range r.n {
		if i == 0 && r.first(i) != 0 || i > 0 && r.first(i) <= r.first(i-1) || r.first(i) >= docs ||
			r.offset(i) > r.offset(i+1) || r.offset(i) > blocks.Len() {
			return nil, index.Damage(headSize+uint64(i*entrySize), "index of records is out of order")
		}
	}
	return r, nil
}

func (r *Reader) open(index pagefile.Section) error {
	head, err := index.Bytes(0, headSize)
	if err != nil {
		return err
	}
	n := binary.LittleEndian.Uint32(head)
	r.n, r.places = int(n), headSize+entrySize*uint64(n)
	rest := index.Len() - min(index.Len(), r.places)
	if r.places+rest != index.Len() || rest > 0 && (n == 0 || rest != placeSize*uint64(r.docs)) || n > r.docs {
		return index.Damage(0, "index of records has the wrong length")
	}
	r.entries, err = index.Bytes(headSize, entrySize*uint64(n))
	return err
}

// first returns the first record of block i; there are as many records as
// documents.
func (r *Reader) first(i int) uint32 {
	if i == r.n {
		return r.docs
	}
	return binary.LittleEndian.Uint32(r.entries[i*entrySize:])
}

func (r *Reader) raw(i int) uint32 {
	return binary.LittleEndian.Uint32(r.entries[i*entrySize+4:])
}

func (r *Reader) offset(i int) uint64 {
	if i == r.n {
		return r.blocks.Len()
	}
	return binary.LittleEndian.Uint64(r.entries[i*entrySize+8:])
}

// place returns the record of a document.
func (r *Reader) place(doc uint32) (uint32, error) {
	if r.places == r.index.Len() {
		return doc, nil
	}
	at := r.places + placeSize*uint64(doc)
	b, err := r.index.Bytes(at, placeSize)
	if err != nil {
		return 0, err
	}
	record := binary.LittleEndian.Uint32(b)
	if record >= r.docs {
		return 0, r.index.Damage(at, "a record that is not there")
	}
	return record, nil
}

// documents returns the documents of the records.
func (r *Reader) documents() ([]uint32, error) {
	docs := make([]uint32, r.docs)
	taken := make([]bool, r.docs)
	for doc := range r.docs {
		record, err := r.place(doc)
		if err != nil {
			return nil, err
		}
		if taken[record] {
			return nil, r.index.Damage(0, "two documents with one record")
		}
		docs[record], taken[record] = doc, true
	}
	return docs, nil
}

// Verify checks that each document has a record of its own.
func (r *Reader) Verify() error {
	_, err := r.documents()
	return err
}

// Record returns the record of a document.
func (r *Reader) Record(doc uint32) ([]byte, error) { return r.Walk().Record(doc) }

// Walk reads many records. It unpacks a block for each record that lies in another
// one than the record before, and so is quick when they are asked for in order.
func (r *Reader) Walk() *Walk { return &Walk{r: r, block: -1} }

// Walk holds the block that was read last.
type Walk struct {
	r        *Reader
	block    int
	next     uint32 // record at the start of rest
	raw      []byte
	rest     packed.Bytes
	unpacked int
}

// Unpacked is how many blocks the walk has unpacked.
func (w *Walk) Unpacked() int { return w.unpacked }

// Place returns a number by which documents ascend that are asked for in order.
func (r *Reader) Place(doc uint32) (uint32, error) {
	if r.n == 0 {
		return 0, nil
	}
	return r.place(doc)
}

// Record returns the record of a document, until the next call.
func (w *Walk) Record(doc uint32) ([]byte, error) {
	if w.r.n == 0 {
		return nil, nil
	}
	record, err := w.r.place(doc)
	if err != nil {
		return nil, err
	}
	return w.at(record)
}

func (w *Walk) at(record uint32) ([]byte, error) {
	switch {
	case w.block < 0 || record < w.r.first(w.block) || record >= w.r.first(w.block+1):
		if err := w.open(sort.Search(w.r.n, func(i int) bool { return w.r.first(i) > record }) - 1); err != nil {
			return nil, err
		}
	case record < w.next: // it stands before, in the same block
		w.rest, w.next = packed.Bytes{B: w.raw}, w.r.first(w.block)
	}
	for {
		b := w.rest.Counted()
		if w.rest.Bad {
			return nil, w.damage()
		}
		w.next++
		if w.next > record {
			return b, nil
		}
	}
}

func (w *Walk) damage() error {
	return w.r.blocks.Damage(w.r.offset(w.block), "damaged records")
}

// frame returns a block as it is.
func (r *Reader) frame(block int) ([]byte, error) {
	return r.blocks.Bytes(r.offset(block), r.offset(block+1)-r.offset(block))
}

func (w *Walk) open(block int) error {
	r := w.r
	w.block, w.next = block, r.first(block)
	raw := r.raw(block)
	frame, err := r.frame(block)
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
	w.unpacked++
	return nil
}

// plausible reports whether a frame says that it holds raw bytes, and may be
// right, so that damage cannot ask for all memory.
func plausible(frame []byte, raw uint32) bool {
	var h zstd.Header
	err := h.Decode(frame)
	return err == nil && h.HasFCS && h.FrameContentSize == uint64(raw) && uint64(raw) <= uint64(len(frame))<<16
}
