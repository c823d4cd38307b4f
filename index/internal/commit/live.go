package commit

import (
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// skipCost is about how many documents of a list can be read in the time of
// one jump.
const skipCost = 16

// mostCounts is how many terms of a segment have their count kept.
const mostCounts = 1 << 16

// LiveDocs counts the live documents of a term. The dictionary knows it where
// nothing is deleted; else it is counted once. An error of stop, which is called for each
// document, ends it.
func (v *View) LiveDocs(stop func() error, f *segment.FieldReader, term string, e postings.Entry) (int, error) {
	if v.Deleted.Len() == 0 {
		return int(e.Docs), nil
	}
	key := TermKey{f.Name, term}
	if n, ok := v.counts.Load(key); ok {
		return n.(int), nil
	}
	n, err := v.CountLive(stop, f, e)
	if err == nil && v.MayCount() {
		v.counts.Store(key, n)
	}
	return n, err
}

// CountLive walks the list of a term, or jumps from one deleted document to the
// next, whichever is quicker.
func (v *View) CountLive(stop func() error, f *segment.FieldReader, e postings.Entry) (int, error) {
	c := f.Lists.Open(e)
	dead := 0
	if v.Deleted.Len()*skipCost < int(e.Docs) {
		for doc := range v.Deleted.All() {
			if err := stop(); err != nil {
				return 0, err
			}
			if c.Advance(doc) == doc {
				dead++
			}
		}
	} else {
		for doc := c.Next(); doc != postings.End; doc = c.Next() {
			if err := stop(); err != nil {
				return 0, err
			}
			if v.Deleted.Has(doc) {
				dead++
			}
		}
	}
	if err := c.Err(); err != nil {
		return 0, v.Damage(err)
	}
	return int(e.Docs) - dead, nil
}
