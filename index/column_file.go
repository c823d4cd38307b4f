package index

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
)

// columnFile is a file column-N: whole columns of one segment, as they were set
// after the segment was written, or its anchors, as one field (see join.go). It
// never changes; the commit says of which fields it holds the newest values. It is
// shared by commits and the writer, and closed when none of them uses it any more.
type columnFile struct {
	number  uint64
	bytes   int64
	file    *pagefile.File
	fields  []*segment.FieldReader // of anchors; nil: it holds columns
	mapping *store.Mapping
	opened  sync.Map // by field, its *column.Column

	repaired bool // the mapping is not what is on disk

	mu   sync.Mutex
	refs int
}

// openColumnFile opens a file, which must have the ID unless that is zero.
func openColumnFile(in store.Folder, number uint64, id pagefile.ID) (*columnFile, error) {
	name := columnName(number)
	mapping, err := in.Map(name)
	if err != nil {
		return nil, missing(name, err)
	}
	return newColumnFile(mapping, number, id)
}

// newColumnFile makes a file that takes over a mapping.
func newColumnFile(mapping *store.Mapping, number uint64, id pagefile.ID) (*columnFile, error) {
	name := columnName(number)
	file, err := pagefile.Open(mapping.Bytes)
	if err == nil {
		err = expect(id, file.ID())
	}
	if err != nil {
		return nil, errors.Join(damage(name, err), mapping.Close())
	}
	fields, err := segment.OpenFields(file)
	if err != nil {
		return nil, errors.Join(damage(name, err), mapping.Close())
	}
	return &columnFile{number: number, bytes: int64(len(mapping.Bytes)), file: file, fields: fields, mapping: mapping, refs: 1}, nil
}

func (f *columnFile) changed() error { return damage(f.name(), f.file.Changed()) }

// id tells the file from the others of the index.
func (f *columnFile) id() fileID { return fileID(f.file.ID().File) }

func (f *columnFile) name() string { return columnName(f.number) }

func (f *columnFile) retain() *columnFile {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refs++
	return f
}

func (f *columnFile) release() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refs--; f.refs > 0 {
		return nil
	}
	return f.mapping.Close()
}

// overlay says for some fields, by number, which file has their columns; the
// others are in the segment. It does not change once it is in use.
type overlay map[int]*columnFile

func (o overlay) retain() overlay {
	for _, f := range o {
		f.retain()
	}
	return o
}

func (o overlay) release() error {
	var errs []error
	for _, f := range o {
		errs = append(errs, f.release())
	}
	return errors.Join(errs...)
}

// has reports whether the file of a number is there.
func (o overlay) has(number uint64) bool {
	for _, f := range o {
		if f.number == number {
			return true
		}
	}
	return false
}

// find returns the file that a commit names, if it is there.
func (o overlay) find(c manifestColumn) *columnFile {
	for _, f := range o {
		if f.number == c.Number && f.id() == c.ID {
			return f
		}
	}
	return nil
}

// manifest says which files these are, by field.
func (o overlay) manifest() (out []manifestColumn) {
	for _, field := range slices.Sorted(maps.Keys(o)) {
		out = append(out, manifestColumn{field, o[field].number, o[field].id(), o[field].bytes})
	}
	return out
}

// open opens the column of a field of a segment; nil when no document of it has
// a value. A column is opened once, and kept with its file.
func (o overlay) open(h *handle, field int) (*column.Column, error) {
	opened, read := &h.opened, func() (*column.Column, error) { return h.seg.Column(field) }
	if f := o[field]; f != nil {
		opened, read = &f.opened, func() (*column.Column, error) { return column.Open(f.file, uint16(field), h.seg.Docs) }
	}
	if c, ok := opened.Load(field); ok {
		return c.(*column.Column), nil
	}
	c, err := read()
	if err != nil {
		return nil, damage(o.name(h, field), err)
	}
	opened.Store(field, c)
	return c, nil
}

// sections returns the files with columns as a merge reads them.
func (o overlay) sections() map[int]column.File {
	out := map[int]column.File{}
	for field, f := range o {
		if f.fields == nil {
			out[field] = f.file
		}
	}
	return out
}

// fields returns the fields of anchors.
func (o overlay) fields() (out []*segment.FieldReader) {
	for _, f := range o {
		out = append(out, f.fields...)
	}
	return out
}

// field finds a field of a segment by its name.
func (o overlay) field(h *handle, name string) (*segment.FieldReader, bool) {
	for _, f := range o.fields() {
		if f.Name == name {
			return f, true
		}
	}
	return h.seg.Field(name)
}

// damage says which file of a segment is damaged.
func (o overlay) damage(h *handle, err error) error {
	if _, ok := errors.AsType[*pagefile.Damage](err); ok {
		for _, f := range o.files() {
			if of := f.file.Verify(context.Background()); of != nil {
				return damage(f.name(), of)
			}
		}
	}
	return damage(h.name(), err)
}

// fits reports whether a file is of a segment of so many documents.
func (f *columnFile) fits(docs uint32) bool {
	return !slices.ContainsFunc(f.fields, func(r *segment.FieldReader) bool { return r.Lists.Docs != docs })
}

// name is that of the file that holds the column of a field.
func (o overlay) name(h *handle, field int) string {
	if f := o[field]; f != nil {
		return f.name()
	}
	return h.name()
}

// files returns the different files, by number.
func (o overlay) files() []*columnFile {
	byNumber := map[uint64]*columnFile{}
	for _, f := range o {
		byNumber[f.number] = f
	}
	var out []*columnFile
	for _, n := range slices.Sorted(maps.Keys(byNumber)) {
		out = append(out, byNumber[n])
	}
	return out
}

// verify reads all of the files.
func (o overlay) verify(ctx context.Context, h *handle) error {
	for _, f := range o.files() {
		if err := o.verifyFile(ctx, h, f); err != nil {
			return err
		}
	}
	return nil
}

// verifyFile reads all of a file.
func (o overlay) verifyFile(ctx context.Context, h *handle, f *columnFile) error {
	if err := f.file.Verify(ctx); err != nil {
		return damage(f.name(), err)
	}
	for _, r := range f.fields {
		if err := r.Verify(ctx); err != nil {
			return damage(f.name(), err)
		}
	}
	for field, of := range o {
		if of != f || f.fields != nil {
			continue
		}
		c, err := o.open(h, field)
		if err == nil && c == nil {
			err = &CorruptError{f.name(), 0, errors.New("a column is missing")}
		}
		if err == nil {
			err = damage(f.name(), c.Verify(ctx))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes a file with the columns of a segment as they are after sets.
func (o overlay) write(ctx context.Context, in store.Place, number uint64, h *handle, s sets) (_ *columnFile, err error) {
	name := columnName(number)
	file, err := in.Create(name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			in.Remove(name) // what stays is removed by the next writer
		}
	}()
	out := pagefile.NewWriter(file, h.seg.ID().Index)
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
	return openColumnFile(in, number, pagefile.ID{})
}

func (o overlay) writeField(ctx context.Context, out *pagefile.Writer, h *handle, field int, set map[uint32]setValue) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	old, err := o.open(h, field)
	if err != nil {
		return err
	}
	v := column.NewValues(int(h.seg.Docs))
	cur := old.Cursor()
	for doc := range h.seg.Docs {
		if n, ok := cur.At(doc); ok {
			v.Set(int(doc), n)
		}
	}
	if err := cur.Err(); err != nil {
		return damage(o.name(h, field), err)
	}
	for doc, s := range set {
		v.Numbers[doc], v.Has[doc] = s.number, s.ok
	}
	return column.WriteNumbers(out, uint16(field), v)
}
