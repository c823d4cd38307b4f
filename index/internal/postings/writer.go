package postings

import (
	"encoding/binary"
	"io"

	"github.com/webquarry/quarry/index/internal/packed"
)

// Writer writes the lists of a field, one after another.
type Writer struct {
	out     io.Writer
	lengths []uint32 // of the field, by document
	off     uint64

	n     uint32           // documents of the list so far
	docs  [blockLen]uint32 // those not yet in a block
	tfs   [blockLen]uint32
	next  uint32 // the least document that may follow the last block
	data  []byte // the list
	bits  []byte // of a block that is dense
	skips skips
	rows  *rows // nil: the field has no positions
	err   error
}

// NewWriter writes lists, and their positions unless that writer is nil.
// Lengths are those of the field in each document; they only bound scores.
func NewWriter(lists, positions io.Writer, lengths []uint32) *Writer {
	w := &Writer{out: lists, lengths: lengths, skips: skips{avgLen: mean(lengths)}}
	if positions != nil {
		w.rows = &rows{out: positions}
	}
	return w
}

func mean(lengths []uint32) float64 {
	sum := uint64(0)
	for _, n := range lengths {
		sum += uint64(n)
	}
	return max(1, float64(sum)/float64(max(1, len(lengths))))
}

// Add appends a document, greater than the one before, that holds the term tf
// times, tf > 0. In a field with positions they are at, ascending, tf of them.
func (w *Writer) Add(doc, tf uint32, at []uint32) {
	i := w.n % blockLen
	w.docs[i], w.tfs[i] = doc, tf
	if w.rows != nil {
		w.rows.add(at)
	}
	w.n++
	if i == blockLen-1 {
		w.block()
	}
}

// Copy appends the current document of a list of another segment, under another
// number.
func (w *Writer) Copy(doc uint32, from *Cursor) {
	i := w.n % blockLen
	w.docs[i], w.tfs[i] = doc, from.TF()
	if w.rows != nil {
		w.rows.gaps = from.Gaps(w.rows.gaps)
	}
	w.n++
	if i == blockLen-1 {
		w.block()
	}
}

// block writes 128 documents.
func (w *Writer) block() {
	start := len(w.data)
	w.skips.begin(start, w.rows.size())
	first, docs := w.next, w.docs
	for i, doc := range w.docs {
		w.skips.bound(w.tfs[i], w.lengths[doc])
		w.docs[i] = doc - w.next
		w.next = doc + 1
		w.tfs[i]--
	}
	w.data = packed.Append(w.data, &w.docs)
	if bits, ok := appendDense(w.bits[:0], &docs, first, len(w.data)-start); ok {
		w.data, w.bits = append(w.data[:start], bits...), bits
	}
	w.data = packed.Append(w.data, &w.tfs)
	if w.rows != nil {
		w.rows.flush()
	}
	if err := w.skips.end(w.next-1, len(w.data), w.rows.size()); err != nil {
		w.err = err
	}
}

// Finish ends the list of a term and returns where it is.
func (w *Writer) Finish() (Entry, error) {
	e := Entry{Docs: w.n, Off: w.off}
	if w.n == 1 {
		e.Doc, e.TF = w.docs[0], w.tfs[0]
	} else {
		w.tail()
		w.data = w.skips.finish(w.data)
		if w.err == nil {
			_, w.err = w.out.Write(w.data)
		}
		e.Size = uint64(len(w.data))
		w.off += e.Size
	}
	if w.rows != nil {
		e.PosOff, e.PosSize = w.rows.finish()
		if w.err == nil {
			w.err = w.rows.err
		}
	}
	w.n, w.next, w.data = 0, 0, w.data[:0]
	return e, w.err
}

func (w *Writer) tail() {
	for i := range w.n % blockLen {
		if w.n >= blockLen {
			w.skips.bound(w.tfs[i], w.lengths[w.docs[i]])
		}
		gap := uint64(w.docs[i] - w.next)
		w.next = w.docs[i] + 1
		if tf := w.tfs[i]; tf == 1 {
			w.data = binary.AppendUvarint(w.data, gap<<1)
		} else {
			w.data = binary.AppendUvarint(w.data, gap<<1|1)
			w.data = binary.AppendUvarint(w.data, uint64(tf-2))
		}
	}
}

// rows writes positions.
type rows struct {
	out  io.Writer
	off  uint64   // where the row of the term starts
	len  uint64   // bytes of it that are written
	gaps []uint32 // of the documents not yet written
	buf  []byte
	err  error
}

func (r *rows) add(at []uint32) {
	prev := uint32(0)
	for _, p := range at {
		r.gaps = append(r.gaps, p-prev)
		prev = p
	}
}

func (r *rows) size() uint64 {
	if r == nil {
		return 0
	}
	return r.len
}

// flush writes the positions of a block or tail.
func (r *rows) flush() {
	gaps := r.gaps
	for ; len(gaps) >= packed.Len; gaps = gaps[packed.Len:] {
		r.buf = packed.Append(r.buf, (*[packed.Len]uint32)(gaps))
	}
	for _, gap := range gaps {
		r.buf = binary.AppendUvarint(r.buf, uint64(gap))
	}
	r.gaps = r.gaps[:0]
	r.len += uint64(len(r.buf))
	if r.err == nil {
		_, r.err = r.out.Write(r.buf)
	}
	r.buf = r.buf[:0]
}

func (r *rows) finish() (off, size uint64) {
	r.flush()
	off, size = r.off, r.len
	r.off, r.len = off+size, 0
	return off, size
}

// Empty says whether the list has no document yet.
func (w *Writer) Empty() bool { return w.n == 0 }
