package index

import (
	"cmp"
	"context"
	"slices"

	"github.com/webquarry/quarry/index/internal/collect"
	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/segment"
)

// hits reads the keys and fields of a page of matches.
func (s *Snapshot) hits(r *exec.Run, page []collect.Found, fields []string) ([]Hit, error) {
	keys, err := collect.Keys(r, s.commit, page)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(keys))
	for i, key := range keys {
		hits[i] = Hit{Key: key, Score: page[i].Score}
	}
	shown := shownOf(s.commit, fields)
	if len(shown.stored)+len(shown.columns) == 0 {
		return hits, nil
	}
	return shown.read(r, page[:len(hits)], hits)
}

// shown are the fields that hits are shown with.
type shown struct {
	commit  *exec.Collection
	stored  map[int]string // names by number
	columns []int          // those that are not stored besides
}

func shownOf(c *exec.Collection, names []string) shown {
	s := shown{commit: c}
	for number, f := range c.Schema {
		switch {
		case !slices.Contains(names, f.Name):
		case f.Stored:
			if s.stored == nil {
				s.stored = map[int]string{}
			}
			s.stored[number] = f.Name
		case f.Column:
			s.columns = append(s.columns, number)
		}
	}
	return s
}

// read reads the fields of hits, which are those of page, segment by segment in the
// order in which they are stored, so that a block of them is unpacked once. When the
// context ends a search that is to answer in part, it returns the first of the hits,
// as many as were read.
func (s shown) read(r *exec.Run, page []collect.Found, hits []Hit) ([]Hit, error) {
	order, err := s.order(page)
	if err != nil {
		return nil, err
	}
	in := shownReader{shown: s, run: r, view: -1}
	defer in.done()
	done := make([]bool, len(hits))
	for n, i := range order {
		if n > 0 && n%collect.ReadEvery == 0 && r.Ctx.Err() != nil {
			if !r.Partial {
				return nil, context.Cause(r.Ctx)
			}
			r.Cut = true
			break
		}
		if err := in.read(page[i], &hits[i]); err != nil {
			return nil, err
		}
		done[i] = true
	}
	for _, i := range order { // those of the first that are left
		if i < collect.ReadEvery && !done[i] {
			if err := in.read(page[i], &hits[i]); err != nil {
				return nil, err
			}
			done[i] = true
		}
	}
	if n := slices.Index(done, false); n >= 0 {
		hits = hits[:n]
	}
	return hits, nil
}

// order lists the places of matches in the order in which they are read.
func (s shown) order(page []collect.Found) ([]int, error) {
	type place struct {
		at uint64
		i  int
	}
	places := make([]place, len(page))
	for i, f := range page {
		places[i] = place{uint64(f.Doc), i}
		if len(s.stored) > 0 {
			v := s.commit.Views[f.View]
			at, err := v.Seg.Place(f.Doc)
			if err != nil {
				return nil, fault.Damage(v.Name(), err)
			}
			places[i].at = at
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(page[a.i].View-page[b.i].View, cmp.Compare(a.at, b.at))
	})
	order := make([]int, len(page))
	for n, p := range places {
		order[n] = p.i
	}
	return order, nil
}

// shownReader reads fields of the documents of one view after the other.
type shownReader struct {
	shown
	run     *exec.Run
	view    int
	walk    *segment.Walk
	of      []*column.Column // as columns
	cursors []*column.Cursor
}

// open goes to a view.
func (in *shownReader) open(view int) error {
	in.done()
	in.view = view
	v := in.commit.Views[view]
	if len(in.stored) > 0 {
		in.walk = v.Seg.Walk()
	}
	in.of, in.cursors = in.of[:0], in.cursors[:0]
	for _, field := range in.columns {
		of, err := v.Column(field)
		if err != nil {
			return err
		}
		in.of, in.cursors = append(in.of, of), append(in.cursors, of.Cursor())
	}
	return nil
}

// done ends the work on a view.
func (in *shownReader) done() {
	if in.walk != nil && in.run.Work != nil {
		in.run.Work.Records += in.walk.Unpacked()
	}
	in.walk = nil
}

// read gives a hit its fields.
func (in *shownReader) read(f collect.Found, h *Hit) error {
	if f.View != in.view {
		if err := in.open(f.View); err != nil {
			return err
		}
	}
	v := in.commit.Views[f.View]
	if in.walk != nil {
		values, err := in.walk.Values(f.Doc, func(field int) bool { return in.stored[field] != "" })
		if err != nil {
			return fault.Damage(v.Name(), err)
		}
		h.Fields = make(map[string]any, len(values)+len(in.columns))
		for _, value := range values {
			h.Fields[in.stored[value.Field]] = storedValue(value)
		}
	}
	for i, field := range in.columns {
		t := in.commit.Schema[field]
		if t.Kind == schema.Vector {
			of, err := vectorOf(v, f.Doc, field)
			if err != nil {
				return err
			}
			if of != nil {
				h.set(t.Name, of)
			}
			continue
		}
		numbers, texts, err := columnValues(in.of[i], in.cursors[i], t.Kind, f.Doc)
		if err != nil {
			return fault.Damage(v.Overlay.Name(v.File, field), err)
		}
		if len(numbers)+len(texts) == 0 {
			continue
		}
		h.set(t.Name, columnValue(t.Kind, numbers, texts))
	}
	return nil
}

func (h *Hit) set(name string, v any) {
	if h.Fields == nil {
		h.Fields = map[string]any{}
	}
	h.Fields[name] = v
}
