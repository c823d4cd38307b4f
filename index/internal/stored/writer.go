package stored

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// Writer writes records in the order of their documents.
type Writer struct {
	out   io.Writer
	codec *Codec
	block int // bytes after which a block ends
	raw   []byte
	buf   []byte
	doc   uint32
	first uint32
	off   uint64
	index []byte
	err   error
}

var errTooLarge = errors.New("a document of 4 GiB")

// NewWriter writes blocks of about so many bytes, before compression, to out.
func NewWriter(out io.Writer, codec *Codec, block int) *Writer {
	return &Writer{out: out, codec: codec, block: block}
}

// Add appends the record of the next document.
func (w *Writer) Add(record []byte) {
	w.raw = binary.AppendUvarint(w.raw, uint64(len(record)))
	w.raw = append(w.raw, record...)
	w.doc++
	if len(w.raw) >= w.block {
		w.flush()
	}
}

func (w *Writer) flush() {
	if len(w.raw) == 0 {
		return
	}
	if len(w.raw) > math.MaxUint32 {
		w.err = errTooLarge
	}
	w.buf = w.codec.enc.EncodeAll(w.raw, w.buf[:0])
	le := binary.LittleEndian
	w.index = le.AppendUint32(w.index, w.first)
	w.index = le.AppendUint32(w.index, uint32(len(w.raw)))
	w.index = le.AppendUint64(w.index, w.off)
	if w.err == nil {
		_, w.err = w.out.Write(w.buf)
	}
	w.off += uint64(len(w.buf))
	w.first, w.raw = w.doc, w.raw[:0]
}

// Finish writes the last block and returns the index.
func (w *Writer) Finish() (index []byte, err error) {
	w.flush()
	return w.index, w.err
}
