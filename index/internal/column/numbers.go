package column

import (
	"encoding/binary"
	"io"
)

// Sections is a file that sections are written to, one after another.
type Sections interface {
	io.Writer
	Begin(kind, field uint16)
}

// writer writes a list of numbers as its blocks fill up; the table is kept.
type writer struct {
	out   io.Writer
	block block
	off   uint64
	count uint32
	table []byte
	bytes []byte
	err   error
}

func newWriter(out io.Writer) *writer {
	return &writer{out: out, table: make([]byte, tableHead)}
}

func (w *writer) add(v int64, ok bool) {
	w.block.add(v, ok)
	w.count++
	if w.block.n == BlockLen {
		w.flush()
	}
}

func (w *writer) flush() {
	s := w.block.shape()
	le := binary.LittleEndian
	t := le.AppendUint64(w.table, uint64(s.min))
	t = le.AppendUint64(t, uint64(s.max))
	t = le.AppendUint64(t, s.step)
	t = le.AppendUint64(t, w.off)
	t = le.AppendUint16(t, uint16(w.block.present))
	w.table = append(t, byte(s.width), 0)
	w.bytes = w.block.append(w.bytes[:0], s)
	w.off += uint64(len(w.bytes))
	if w.err == nil {
		_, w.err = w.out.Write(w.bytes)
	}
	w.block.n, w.block.present = 0, 0
}

// finish returns the table.
func (w *writer) finish() ([]byte, error) {
	if w.block.n > 0 {
		w.flush()
	}
	binary.LittleEndian.PutUint32(w.table, w.count)
	return w.table, w.err
}

// Values are numbers for documents, by document.
type Values struct {
	Numbers []int64
	Has     []bool // false: the document has none
}

// NewValues returns the values of so many documents: none.
func NewValues(docs int) Values { return Values{make([]int64, docs), make([]bool, docs)} }

// Set gives a document a number.
func (v Values) Set(doc int, n int64) { v.Numbers[doc], v.Has[doc] = n, true }

// WriteNumbers writes a column of numbers.
func WriteNumbers(out Sections, field uint16, v Values) error {
	return writeList(out, SectionBlocks, SectionTable, field, func(add func(int64, bool)) {
		for doc, ok := range v.Has {
			add(v.Numbers[doc], ok)
		}
	})
}

// writeList writes what each adds.
func writeList(out Sections, blocks, table, field uint16, each func(add func(int64, bool))) error {
	out.Begin(blocks, field)
	w := newWriter(out)
	each(w.add)
	b, err := w.finish()
	if err != nil {
		return err
	}
	out.Begin(table, field)
	_, err = out.Write(b)
	return err
}
