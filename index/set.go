package index

import (
	"context"
	"iter"
	"maps"

	"github.com/webquarry/quarry/index/internal/segment"
)

// sets are values for columns that were given without their documents: by
// number of the field and document.
type sets map[int]map[uint32]setValue

type setValue struct {
	number int64
	ok     bool // false: the document has no value any more
}

func (s sets) put(field int, doc uint32, v setValue) {
	if s[field] == nil {
		s[field] = map[uint32]setValue{}
	}
	s[field][doc] = v
}

// add adds later ones.
func (s sets) add(later sets) {
	for field, values := range later {
		for doc, v := range values {
			s.put(field, doc, v)
		}
	}
}

// movedTo adds the sets to out, by the numbers that a merge has given the
// documents.
func (s sets) movedTo(out sets, moved []uint32) {
	for field, values := range s {
		for doc, v := range values {
			if at := moved[doc]; at != segment.NoDoc {
				out.put(field, at, v)
			}
		}
	}
}

// Set gives the document of a key new values in columns of numbers and times,
// and leaves the rest of it as it is: a static rank, a price, when it was last
// seen. Nil takes a value away. As all changes, they are seen after Commit, in
// one step; a document that is added later for the key has its own. It reports
// whether there is a document of the key.
//
// Until Commit a value takes about 50 bytes. Commit writes the column anew for
// each segment that has documents with new values: about 20 ns for each
// document of the segment.
func (w *Writer) Set(ctx context.Context, key string, fields ...Field) (found bool, err error) {
	values, err := w.analyst.sets(key, fields)
	if err != nil {
		return false, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.usable(); err != nil {
		return false, err
	}
	if w.gathering.has(key) {
		if w.sets[key] == nil {
			w.sets[key] = map[int]setValue{}
		}
		maps.Copy(w.sets[key], values)
		w.touch()
		return true, nil
	}
	spots, err := w.find(ctx, key)
	if err != nil {
		return false, w.fail(ctx, err)
	}
	for _, s := range spots {
		found = true
		w.set(s, w.sets[key]) // given before its document came to a segment
		w.set(s, values)
		w.touch()
	}
	delete(w.sets, key)
	return found, nil
}

// sets checks fields and returns their values.
func (a *analyst) sets(key string, fields []Field) (map[int]setValue, error) {
	out := map[int]setValue{}
	if err := a.check(Document{Key: key, Fields: fields}); err != nil {
		return nil, err
	}
	for _, f := range fields {
		number := a.numbers[f.Name]
		k := a.schema[number].Kind
		if k < Integer {
			return nil, &SchemaError{f.Name, "is " + k.String() + " and part of its document: add that again"}
		}
		n, ok, err := toNumber(k, f.Value)
		if err != nil {
			return nil, &SchemaError{f.Name, err.Error()}
		}
		out[number] = setValue{n, ok}
	}
	return out, nil
}

func (w *Writer) set(s spot, values map[int]setValue) {
	for field, v := range values {
		if s.part.sets == nil {
			s.part.sets = sets{}
		}
		s.part.sets.put(field, s.doc, v)
		w.state.changed = true
	}
}

// settle gives the values of documents that have come to segments to these.
func (w *Writer) settle(ctx context.Context) error {
	for key, values := range w.sets {
		if w.gathering.has(key) {
			continue
		}
		spots, err := w.find(ctx, key)
		if err != nil {
			return err
		}
		for _, s := range spots {
			w.set(s, values)
		}
		delete(w.sets, key)
	}
	return nil
}

// writeSets writes the columns of the parts that have new values. The parts
// stay as they are.
func (w *Writer) writeSets(ctx context.Context) (map[*part]*columnFile, error) {
	out := map[*part]*columnFile{}
	for _, p := range w.parts {
		if len(p.sets) == 0 || p.live() == 0 {
			continue
		}
		number := w.state.next
		w.state.next++
		f, err := p.columns.write(ctx, w.ix.place, number, p.handle, p.sets)
		if err != nil {
			for _, f := range out {
				f.release()
				w.ix.place.Remove(f.name())
			}
			return nil, err
		}
		out[p] = f
	}
	return out, nil
}

// commitSets makes a file that was written for its sets that of a part. A merge
// under way has not seen them.
func (p *part) commitSets(f *columnFile, jobs []*job) {
	if f != nil {
		p.columns = p.columns.with(f, maps.Keys(p.sets))
		for _, j := range jobs {
			if j.has(p) {
				if j.sets[p] == nil {
					j.sets[p] = sets{}
				}
				j.sets[p].add(p.sets)
			}
		}
	}
	p.sets = nil
}

// with returns the overlay with a file, which it takes over, for some fields.
func (o overlay) with(f *columnFile, fields iter.Seq[int]) overlay {
	next := maps.Clone(o)
	if next == nil {
		next = overlay{}
	}
	for field := range fields {
		if old := next[field]; old != nil {
			old.release()
		}
		next[field] = f.retain()
	}
	f.release()
	return next
}

// lateSets gives a merged part what was set in its sources since: what was
// committed meanwhile is written beside it.
func (w *Writer) lateSets(ctx context.Context, j *job, merged *part, moved [][]uint32) error {
	committed := sets{}
	merged.sets = sets{}
	for i, p := range j.parts {
		j.sets[p].movedTo(committed, moved[i])
		p.sets.movedTo(merged.sets, moved[i])
	}
	if len(committed) == 0 {
		return nil
	}
	number := w.state.next
	w.state.next++
	f, err := merged.columns.write(ctx, w.ix.place, number, merged.handle, committed)
	if err != nil {
		return err
	}
	merged.columns = merged.columns.with(f, maps.Keys(committed))
	return nil
}
