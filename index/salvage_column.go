package index

import (
	"errors"

	"github.com/webquarry/quarry/index/internal/column"
)

// overlay opens the columns of a segment that were set later; none when one of
// them is damaged, which is noted.
func (s *salvage) overlay(seg manifestSegment, h *handle) (overlay, error) {
	columns, err := (&Index{place: s.from}).openOverlay(seg, nil)
	if err == nil {
		if err = columns.verify(s.ctx, h); err == nil {
			return columns, nil
		}
		err = errors.Join(err, columns.release())
	}
	return nil, s.note(err)
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
		f, err := openColumnFile(s.from, c.Number)
		if err != nil {
			return nil, s.note(err)
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

// add adds what a document has in the columns.
func (c remainingColumns) add(to []Field, doc uint32) (_ []Field, err error) {
	for _, column := range c {
		if column.lost != nil {
			return nil, column.lost
		}
		if to, err = addColumn(to, column.FieldType, column.of, doc); err != nil {
			return nil, err
		}
	}
	return to, nil
}
