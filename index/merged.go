package index

import (
	"github.com/webquarry/quarry/index/internal/postings"
)

// merged is the lists of several terms as one: their documents, ascending,
// with the sums of the tfs and, unless nil, the least distances.
type merged struct {
	docs, tfs []uint32
	far       []uint8
}

// sparse says when documents are listed rather than marked: when lists hold less than
// one in so many of a segment.
const sparse = 32

// merge merges lists of a segment.
func (r *run) merge(in postings.Reader, entries []postings.Entry, far []uint8) (*merged, error) {
	total := 0
	for _, e := range entries {
		total += int(e.Docs)
	}
	if total < int(in.Docs)/sparse {
		return r.mergeSparse(in, entries, far, total)
	}
	return r.mergeDense(in, entries, far)
}

// each calls f with every document of every list, block by block.
func (r *run) each(in postings.Reader, entries []postings.Entry, f func(entry int, docs, tfs []uint32)) error {
	var c postings.Cursor
	for i, e := range entries {
		in.Reset(&c, e)
		for from := uint32(0); ; {
			docs := c.Batch(from, in.Docs)
			if len(docs) == 0 {
				break
			}
			if r.spend(1 + len(docs)/4) {
				return r.err
			}
			from = docs[len(docs)-1] + 1
			f(i, docs, c.TFs(len(docs)))
		}
		if err := c.Err(); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) mergeDense(in postings.Reader, entries []postings.Entry, far []uint8) (*merged, error) {
	sums := make([]uint32, in.Docs)
	var least []uint8
	if far != nil {
		least = make([]uint8, in.Docs)
	}
	n := 0
	err := r.each(in, entries, func(entry int, docs, tfs []uint32) {
		for j, doc := range docs {
			if sums[doc] == 0 {
				n++
			}
			if far != nil && (sums[doc] == 0 || far[entry] < least[doc]) {
				least[doc] = far[entry]
			}
			sums[doc] += tfs[j]
		}
	})
	if err != nil {
		return nil, err
	}
	m := &merged{docs: make([]uint32, 0, n), tfs: make([]uint32, 0, n)}
	for doc, tf := range sums {
		if doc%checkEvery == 0 && r.spend(checkEvery/8) {
			return nil, r.err
		}
		if tf > 0 {
			m.docs = append(m.docs, uint32(doc))
			m.tfs = append(m.tfs, tf)
			if far != nil {
				m.far = append(m.far, least[doc])
			}
		}
	}
	return m, nil
}

func (r *run) mergeSparse(in postings.Reader, entries []postings.Entry, far []uint8, total int) (*merged, error) {
	type posting struct {
		doc, tf uint32
		far     uint8
	}
	all := make([]posting, 0, total)
	err := r.each(in, entries, func(entry int, docs, tfs []uint32) {
		for j, doc := range docs {
			p := posting{doc: doc, tf: tfs[j]}
			if far != nil {
				p.far = far[entry]
			}
			all = append(all, p)
		}
	})
	if err != nil {
		return nil, err
	}
	if err := sortWith(r, all, func(a, b posting) int { return int(a.doc) - int(b.doc) }); err != nil {
		return nil, err
	}
	m := new(merged)
	for _, p := range all {
		if n := len(m.docs); n > 0 && m.docs[n-1] == p.doc {
			m.tfs[n-1] += p.tf
			if far != nil {
				m.far[n-1] = min(m.far[n-1], p.far)
			}
			continue
		}
		m.docs, m.tfs = append(m.docs, p.doc), append(m.tfs, p.tf)
		if far != nil {
			m.far = append(m.far, p.far)
		}
	}
	return m, r.err
}
