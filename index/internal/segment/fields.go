package segment

import (
	"context"
	"fmt"

	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/store"
)

// A file of fields has, of what a segment has, only what it says of itself and
// whole fields. It stands in for these fields in a segment of as many documents.

// CreateFields starts a file of fields of so many documents. Fields and Finish
// follow.
func CreateFields(in store.Folder, name string, index uint64, docs uint32) (*Writer, error) {
	file, err := in.Create(name)
	if err != nil {
		return nil, err
	}
	return &Writer{in: in, name: name, file: file, out: pagefile.NewWriter(file, index), meta: Meta{Docs: docs}}, nil
}

// OpenFields opens the fields in a file; none when it holds something else.
func OpenFields(file *pagefile.File) ([]*FieldReader, error) {
	s := &Segment{file: file}
	if _, ok := file.Section(sectionMeta, 0); !ok {
		return nil, nil
	}
	meta, err := s.meta()
	if err != nil {
		return nil, err
	}
	s.Docs = meta.Docs
	err = s.openFields(meta.Fields)
	return s.Fields, err
}

// Moved is a field with the numbers that its documents are to have; [NoDoc] of
// those that are left out. The others ascend.
type Moved struct {
	Field *FieldReader
	To    []uint32
}

// MergeField writes a field that is made of others. No two of them have the same
// document.
func MergeField(ctx context.Context, w *Writer, f Field, of []Moved) error {
	m := &merger{ctx: ctx, w: w, docs: w.meta.Docs}
	return m.field(f, of)
}

func (s *Segment) openFields(fields []Field) error {
	s.byName = make(map[string]*FieldReader, len(fields))
	for _, f := range fields {
		r, err := s.openField(f)
		if err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
		s.Fields = append(s.Fields, r)
		s.byName[f.Name] = r
	}
	return nil
}
