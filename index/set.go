package index

import (
	"context"
	"maps"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/schema"
)

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
			b.sets[key] = map[int]commit.Value{}
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
func (a *analyst) sets(key string, fields []Field) (map[int]commit.Value, error) {
	out := map[int]commit.Value{}
	if err := a.check(Document{Key: key, Fields: fields}); err != nil {
		return nil, err
	}
	for _, f := range fields {
		number := a.numbers[f.Name]
		k := a.schema[number].Kind
		if k < schema.Integer {
			return nil, &schema.Error{Field: f.Name, Msg: "is " + k.String() + " and part of its document: add that again"}
		}
		n, ok, err := schema.ToNumber(k, f.Value)
		if err != nil {
			return nil, &schema.Error{Field: f.Name, Msg: err.Error()}
		}
		out[number] = commit.Value{Number: n, OK: ok}
	}
	return out, nil
}

// set gives a document values that no commit has.
func (p *part) set(doc uint32, values map[int]commit.Value) {
	for field, v := range values {
		if p.sets == nil {
			p.sets = commit.Sets{}
		}
		p.sets.Put(field, doc, v)
	}
}

// writeSets writes the columns of a part that have new values.
func (c *pendingCommit) writeSets(ctx context.Context, p *pendingPart) error {
	if len(p.sets) == 0 {
		return nil
	}
	number := c.w.takeNumber()
	f, err := p.columns.Write(ctx, c.w.ix.place, number, p.File, p.sets)
	if err == nil {
		c.put(p, f, maps.Keys(p.sets))
	}
	return err
}

// tellSets tells merges under way, which have not seen them, of sets that are committed.
func tellSets(s commit.Sets, p *part, jobs []*job) {
	for _, j := range jobs {
		if len(s) > 0 && j.has(p) {
			if j.sets[p] == nil {
				j.sets[p] = commit.Sets{}
			}
			j.sets[p].Add(s)
		}
	}
}
