package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/webquarry/quarry/index/internal/packed"
	"github.com/webquarry/quarry/index/internal/pagefile"
)

// Verify reads all of the segment.
func (s *Segment) Verify(ctx context.Context) error {
	if err := s.file.Verify(ctx); err != nil {
		return err
	}
	if err := s.verifyDocuments(ctx); err != nil {
		return err
	}
	for _, f := range s.Fields {
		if err := f.Verify(ctx); err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	if err := s.verifyColumns(ctx); err != nil {
		return err
	}
	return s.verifyVectors(ctx)
}

func (s *Segment) verifyDocuments(ctx context.Context) error {
	if err := errors.Join(s.small.Verify(), s.large.Verify()); err != nil {
		return err
	}
	places, err := s.Places()
	if err != nil {
		return err
	}
	var last []byte
	small, large := s.small.Walk(), s.large.Walk()
	keys := s.Keys.Iter()
	for keys.Next() {
		place := uint32(keys.Place())
		doc := places.Doc(place)
		if place%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if place > 0 && bytes.Compare(last, keys.Text()) >= 0 {
			return keys.Damage()
		}
		last = append(last[:0], keys.Text()...)
		record, err := small.Record(doc)
		if err != nil {
			return err
		}
		rest := func() ([]byte, error) { return large.Record(doc) }
		if _, err := readRecord(record, rest, func(int) bool { return true }); err != nil {
			return s.damage(err, doc)
		}
	}
	return keys.Err()
}

// damage gives an error of a record a place in the file.
func (s *Segment) damage(err error, doc uint32) error {
	if errors.Is(err, packed.ErrDamaged) {
		return &pagefile.Damage{Msg: fmt.Sprintf("damaged record of document %d", doc)}
	}
	return err
}

// Verify reads all of the field.
func (f *FieldReader) Verify(ctx context.Context) error {
	lengths, err := f.Lengths()
	if err != nil {
		return err
	}
	tokens := uint64(0)
	for doc := range f.Lists.Docs {
		tokens += uint64(lengths.At(doc))
	}
	if tokens != f.Tokens {
		return &pagefile.Damage{Msg: "the lengths of the documents do not sum up"}
	}
	var last []byte
	terms := f.Dict.Iter()
	for n := 0; terms.Next(); n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if n > 0 && bytes.Compare(last, terms.Term()) >= 0 {
			return &pagefile.Damage{Msg: fmt.Sprintf("term %q is out of order", terms.Term())}
		}
		last = append(last[:0], terms.Term()...)
		e, err := terms.Entry()
		if err != nil {
			return err
		}
		if err := f.Lists.Verify(e, lengths.At); err != nil {
			return fmt.Errorf("term %q: %w", terms.Term(), err)
		}
	}
	return terms.Err()
}
