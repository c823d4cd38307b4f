package segment

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/webquarry/quarry/index/internal/front"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/sieve"
	"github.com/webquarry/quarry/index/internal/stored"
)

// Segment is a segment that is read. Its methods may be called from many
// goroutines.
type Segment struct {
	Docs   uint32
	Keys   *front.Table
	Places func() (Places, error) // of the keys; read when first asked for
	Order  string                 // see Meta
	Fields []*FieldReader         // those that the segment has
	byName map[string]*FieldReader
	file   *pagefile.File
	small  *stored.Reader
	large  *stored.Reader

	vectors sync.Map // by field, its *vector.Reader
}

// FieldReader reads a field of a segment.
type FieldReader struct {
	Field
	Dict    postings.Dict
	Lists   postings.Reader
	Sieve   *sieve.Lazy               // of the terms
	Vectors *atomic.Pointer[[]Vector] // by document; nil: not asked for yet
	Lengths func() (Lengths, error)   // read when first asked for
}

// Vector describes a document as a vector of how often the terms of a field occur.
type Vector struct {
	Terms, MaxTF        uint32
	Squares, LogSquares float64 // Σ tf², Σ (1 + ln tf)²
}

// Open opens the segment in data. Damage is reported here, or when what is
// damaged is read.
func Open(data []byte, codec *stored.Codec) (*Segment, error) {
	file, err := pagefile.Open(data)
	if err != nil {
		return nil, err
	}
	s := &Segment{file: file}
	meta, err := s.meta()
	if err != nil {
		return nil, err
	}
	s.Docs, s.Order = meta.Docs, meta.Order
	if err := s.openDocuments(codec); err != nil {
		return nil, err
	}
	return s, s.openFields(meta.Fields)
}

func (s *Segment) meta() (m Meta, err error) {
	section, err := s.section(sectionMeta, 0)
	if err != nil {
		return m, err
	}
	b, err := section.All()
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return m, section.Damage(0, err.Error())
	}
	if m.Docs > MaxDocs {
		return m, section.Damage(0, "too many documents")
	}
	for _, f := range m.Fields {
		if f.Number < 0 || f.Number > MaxField {
			return m, section.Damage(0, "a field with an impossible number")
		}
	}
	return m, nil
}

func (s *Segment) section(kind, field uint16) (pagefile.Section, error) {
	section, ok := s.file.Section(kind, field)
	if !ok {
		return section, &pagefile.Damage{Msg: fmt.Sprintf("section %d of field %d is missing", kind, field)}
	}
	return section, nil
}

// sections finds sections of one field.
func (s *Segment) sections(field int, kinds ...uint16) (out [3]pagefile.Section, err error) {
	for i, kind := range kinds {
		if out[i], err = s.section(kind, uint16(field)); err != nil {
			return out, err
		}
	}
	return out, nil
}

func (s *Segment) openDocuments(codec *stored.Codec) error {
	keys, err := s.sections(0, sectionKeys, sectionKeyIndex)
	if err != nil {
		return err
	}
	if s.Keys, err = front.Open(keys[0], keys[1]); err != nil {
		return err
	}
	if s.Keys.Len() != int(s.Docs) {
		return keys[1].Damage(0, "another number of keys than of documents")
	}
	s.Places = sync.OnceValues(s.readPlaces)
	if s.small, err = s.openRecords(sectionSmall, sectionSmallIndex, codec); err != nil {
		return err
	}
	s.large, err = s.openRecords(sectionLarge, sectionLargeIndex, codec)
	return err
}

func (s *Segment) openRecords(blocks, index uint16, codec *stored.Codec) (*stored.Reader, error) {
	in, err := s.sections(0, blocks, index)
	if err != nil {
		return nil, err
	}
	return stored.Open(in[0], in[1], s.Docs, codec)
}

func (s *Segment) openField(f Field) (*FieldReader, error) {
	in, err := s.sections(f.Number, sectionTerms, sectionTermIndex, sectionLists)
	if err != nil {
		return nil, err
	}
	table, err := front.Open(in[0], in[1])
	if err != nil {
		return nil, err
	}
	if table.Len() != f.Terms {
		return nil, in[1].Damage(0, "another number of terms")
	}
	r := &FieldReader{Field: f, Sieve: new(sieve.Lazy), Vectors: new(atomic.Pointer[[]Vector])}
	r.Dict = postings.Dict{Table: table, Positions: f.Positions}
	r.Lists = postings.Reader{Lists: in[2], Docs: s.Docs}
	if f.Positions {
		if r.Lists.Positions, err = s.section(sectionPositions, uint16(f.Number)); err != nil {
			return nil, err
		}
	}
	lengths, err := s.section(sectionLengths, uint16(f.Number))
	if err != nil {
		return nil, err
	}
	r.Lengths = sync.OnceValues(func() (Lengths, error) {
		l, err := openLengths(lengths, s.Docs)
		return l.coded(), err
	})
	return r, nil
}

// ID is that of the file.
func (s *Segment) ID() pagefile.ID { return s.file.ID() }

// Changed reports whether the file has changed since it was opened, see
// [pagefile.File.Changed].
func (s *Segment) Changed() error { return s.file.Changed() }

// Field finds a field by its name.
func (s *Segment) Field(name string) (*FieldReader, bool) {
	f, ok := s.byName[name]
	return f, ok
}

// Sizes calls f with the bytes that each part of the segment takes: what it is,
// and of which field, "" when of none.
func (s *Segment) Sizes(f func(what, field string, bytes uint64)) {
	names := map[uint16]string{}
	for _, field := range s.Fields {
		names[uint16(field.Number)] = field.Name
	}
	s.file.Sizes(func(kind, field uint16, bytes uint64) {
		what, of := kinds[kind], ""
		if kind >= sectionTerms && kind != sectionNumbers {
			of = names[field]
		}
		if what == "" {
			what = "other"
		}
		f(what, of, bytes)
	})
}

// Find returns the document of a key, or NoDoc.
func (s *Segment) Find(key string) (uint32, error) {
	place, ok, err := s.Keys.Find([]byte(key))
	if err != nil || !ok {
		return NoDoc, err
	}
	p, err := s.Places()
	if err != nil {
		return NoDoc, err
	}
	return p.Doc(uint32(place)), nil
}

// Key returns the key of a document.
func (s *Segment) Key(doc uint32) (string, error) {
	p, err := s.Places()
	if err != nil {
		return "", err
	}
	return s.Keys.At(int(p.Of(doc)))
}

// AppendKey appends the key of a document to dst.
func (s *Segment) AppendKey(dst []byte, doc uint32) ([]byte, error) {
	p, err := s.Places()
	if err != nil {
		return dst, err
	}
	return s.Keys.AppendAt(dst, int(p.Of(doc)))
}

// Values returns the stored values of a document that are wanted.
func (s *Segment) Values(doc uint32, want func(field int) bool) ([]Value, error) {
	return s.Walk().Values(doc, want)
}

// Walk reads what is stored of many documents. It is quick when they are asked
// for by ascending [Segment.Place].
type Walk struct {
	s            *Segment
	small, large *stored.Walk
}

// Walk returns a walk.
func (s *Segment) Walk() *Walk { return &Walk{s, s.small.Walk(), s.large.Walk()} }

// Place returns a number by which documents ascend in the order in which they are
// stored.
func (s *Segment) Place(doc uint32) (uint64, error) {
	small, err := s.small.Place(doc)
	if err != nil {
		return 0, err
	}
	large, err := s.large.Place(doc)
	return uint64(small)<<32 | uint64(large), err
}

// Unpacked is how many blocks the walk has unpacked.
func (w *Walk) Unpacked() int { return w.small.Unpacked() + w.large.Unpacked() }

// Record returns the records of a document, until the next call.
func (w *Walk) Record(doc uint32) (small, large []byte, err error) {
	if small, err = w.small.Record(doc); err == nil {
		large, err = w.large.Record(doc)
	}
	return small, large, err
}

// Values returns the stored values of a document that are wanted.
func (w *Walk) Values(doc uint32, want func(field int) bool) ([]Value, error) {
	small, err := w.small.Record(doc)
	if err != nil {
		return nil, err
	}
	large := func() ([]byte, error) { return w.large.Record(doc) }
	values, err := readRecord(small, large, want)
	if err != nil {
		return nil, w.s.damage(err, doc)
	}
	return values, nil
}
