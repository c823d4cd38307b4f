package segment

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/vector"
)

// Vectors writes the vectors of a field, after the columns, see [vector.Write].
func (w *Writer) Vectors(ctx context.Context, field int, o vector.Options, of vector.Vectors, from *vector.Source) {
	if w.err != nil {
		return
	}
	check := func() error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
	w.fail(vector.Write(w.out, uint16(field), o, int(w.meta.Docs), of, from, check))
}

// Vectors opens the vectors of a field; nil when no document has one.
func (s *Segment) Vectors(field int) (*vector.Reader, error) {
	if r, ok := s.vectors.Load(field); ok {
		return r.(*vector.Reader), nil
	}
	r, err := vector.Open(s.file, uint16(field), s.Docs)
	if err == nil {
		s.vectors.Store(field, r)
	}
	return r, err
}

func (s *Segment) verifyVectors(ctx context.Context) error {
	for _, f := range s.file.Fields(vector.SectionHead) {
		r, err := s.Vectors(f)
		if err == nil {
			err = r.Verify(ctx)
		}
		if err != nil {
			return fmt.Errorf("vectors of field %d: %w", f, err)
		}
	}
	return nil
}

// Vectors opens the vectors of a field, as [Segment.Vectors] does.
func (r *Remains) Vectors(field int) (*vector.Reader, error) {
	if r.err != nil {
		return nil, r.err
	}
	of, err := r.s.Vectors(field)
	if of == nil && err == nil && !r.s.file.Whole() {
		err = &pagefile.Damage{Msg: "the end of the file is missing, and the vectors may have been there"}
	}
	return of, err
}

// vectors merges the vectors of the sources.
func (m *merger) vectors() error {
	fields := map[int]bool{}
	for _, s := range m.sources {
		for _, f := range s.Segment.file.Fields(vector.SectionHead) {
			fields[f] = true
		}
	}
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		if err := m.vectorsOf(f); err != nil {
			return err
		}
	}
	return m.w.Err()
}

// vectorsOf merges the vectors of a field. The largest graph of a source of which no
// document is gone is taken over.
func (m *merger) vectorsOf(field int) error {
	type live struct{ doc, old, source uint32 }
	var (
		all     []live
		of      = make([]*vector.Reader, len(m.sources))
		from    *vector.Source
		options vector.Options
	)
	for i, s := range m.sources {
		r, err := s.Segment.Vectors(field)
		if err != nil {
			return err
		}
		of[i] = r
		if r == nil {
			continue
		}
		if options.Dims != 0 && r.Options != options {
			return &pagefile.Damage{Msg: fmt.Sprintf("vectors of field %d with other options than elsewhere", field)}
		}
		options = r.Options
		whole := true
		for old, ok := r.Next(0); ok && int(old) < len(m.moved[i]); old, ok = r.Next(old + 1) {
			if err := m.check(); err != nil {
				return err
			}
			if doc := m.moved[i][old]; doc != NoDoc {
				all = append(all, live{doc, old, uint32(i)})
			} else {
				whole = false
			}
		}
		if whole && r.Graph() && (from == nil || r.Len() > from.Reader.Len()) {
			from = &vector.Source{Reader: r, To: m.moved[i]}
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b live) int { return cmp.Compare(a.doc, b.doc) })
	var failed error
	m.w.Vectors(m.ctx, field, options, func(yield func(uint32, []byte) bool) {
		for _, l := range all {
			row, err := of[l.source].Row(l.old)
			if err != nil {
				failed = err
				return
			}
			if !yield(l.doc, row) {
				return
			}
		}
	}, from)
	return cmp.Or(failed, m.w.Err())
}
