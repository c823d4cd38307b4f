package index

import (
	"cmp"
	"context"
	"slices"

	"github.com/webquarry/quarry/index/internal/column"
	"github.com/webquarry/quarry/index/internal/segment"
)

// readEvery is how many hits are read between looks at the context. So many are
// read even after the time of a search that is to answer in part, which is quick.
const readEvery = 128

// hits reads the keys and fields of a page of matches.
func (s *Snapshot) hits(r *run, page []found, fields []string) ([]Hit, error) {
	hits := make([]Hit, 0, len(page))
	keys, ends := r.space().keys[:0], r.space().ends[:0]
	for i, f := range page {
		if i%readEvery == 0 && r.ctx.Err() != nil {
			if !r.partial {
				return nil, context.Cause(r.ctx)
			}
			if i > 0 {
				r.cut = true
				break
			}
		}
		var err error
		if keys, err = s.commit.appendKey(keys, f); err != nil {
			return nil, err
		}
		ends = append(ends, len(keys))
		hits = append(hits, Hit{Score: f.score})
	}
	r.space().keys, r.space().ends = keys, ends
	all, from := string(keys), 0 // one string for all: it costs less, and hits are mostly dropped together
	for i, end := range ends {
		hits[i].Key, from = all[from:end], end
	}
	shown := s.commit.shown(fields)
	if len(shown.stored)+len(shown.columns) == 0 {
		return hits, nil
	}
	return shown.read(r, page[:len(hits)], hits)
}

// shown are the fields that hits are shown with.
type shown struct {
	commit  *commit
	stored  map[int]string // names by number
	columns []int          // those that are not stored besides
}

func (c *commit) shown(names []string) shown {
	s := shown{commit: c}
	for number, f := range c.schema {
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
func (s shown) read(r *run, page []found, hits []Hit) ([]Hit, error) {
	order, err := s.order(page)
	if err != nil {
		return nil, err
	}
	in := shownReader{shown: s, run: r, view: -1}
	defer in.done()
	done := make([]bool, len(hits))
	for n, i := range order {
		if n > 0 && n%readEvery == 0 && r.ctx.Err() != nil {
			if !r.partial {
				return nil, context.Cause(r.ctx)
			}
			r.cut = true
			break
		}
		if err := in.read(page[i], &hits[i]); err != nil {
			return nil, err
		}
		done[i] = true
	}
	for _, i := range order { // those of the first that are left
		if i < readEvery && !done[i] {
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
func (s shown) order(page []found) ([]int, error) {
	type place struct {
		at uint64
		i  int
	}
	places := make([]place, len(page))
	for i, f := range page {
		places[i] = place{uint64(f.doc), i}
		if len(s.stored) > 0 {
			v := s.commit.views[f.view]
			at, err := v.seg.Place(f.doc)
			if err != nil {
				return nil, damage(v.name(), err)
			}
			places[i].at = at
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(page[a.i].view-page[b.i].view, cmp.Compare(a.at, b.at))
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
	run     *run
	view    int
	walk    *segment.Walk
	of      []*column.Column // as columns
	cursors []*column.Cursor
}

// open goes to a view.
func (in *shownReader) open(view int) error {
	in.done()
	in.view = view
	v := in.commit.views[view]
	if len(in.stored) > 0 {
		in.walk = v.seg.Walk()
	}
	in.of, in.cursors = in.of[:0], in.cursors[:0]
	for _, field := range in.columns {
		of, err := v.column(field)
		if err != nil {
			return err
		}
		in.of, in.cursors = append(in.of, of), append(in.cursors, of.Cursor())
	}
	return nil
}

// done ends the work on a view.
func (in *shownReader) done() {
	if in.walk != nil && in.run.work != nil {
		in.run.work.records += in.walk.Unpacked()
	}
	in.walk = nil
}

// read gives a hit its fields.
func (in *shownReader) read(f found, h *Hit) error {
	if f.view != in.view {
		if err := in.open(f.view); err != nil {
			return err
		}
	}
	v := in.commit.views[f.view]
	if in.walk != nil {
		values, err := in.walk.Values(f.doc, func(field int) bool { return in.stored[field] != "" })
		if err != nil {
			return damage(v.name(), err)
		}
		h.Fields = make(map[string]any, len(values)+len(in.columns))
		for _, value := range values {
			h.Fields[in.stored[value.Field]] = storedValue(value)
		}
	}
	for i, field := range in.columns {
		t := in.commit.schema[field]
		numbers, texts, err := columnValues(in.of[i], in.cursors[i], t.Kind, f.doc)
		if err != nil {
			return damage(v.overlay.name(v.handle, field), err)
		}
		if len(numbers)+len(texts) == 0 {
			continue
		}
		if h.Fields == nil {
			h.Fields = make(map[string]any, len(in.columns))
		}
		h.Fields[t.Name] = columnValue(t.Kind, numbers, texts)
	}
	return nil
}
