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
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if err := w.usable(); err != nil {
		return false, err
	}
	if b := w.gathering.newest(key); b != nil {
		if b.sets[key] == nil {
			b.sets[key] = map[int]setValue{}
		}
		maps.Copy(b.sets[key], values)
		w.touch()
		return true, nil
	}
	spots, err := w.find(key)
	if err != nil {
		return false, w.fail(ctx, err)
	}
	for _, s := range spots {
		found = true
		s.part.set(s.doc, values)
		w.state.changed = true
		w.touch()
	}
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

// set gives a document values that no commit has.
func (p *part) set(doc uint32, values map[int]setValue) {
	for field, v := range values {
		if p.sets == nil {
			p.sets = sets{}
		}
		p.sets.put(field, doc, v)
	}
}

// writeSets writes the columns of a part that have new values.
func (c *pendingCommit) writeSets(ctx context.Context, p *pendingPart) error {
	if len(p.sets) == 0 {
		return nil
	}
	number := c.w.takeNumber()
	f, err := p.columns.write(ctx, c.w.ix.place, number, p.handle, p.sets)
	if err == nil {
		c.put(p, f, maps.Keys(p.sets))
	}
	return err
}

// seen tells merges under way, which have not seen them, of sets that are committed.
func (s sets) seen(p *part, jobs []*job) {
	for _, j := range jobs {
		if len(s) > 0 && j.has(p) {
			if j.sets[p] == nil {
				j.sets[p] = sets{}
			}
			j.sets[p].add(s)
		}
	}
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
