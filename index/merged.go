package index

import (
	"slices"

	"github.com/webquarry/quarry/index/internal/postings"
)

// merged is the lists of several terms as one: their documents, ascending,
// with the sums of the tfs.
type merged struct{ docs, tfs []uint32 }

// sparse says when lists are merged by sorting: when they hold less than one
// in so many documents.
const sparse = 32

// mergeLists merges lists of a segment.
func mergeLists(run *run, in postings.Reader, entries []postings.Entry) (*merged, error) {
	total := 0
	for _, e := range entries {
		total += int(e.Docs)
	}
	if total < int(in.Docs)/sparse {
		return mergeSparse(run, in, entries, total)
	}
	return mergeDense(run, in, entries)
}

// each calls f for every document of every list.
func each(run *run, in postings.Reader, entries []postings.Entry, f func(doc, tf uint32)) error {
	var c postings.Cursor
	for _, e := range entries {
		in.Reset(&c, e)
		for doc := c.Next(); doc != postings.End; doc = c.Next() {
			if run.stop() {
				return run.err
			}
			f(doc, c.TF())
		}
		if err := c.Err(); err != nil {
			return err
		}
	}
	return nil
}

func mergeDense(run *run, in postings.Reader, entries []postings.Entry) (*merged, error) {
	sums := make([]uint32, in.Docs)
	n := 0
	err := each(run, in, entries, func(doc, tf uint32) {
		if sums[doc] == 0 {
			n++
		}
		sums[doc] += tf
	})
	if err != nil {
		return nil, err
	}
	m := &merged{make([]uint32, 0, n), make([]uint32, 0, n)}
	for doc, tf := range sums {
		if tf > 0 {
			m.docs = append(m.docs, uint32(doc))
			m.tfs = append(m.tfs, tf)
		}
	}
	return m, nil
}

func mergeSparse(run *run, in postings.Reader, entries []postings.Entry, total int) (*merged, error) {
	all := make([]uint64, 0, total) // doc<<32 | tf
	err := each(run, in, entries, func(doc, tf uint32) {
		all = append(all, uint64(doc)<<32|uint64(tf))
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(all)
	m := new(merged)
	for _, x := range all {
		doc, tf := uint32(x>>32), uint32(x)
		if n := len(m.docs); n > 0 && m.docs[n-1] == doc {
			m.tfs[n-1] += tf
			continue
		}
		m.docs = append(m.docs, doc)
		m.tfs = append(m.tfs, tf)
	}
	return m, nil
}
