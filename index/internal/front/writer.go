package front

import (
	"encoding/binary"
	"io"
)

// Writer writes strings that come in ascending order.
type Writer struct {
	out     io.Writer
	off     uint64
	count   uint32
	last    []byte
	texts   []byte
	values  []byte
	offsets []uint64
	ends    []uint32
	keys    []byte
	err     error
}

// NewWriter writes blocks to out.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Add appends a string, which must be greater than the one before. First says
// that it is the first of a block, so that values may start anew.
func (w *Writer) Add(s []byte) (first bool) {
	if w.count%BlockLen == 0 {
		w.flush()
		w.offsets = append(w.offsets, w.off)
		n := 0
		if w.count > 0 {
			n = shared(w.last, s) + 1
		}
		w.keys = append(w.keys, s[:n]...)
		w.ends = append(w.ends, uint32(len(w.keys)))
		w.texts = binary.AppendUvarint(w.texts, uint64(len(s)))
		w.texts = append(w.texts, s...)
		first = true
	} else {
		n := shared(w.last, s)
		w.texts = binary.AppendUvarint(w.texts, uint64(n))
		w.texts = binary.AppendUvarint(w.texts, uint64(len(s)-n))
		w.texts = append(w.texts, s[n:]...)
	}
	w.last = append(w.last[:0], s...)
	w.count++
	return first
}

// Value appends to the values of the block.
func (w *Writer) Value(x uint64) { w.values = binary.AppendUvarint(w.values, x) }

func (w *Writer) flush() {
	if len(w.texts) == 0 {
		return
	}
	head := binary.AppendUvarint(nil, uint64(len(w.texts)))
	for _, part := range [][]byte{head, w.texts, w.values} {
		if w.err == nil {
			_, w.err = w.out.Write(part)
		}
		w.off += uint64(len(part))
	}
	w.texts, w.values = w.texts[:0], w.values[:0]
}

// Finish writes the last block and returns the index.
func (w *Writer) Finish() (index []byte, err error) {
	w.flush()
	le := binary.LittleEndian
	index = le.AppendUint32(nil, w.count)
	index = le.AppendUint32(index, uint32(len(w.offsets)))
	for _, off := range w.offsets {
		index = le.AppendUint64(index, off)
	}
	for _, end := range w.ends {
		index = le.AppendUint32(index, end)
	}
	return append(index, w.keys...), w.err
}

func shared(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
