package stored

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// Writer writes records, one for each document from 0 on.
type Writer struct {
	out     io.Writer
	codec   *Codec
	block   int      // bytes after which a block ends
	empty   []uint32 // documents, as long as none has a record that is not empty
	filled  bool     // one has
	raw     []byte
	docs    []uint32 // of the records in raw
	buf     []byte
	entries []byte
	off     uint64
	places  places
	err     error
}

var errTooLarge = errors.New("a document of 4 GiB")

// NewWriter writes blocks of about so many bytes, before compression, to out.
func NewWriter(out io.Writer, codec *Codec, block int) *Writer {
	return &Writer{out: out, codec: codec, block: block}
}

// Add appends the record of a document. Each document has one, in any order.
func (w *Writer) Add(doc uint32, record []byte) {
	if !w.filled && len(record) == 0 {
		w.empty = append(w.empty, doc)
		return
	}
	w.fill()
	w.add(doc, record)
}

// fill writes down the empty records that were left out so far.
func (w *Writer) fill() {
	if w.filled {
		return
	}
	w.filled = true
	for _, doc := range w.empty {
		w.add(doc, nil)
	}
	w.empty = nil
}

func (w *Writer) add(doc uint32, record []byte) {
	w.raw = binary.AppendUvarint(w.raw, uint64(len(record)))
	w.raw = append(w.raw, record...)
	w.docs = append(w.docs, doc)
	if len(w.raw) >= w.block {
		w.flush()
	}
}

func (w *Writer) flush() {
	if len(w.raw) == 0 {
		return
	}
	if uint64(len(w.raw)) > math.MaxUint32 {
		w.err = errTooLarge
	}
	w.buf = w.codec.enc.EncodeAll(w.raw, w.buf[:0])
	w.write(w.buf, uint32(len(w.raw)), w.docs)
	w.raw, w.docs = w.raw[:0], w.docs[:0]
}

// write writes a block with the records of docs.
func (w *Writer) write(frame []byte, raw uint32, docs []uint32) {
	le := binary.LittleEndian
	w.entries = le.AppendUint32(w.entries, w.places.n)
	w.entries = le.AppendUint32(w.entries, raw)
	w.entries = le.AppendUint64(w.entries, w.off)
	w.off += uint64(len(frame))
	for _, doc := range docs {
		w.places.add(doc)
	}
	if w.err == nil {
		_, w.err = w.out.Write(frame)
	}
}

// Finish writes the last block and returns the index.
func (w *Writer) Finish() (index []byte, err error) {
	w.flush()
	index = binary.LittleEndian.AppendUint32(nil, uint32(len(w.entries)/entrySize))
	return w.places.append(append(index, w.entries...)), w.err
}

// places says which record each document has.
type places struct {
	n  uint32   // records
	of []uint32 // by document; nil as long as each has its own number
}

// add gives the next record to a document.
func (p *places) add(doc uint32) {
	if p.of == nil && doc != p.n {
		p.of = make([]uint32, p.n, 2*p.n)
		for i := range p.of {
			p.of[i] = uint32(i)
		}
	}
	if p.of != nil {
		for len(p.of) <= int(doc) {
			p.of = append(p.of, 0)
		}
		p.of[doc] = p.n
	}
	p.n++
}

func (p *places) append(dst []byte) []byte {
	for _, record := range p.of {
		dst = binary.LittleEndian.AppendUint32(dst, record)
	}
	return dst
}
