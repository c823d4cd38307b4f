package index

import (
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// skipCost is about how many documents of a list can be read in the time of
// one jump.
const skipCost = 16

// mostCounts is how many terms of a segment have their count kept.
const mostCounts = 1 << 16

// liveDocs counts the live documents of a term. The dictionary knows it where
// nothing is deleted; else it is counted once.
func (v *view) liveDocs(run *run, f *segment.FieldReader, term string, e postings.Entry) (int, error) {
	if v.deleted.Len() == 0 {
		return int(e.Docs), nil
	}
	key := termKey{f.Name, term}
	if n, ok := v.counts.Load(key); ok {
		return n.(int), nil
	}
	n, err := v.countLive(run, f, e)
	if err == nil && v.counted.Add(1) <= mostCounts {
		v.counts.Store(key, n)
	}
	return n, err
}

// countLive walks the list of a term, or jumps from one deleted document to the
// next, whichever is quicker.
func (v *view) countLive(run *run, f *segment.FieldReader, e postings.Entry) (int, error) {
	c := f.Lists.Open(e)
	dead := 0
	if v.deleted.Len()*skipCost < int(e.Docs) {
		for doc := range v.deleted.All() {
			if run.stop() {
				return 0, run.err
			}
			if c.Advance(doc) == doc {
				dead++
			}
		}
	} else {
		for doc := c.Next(); doc != postings.End; doc = c.Next() {
			if run.stop() {
				return 0, run.err
			}
			if v.deleted.Has(doc) {
				dead++
			}
		}
	}
	if err := c.Err(); err != nil {
		return 0, v.damage(err)
	}
	return int(e.Docs) - dead, nil
}
