package postings

import (
	"io"

	"github.com/webquarry/quarry/index/internal/front"
	"github.com/webquarry/quarry/index/internal/packed"
)

// DictWriter writes the terms of a field in ascending order.
type DictWriter struct {
	front     *front.Writer
	positions bool
}

// NewDictWriter writes the blocks of a dictionary to out; positions says
// whether the field has them.
func NewDictWriter(out io.Writer, positions bool) *DictWriter {
	return &DictWriter{front.NewWriter(out), positions}
}

// Add appends a term and where its list is.
func (w *DictWriter) Add(term []byte, e Entry) {
	if w.front.Add(term) {
		w.front.Value(e.Off)
		if w.positions {
			w.front.Value(e.PosOff)
		}
	}
	w.front.Value(uint64(e.Docs))
	if e.Docs > 1 {
		w.front.Value(e.Size)
	} else {
		w.front.Value(uint64(e.Doc))
		w.front.Value(uint64(e.TF))
	}
	if w.positions {
		w.front.Value(e.PosSize)
	}
}

// Finish returns the index of the dictionary.
func (w *DictWriter) Finish() (index []byte, err error) { return w.front.Finish() }

// Dict finds the terms of a field. It may be used from many goroutines.
type Dict struct {
	Table     *front.Table
	Positions bool // the field has them
}

// Find finds a term.
func (d Dict) Find(term string) (Entry, bool, error) {
	it := d.Iter()
	if !it.front.Find([]byte(term)) {
		return Entry{}, false, it.Err()
	}
	e, err := it.Entry()
	return e, err == nil, err
}

// Iter walks the terms in ascending order, starting before the first.
func (d Dict) Iter() *Terms { return &Terms{front: *d.Table.Iter(), positions: d.Positions, block: -1} }

// Terms is a walk over a dictionary.
type Terms struct {
	front     front.Iter
	positions bool
	block     int // whose values are being read
	done      int // how many of its entries are read
	rest      packed.Bytes
	entry     Entry // the last of them
	err       error
}

// Next goes to the next term.
func (t *Terms) Next() bool { return t.err == nil && t.front.Next() }

// Seek goes to the first term not less than s.
func (t *Terms) Seek(s []byte) bool { return t.err == nil && t.front.Seek(s) }

// Go goes to the term at a place, from 0.
func (t *Terms) Go(place int) bool { return t.err == nil && t.front.Go(place) }

// Term returns the term, until the next move.
func (t *Terms) Term() []byte { return t.front.Text() }

// Entry returns where the list of the term is.
func (t *Terms) Entry() (Entry, error) {
	block, i, values := t.front.Values()
	if block != t.block || t.done > i+1 {
		t.block, t.done, t.rest = block, 0, values
		t.entry = Entry{Off: t.rest.Uvarint()}
		if t.positions {
			t.entry.PosOff = t.rest.Uvarint()
		}
	}
	for ; t.done <= i; t.done++ {
		t.read()
	}
	if t.rest.Bad {
		t.err = t.front.Damage()
	}
	return t.entry, t.err
}

// read reads the next entry.
func (t *Terms) read() {
	e := Entry{Off: t.entry.Off + t.entry.Size, PosOff: t.entry.PosOff + t.entry.PosSize}
	e.Docs = t.rest.Uvarint32()
	switch {
	case e.Docs == 0:
		t.rest.Bad = true
	case e.Docs > 1:
		e.Size = t.rest.Uvarint()
	default:
		e.Doc = t.rest.Uvarint32()
		e.TF = t.rest.Uvarint32()
	}
	if t.positions {
		e.PosSize = t.rest.Uvarint()
	}
	t.entry = e
}

// Err is what ended the walk too early.
func (t *Terms) Err() error {
	if t.err != nil {
		return t.err
	}
	return t.front.Err()
}
