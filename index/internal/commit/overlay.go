package commit

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
)

// ColumnFile is a file column-N: whole columns of one segment, as they were set
// after the segment was written, or its anchors, as one field (see index/join.go). It
// never changes; the commit says of which fields it holds the newest values. It is
// shared by commits and the writer, and closed when none of them uses it any more.
type ColumnFile struct {
	mapped
	number uint64
	File   *pagefile.File
	Fields []*segment.FieldReader // of anchors; nil: it holds columns
}

// OpenColumnFile opens a file, which must have the ID unless that is zero.
func OpenColumnFile(in store.Folder, number uint64, id pagefile.ID) (*ColumnFile, error) {
	name := ColumnName(number)
	mapping, err := in.Map(name)
	if err != nil {
		return nil, fault.Missing(name, err)
	}
	return NewColumnFile(mapping, number, id)
}

// NewColumnFile makes a file that takes over a mapping.
func NewColumnFile(mapping *store.Mapping, number uint64, id pagefile.ID) (*ColumnFile, error) {
	name := ColumnName(number)
	file, err := pagefile.Open(mapping.Bytes)
	if err == nil {
		err = expect(id, file.ID())
	}
	if err != nil {
		return nil, errors.Join(fault.Damage(name, err), mapping.Close())
	}
	fields, err := segment.OpenFields(file)
	if err != nil {
		return nil, errors.Join(fault.Damage(name, err), mapping.Close())
	}
	return &ColumnFile{mapped: mapped{Bytes: int64(len(mapping.Bytes)), Mapping: mapping, refs: 1}, number: number, File: file, Fields: fields}, nil
}

// Changed reports that the file is not the one any more that was opened.
func (f *ColumnFile) Changed() error { return fault.Damage(f.Name(), f.File.Changed()) }

// ID tells the file from the others of the index.
func (f *ColumnFile) ID() FileID { return FileID(f.File.ID().File) }

// Name is the name of the file in the folder.
func (f *ColumnFile) Name() string { return ColumnName(f.number) }

// Retain makes one more user of a file that is in use.
func (f *ColumnFile) Retain() *ColumnFile {
	f.retain()
	return f
}

// Overlay says for some fields, by number, which file has their columns; the
// others are in the segment. It does not change once it is in use.
type Overlay map[int]*ColumnFile

// Retain makes one more user of each file.
func (o Overlay) Retain() Overlay {
	for _, f := range o {
		f.Retain()
	}
	return o
}

// Release ends one use of each file.
func (o Overlay) Release() error {
	var errs []error
	for _, f := range o {
		errs = append(errs, f.Release())
	}
	return errors.Join(errs...)
}

// Has reports whether the file of a number is there.
func (o Overlay) Has(number uint64) bool {
	for _, f := range o {
		if f.number == number {
			return true
		}
	}
	return false
}

// Drop leaves out a file.
func (o Overlay) Drop(f *ColumnFile) error {
	var errs []error
	for field, of := range o {
		if of == f {
			errs = append(errs, f.Release())
			delete(o, field)
		}
	}
	return errors.Join(errs...)
}

// With returns the overlay with a file, which it takes over, for some fields.
func (o Overlay) With(f *ColumnFile, fields iter.Seq[int]) Overlay {
	next := maps.Clone(o)
	if next == nil {
		next = Overlay{}
	}
	for field := range fields {
		if old := next[field]; old != nil {
			old.Release()
		}
		next[field] = f.Retain()
	}
	f.Release()
	return next
}

// find returns the file that a commit names, if it is there.
func (o Overlay) find(c Column) *ColumnFile {
	for _, f := range o {
		if f.number == c.Number && f.ID() == c.ID {
			return f
		}
	}
	return nil
}

// Manifest says which files these are, by field.
func (o Overlay) Manifest() (out []Column) {
	for _, field := range slices.Sorted(maps.Keys(o)) {
		out = append(out, Column{field, o[field].number, o[field].ID(), o[field].Bytes})
	}
	return out
}

// Open opens the column of a field of a segment; nil when no document of it has
// a value. A column is opened once, and kept with its file.
func (o Overlay) Open(h *File, field int) (*column.Column, error) {
	opened, read := &h.opened, func() (*column.Column, error) { return h.Seg.Column(field) }
	if f := o[field]; f != nil {
		opened, read = &f.opened, func() (*column.Column, error) { return column.Open(f.File, uint16(field), h.Seg.Docs) }
	}
	if c, ok := opened.Load(field); ok {
		return c.(*column.Column), nil
	}
	c, err := read()
	if err != nil {
		return nil, fault.Damage(o.Name(h, field), err)
	}
	opened.Store(field, c)
	return c, nil
}

// Sections returns the files with columns as a merge reads them.
func (o Overlay) Sections() map[int]column.File {
	out := map[int]column.File{}
	for field, f := range o {
		if f.Fields == nil {
			out[field] = f.File
		}
	}
	return out
}

// Fields returns the fields of anchors.
func (o Overlay) Fields() (out []*segment.FieldReader) {
	for _, f := range o {
		out = append(out, f.Fields...)
	}
	return out
}

// Field finds a field of a segment by its name.
func (o Overlay) Field(h *File, name string) (*segment.FieldReader, bool) {
	for _, f := range o.Fields() {
		if f.Name == name {
			return f, true
		}
	}
	return h.Seg.Field(name)
}

// Damage says which file of a segment is damaged.
func (o Overlay) Damage(h *File, err error) error {
	if _, ok := errors.AsType[*pagefile.Damage](err); ok {
		for _, f := range o.Files() {
			if of := f.File.Verify(context.Background()); of != nil {
				return fault.Damage(f.Name(), of)
			}
		}
	}
	return fault.Damage(h.Name(), err)
}

// Fits reports whether a file is of a segment of so many documents.
func (f *ColumnFile) Fits(docs uint32) bool {
	return !slices.ContainsFunc(f.Fields, func(r *segment.FieldReader) bool { return r.Lists.Docs != docs })
}

// Name is that of the file that holds the column of a field.
func (o Overlay) Name(h *File, field int) string {
	if f := o[field]; f != nil {
		return f.Name()
	}
	return h.Name()
}

// Files returns the different files, by number.
func (o Overlay) Files() []*ColumnFile {
	byNumber := map[uint64]*ColumnFile{}
	for _, f := range o {
		byNumber[f.number] = f
	}
	var out []*ColumnFile
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		out = append(out, byNumber[n])
	}
	return out
}

// Verify reads all of the files.
func (o Overlay) Verify(ctx context.Context, h *File) error {
	for _, f := range o.Files() {
		if err := o.VerifyFile(ctx, h, f); err != nil {
			return err
		}
	}
	return nil
}

// VerifyFile reads all of a file.
func (o Overlay) VerifyFile(ctx context.Context, h *File, f *ColumnFile) error {
	if err := f.File.Verify(ctx); err != nil {
		return fault.Damage(f.Name(), err)
	}
	for _, r := range f.Fields {
		if err := r.Verify(ctx); err != nil {
			return fault.Damage(f.Name(), err)
		}
	}
	for field, of := range o {
		if of != f || f.Fields != nil {
			continue
		}
		c, err := o.Open(h, field)
		if err == nil && c == nil {
			err = &fault.CorruptError{File: f.Name(), Offset: 0, Err: errors.New("a column is missing")}
		}
		if err == nil {
			err = fault.Damage(f.Name(), c.Verify(ctx))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Write writes a file with the columns of a segment as they are after sets.
func (o Overlay) Write(ctx context.Context, in store.Place, number uint64, h *File, s Sets) (_ *ColumnFile, err error) {
	name := ColumnName(number)
	file, err := in.Create(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			in.Remove(name) // what stays is removed by the next writer
		}
	}()
	out := pagefile.NewWriter(file, h.Seg.ID().Index)
	for _, field := range slices.Sorted(maps.Keys(s)) {
		if err == nil {
			err = o.writeField(ctx, out, h, field, s[field])
		}
	}
	if err == nil {
		err = out.Finish()
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return OpenColumnFile(in, number, pagefile.ID{})
}

func (o Overlay) writeField(ctx context.Context, out *pagefile.Writer, h *File, field int, set map[uint32]Value) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	old, err := o.Open(h, field)
	if err != nil {
		return err
	}
	v := column.NewValues(int(h.Seg.Docs))
	cur := old.Cursor()
	for doc := range h.Seg.Docs {
		if n, ok := cur.At(doc); ok {
			v.Set(int(doc), n)
		}
	}
	if err := cur.Err(); err != nil {
		return fault.Damage(o.Name(h, field), err)
	}
	for doc, s := range set {
		v.Numbers[doc], v.Has[doc] = s.Number, s.OK
	}
	return column.WriteNumbers(out, uint16(field), v)
}
