package repair

import (
	"errors"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/vector"
)

// overlay opens the columns of a segment that were set later, but for those that
// cannot be repaired.
func (s *Index) overlay(seg commit.Segment, h *commit.File) (commit.Overlay, error) {
	out, files := commit.Overlay{}, map[uint64]*commit.ColumnFile{}
	for _, c := range seg.Columns {
		f, tried := files[c.Number]
		if !tried {
			var err error
			if f, err = s.columnFile(c, h.Seg.Docs); err != nil {
				return nil, errors.Join(err, out.Release())
			}
			files[c.Number] = f
			if f != nil {
				out[c.Field] = f
			}
			continue
		}
		if f != nil {
			out[c.Field] = f.Retain()
		}
	}
	for _, f := range out.Files() {
		if err := fault.Reading(func() error { return out.VerifyFile(s.Ctx, h, f) }); err != nil {
			if err := s.note(err); err != nil {
				return nil, errors.Join(err, out.Release())
			}
			if err := out.Drop(f); err != nil {
				return nil, errors.Join(err, out.Release())
			}
		}
	}
	return out, nil
}

// columnFile opens a file of columns, as it is or repaired; nil when neither can
// be done. What is wrong is noted.
func (s *Index) columnFile(c commit.Column, docs uint32) (*commit.ColumnFile, error) {
	var f *commit.ColumnFile
	err := fault.Reading(func() (err error) {
		if f, err = commit.OpenColumnFile(s.From, c.Number, s.wanted(c.ID)); err != nil {
			return err
		}
		if err = f.File.Verify(s.Ctx); err == nil && !f.Fits(docs) {
			err = &pagefile.Damage{Msg: "of another number of documents"}
		}
		return fault.Damage(f.Name(), err)
	})
	if err == nil {
		return f, nil
	}
	if f != nil {
		err = errors.Join(err, f.Release())
	}
	if err := s.note(err); err != nil {
		return nil, err
	}
	mapping, file, whole := s.repair(commit.ColumnName(c.Number), c.ID)
	if file == nil {
		return nil, nil
	}
	if !whole {
		return nil, mapping.Close()
	}
	if f, err = commit.NewColumnFile(mapping, c.Number, pagefile.ID{}); err != nil {
		return nil, s.note(err)
	}
	f.Repaired = true
	return f, nil
}

// RemainingColumns are the columns of a damaged segment that are not stored
// besides.
type RemainingColumns []remainingColumn

type remainingColumn struct {
	schema.Field
	Of      *column.Column
	Vectors *vector.Reader // of a field of vectors, in the place of Of
	Lost    error          // why it cannot be read
}

// Columns opens what is left of the columns of a damaged segment.
func (s *Index) Columns(r Segment) (out RemainingColumns, err error) {
	for field, t := range s.Manifest.Schema {
		if !t.Column || t.Stored {
			continue
		}
		c := remainingColumn{Field: t}
		if t.Kind == schema.Vector {
			c.Vectors, c.Lost = r.Left.Vectors(field)
			out = append(out, c)
			continue
		}
		if c.Of, err = s.setColumn(r, field); err != nil {
			return nil, err
		}
		if c.Of == nil {
			c.Of, c.Lost = r.Left.Column(field)
		}
		out = append(out, c)
	}
	return out, nil
}

// setColumn opens the column of a field that was set later; nil when there is
// none, or it is damaged, which is noted.
func (s *Index) setColumn(r Segment, field int) (*column.Column, error) {
	for _, c := range r.Columns {
		if c.Field != field {
			continue
		}
		f, err := s.columnFile(c, r.Left.Docs)
		if f == nil {
			return nil, err
		}
		s.files = append(s.files, f)
		of, err := column.Open(f.File, uint16(field), r.Left.Docs)
		if err == nil && of != nil {
			err = of.Verify(s.Ctx)
		}
		if err != nil {
			return nil, s.note(fault.Damage(f.Name(), err))
		}
		return of, nil
	}
	return nil, nil
}
