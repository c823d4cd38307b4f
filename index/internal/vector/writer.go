package vector

import (
	"encoding/binary"
	"io"
	"iter"
	"math"
)

// Sections is a file that sections are written to, one after another.
type Sections interface {
	io.Writer
	Begin(kind, field uint16)
}

// Source is vectors that were written before, with the numbers that their documents
// have now.
type Source struct {
	Reader *Reader
	To     []uint32 // by document; [Gone] of those that are left out
}

// Gone stands for a document that is left out.
const Gone = math.MaxUint32

// Vectors are what is written: documents, ascending, with their vectors, which are not
// used any more when the next is asked for.
type Vectors = iter.Seq2[uint32, []byte]

// AppendFloats appends a vector as the section of floats has it.
func AppendFloats(dst []byte, v []float32) []byte {
	le := binary.LittleEndian
	dst = le.AppendUint32(dst, math.Float32bits(squares(v)))
	for _, x := range v {
		dst = le.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}

// Write writes the vectors of a field of a segment of so many documents. Vectors are as
// AppendFloats has them. The graph of from, if it has one and all of its documents are
// there, is taken over. Check is called for each vector, and ends the work by its
// error.
func Write(out Sections, field uint16, o Options, docs int, vectors Vectors, from *Source, check func() error) error {
	w := &writer{out: out, field: field, o: o}
	if err := w.floats(vectors, check); err != nil {
		return err
	}
	n := len(w.of)
	if n < docs {
		b := make([]byte, 0, 4*n)
		for _, doc := range w.of {
			b = binary.LittleEndian.AppendUint32(b, doc)
		}
		w.section(SectionDocs, b)
	}
	le := binary.LittleEndian
	head := le.AppendUint32(nil, uint32(o.Dims))
	head = append(head, byte(o.Similarity), 0)
	head = le.AppendUint16(head, uint16(o.M))
	head = le.AppendUint16(head, uint16(o.EfConstruction))
	head = le.AppendUint16(head, 0)
	head = le.AppendUint32(head, uint32(n))
	head = le.AppendUint32(head, 0)
	if o.Approximate {
		head[5] |= flagApproximate
	}
	if w.graph() {
		b := newBuilder(o, w.codes, check)
		if err := w.build(b, from); err != nil {
			return err
		}
		head[5] |= flagGraph
		le.PutUint16(head[10:], uint16(b.top+1))
		le.PutUint32(head[16:], b.entry)
		w.section(SectionCodes, w.codes)
		w.section(SectionLinks, b.layers[0].rows)
		var upper []byte
		for _, l := range b.layers[1:] {
			upper = le.AppendUint32(upper, uint32(len(l.nodes)))
			for _, id := range l.nodes {
				upper = le.AppendUint32(upper, id)
			}
			upper = append(upper, l.rows...)
		}
		w.section(SectionUpper, upper)
	}
	w.section(SectionHead, head)
	return w.err
}

type writer struct {
	out   Sections
	field uint16
	o     Options
	of    []uint32
	codes []byte
	err   error
}

func (w *writer) section(kind uint16, b []byte) {
	w.out.Begin(kind, w.field)
	if w.err == nil {
		_, w.err = w.out.Write(b)
	}
}

// floats writes the vectors, and keeps their codes where a graph needs them.
func (w *writer) floats(vectors Vectors, check func() error) error {
	w.out.Begin(SectionFloats, w.field)
	v := make([]float32, w.o.Dims)
	for doc, row := range vectors {
		if err := check(); err != nil {
			return err
		}
		w.of = append(w.of, doc)
		if w.err == nil {
			_, w.err = w.out.Write(row)
		}
		if w.o.Approximate {
			for i := range v {
				v[i] = number(row[4+4*i:])
			}
			w.codes = appendCodes(w.codes, w.o.Similarity, v)
		}
	}
	return w.err
}

func (w *writer) graph() bool { return w.o.Approximate && len(w.of) >= leastGraph }

// build builds the graph, from that of a source if it has one.
func (w *writer) build(b *builder, from *Source) error {
	if from == nil || from.Reader.graph == nil {
		return b.build()
	}
	number := make(map[uint32]uint32, len(w.of))
	for id, doc := range w.of {
		number[doc] = uint32(id)
	}
	to := make([]uint32, from.Reader.n)
	for id := range to {
		doc := from.Reader.doc(uint32(id))
		if int(doc) >= len(from.To) || from.To[doc] == Gone {
			return b.build()
		}
		to[id] = number[from.To[doc]]
	}
	return b.adopt(from.Reader.graph, to)
}
