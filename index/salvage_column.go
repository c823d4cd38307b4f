package index

import (
	"errors"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/pagefile"
)

// overlay opens the columns of a segment that were set later, but for those that
// cannot be repaired.
func (s *salvage) overlay(seg manifestSegment, h *handle) (overlay, error) {
	out, files := overlay{}, map[uint64]*columnFile{}
	for _, c := range seg.Columns {
		f, tried := files[c.Number]
		if !tried {
			var err error
			if f, err = s.columnFile(c, h.seg.Docs); err != nil {
				return nil, errors.Join(err, out.release())
			}
			files[c.Number] = f
			if f != nil {
				out[c.Field] = f
			}
			continue
		}
		if f != nil {
			out[c.Field] = f.retain()
		}
	}
	for _, f := range out.files() {
		if err := reading(func() error { return out.verifyFile(s.ctx, h, f) }); err != nil {
			if err := s.note(err); err != nil {
				return nil, errors.Join(err, out.release())
			}
			if err := out.drop(f); err != nil {
				return nil, errors.Join(err, out.release())
			}
		}
	}
	return out, nil
}

// drop leaves out a file.
func (o overlay) drop(f *columnFile) error {
	var errs []error
	for field, of := range o {
		if of == f {
			errs = append(errs, f.release())
			delete(o, field)
		}
	}
	return errors.Join(errs...)
}

// columnFile opens a file of columns, as it is or repaired; nil when neither can
// be done. What is wrong is noted.
func (s *salvage) columnFile(c manifestColumn, docs uint32) (*columnFile, error) {
	var f *columnFile
	err := reading(func() (err error) {
		if f, err = openColumnFile(s.from, c.Number, s.wanted(c.ID)); err != nil {
			return err
		}
		if err = f.file.Verify(s.ctx); err == nil && !f.fits(docs) {
			err = &pagefile.Damage{Msg: "of another number of documents"}
		}
		return damage(f.name(), err)
	})
	if err == nil {
		return f, nil
	}
	if f != nil {
		err = errors.Join(err, f.release())
	}
	if err := s.note(err); err != nil {
		return nil, err
	}
	mapping, file, whole := s.repair(columnName(c.Number), c.ID)
	if file == nil {
		return nil, nil
	}
	if !whole {
		return nil, mapping.Close()
	}
	if f, err = newColumnFile(mapping, c.Number, pagefile.ID{}); err != nil {
		return nil, s.note(err)
	}
	f.repaired = true
	return f, nil
}

// remainingColumns are the columns of a damaged segment that are not stored
// besides.
type remainingColumns []remainingColumn

type remainingColumn struct {
	FieldType
	of   *column.Column
	lost error // why it cannot be read
}

// columns opens what is left of the columns of a damaged segment.
func (s *salvage) columns(r remains) (out remainingColumns, err error) {
	for field, t := range s.m.Schema {
		if !t.Column || t.Stored {
			continue
		}
		c := remainingColumn{FieldType: t}
		if c.of, err = s.setColumn(r, field); err != nil {
			return nil, err
		}
		if c.of == nil {
			c.of, c.lost = r.left.Column(field)
		}
		out = append(out, c)
	}
	return out, nil
}

// setColumn opens the column of a field that was set later; nil when there is
// none, or it is damaged, which is noted.
func (s *salvage) setColumn(r remains, field int) (*column.Column, error) {
	for _, c := range r.Columns {
		if c.Field != field {
			continue
		}
		f, err := s.columnFile(c, r.left.Docs)
		if f == nil {
			return nil, err
		}
		s.files = append(s.files, f)
		of, err := column.Open(f.file, uint16(field), r.left.Docs)
		if err == nil && of != nil {
			err = of.Verify(s.ctx)
		}
		if err != nil {
			return nil, s.note(damage(f.name(), err))
		}
		return of, nil
	}
	return nil, nil
}

// add adds what a document has in the columns, as far as that can be read, and
// reports whether that is all.
func (c remainingColumns) add(to []Field, doc uint32) (_ []Field, complete bool) {
	complete = true
	for _, column := range c {
		next, err := to, column.lost
		if err == nil {
			next, err = addColumn(to, column.FieldType, column.of, doc)
		}
		if err != nil {
			complete = false
			continue
		}
		to = next
	}
	return to, complete
}
