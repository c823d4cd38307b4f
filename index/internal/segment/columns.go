package segment

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/front"
)

// Numbers writes a column of numbers, after the fields.
func (w *Writer) Numbers(field int, v column.Values) {
	w.fail(column.WriteNumbers(w.out, uint16(field), v))
}

// Strings writes a column of strings.
func (w *Writer) Strings(field int, dict iter.Seq[[]byte], s column.Strings) {
	w.fail(column.WriteStrings(w.out, uint16(field), w.meta.Docs, dict, s))
}

// Column opens the column of a field; nil when no document has a value.
func (s *Segment) Column(field int) (*column.Column, error) {
	return column.Open(s.file, uint16(field), s.Docs)
}

// Columns returns the fields that have columns.
func (s *Segment) Columns() []int { return s.file.Fields(column.SectionTable) }

func (s *Segment) verifyColumns(ctx context.Context) error {
	for _, f := range s.Columns() {
		c, err := s.Column(f)
		if err == nil {
			err = c.Verify(ctx)
		}
		if err != nil {
			return fmt.Errorf("column of field %d: %w", f, err)
		}
	}
	return nil
}

func (s Source) column(field int) (*column.Column, error) {
	if f, ok := s.Columns[field]; ok {
		return column.Open(f, uint16(field), s.Segment.Docs)
	}
	return s.Segment.Column(field)
}

// columns merges the columns of the sources.
func (m *merger) columns() error {
	fields := map[int]bool{}
	for _, s := range m.sources {
		for _, f := range s.Segment.Columns() {
			fields[f] = true
		}
		for f := range s.Columns {
			fields[f] = true
		}
	}
	for _, f := range slices.Sorted(maps.Keys(fields)) {
		of, text, err := m.of(f)
		if err != nil {
			return err
		}
		merge := m.numbers
		if text {
			merge = m.strings
		}
		if err := merge(f, of); err != nil {
			return err
		}
	}
	return m.w.Err()
}

// of opens a column of the sources, and reports whether it has strings.
func (m *merger) of(field int) (of []*column.Column, text bool, err error) {
	for _, s := range m.sources {
		c, err := s.column(field)
		if err != nil {
			return nil, false, err
		}
		of = append(of, c)
		text = text || c != nil && c.Dict != nil
	}
	return of, text, nil
}

// each calls f with every live document of the columns, by its new number.
func (m *merger) each(of []*column.Column, f func(source int, cur *column.Cursor, old, doc uint32)) error {
	for i, c := range of {
		if c == nil {
			continue
		}
		cur := c.Cursor()
		for old, doc := range m.moved[i] {
			if err := m.check(); err != nil {
				return err
			}
			if doc != NoDoc {
				f(i, cur, uint32(old), doc)
			}
		}
		if err := cur.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (m *merger) numbers(field int, of []*column.Column) error {
	v, err := m.values(of)
	if err == nil {
		m.w.Numbers(field, v)
	}
	return err
}

// values reads columns of numbers.
func (m *merger) values(of []*column.Column) (column.Values, error) {
	v := column.NewValues(int(m.docs))
	return v, m.each(of, func(_ int, cur *column.Cursor, old, doc uint32) {
		if n, ok := cur.At(old); ok {
			v.Set(int(doc), n)
		}
	})
}

// strings merges columns of strings. Strings that only deleted documents have
// are left out.
func (m *merger) strings(field int, of []*column.Column) error {
	places := make([][]uint32, len(of)) // by source and old place, the new one
	for i, c := range of {
		if c != nil && c.Dict != nil {
			places[i] = make([]uint32, c.Dict.Len())
		}
	}
	var values []int64
	used := func(source int, cur *column.Cursor, old, _ uint32) {
		values = cur.Values(values[:0], old)
		for _, v := range values {
			if v >= 0 && v < int64(len(places[source])) {
				places[source][v] = 1
			}
		}
	}
	if err := m.each(of, used); err != nil {
		return err
	}
	dict, err := mergeDicts(of, places)
	if err != nil {
		return err
	}
	var out column.Strings
	err = m.each(of, func(source int, cur *column.Cursor, old, doc uint32) {
		values = cur.Values(values[:0], old)
		for _, v := range values {
			if v >= 0 && v < int64(len(places[source])) {
				out.Add(doc, places[source][v])
			}
		}
	})
	if err == nil {
		m.w.Strings(field, slices.Values(dict), out)
	}
	return err
}

// mergeDicts returns the strings of the dictionaries that are marked by a 1 in
// places, ascending, and puts there where each is now.
func mergeDicts(of []*column.Column, places [][]uint32) (out [][]byte, err error) {
	walks := make([]*front.Iter, len(of))
	for i, c := range of {
		if places[i] != nil {
			walks[i] = c.Dict.Iter()
		}
	}
	marked := func(i int) bool { at := walks[i].Place(); return at < len(places[i]) && places[i][at] == 1 }
	_, err = front.Merge(walks, marked, func(i int, first bool) {
		if first {
			out = append(out, bytes.Clone(walks[i].Text()))
		}
		places[i][walks[i].Place()] = uint32(len(out)) - 1
	})
	return out, err
}
