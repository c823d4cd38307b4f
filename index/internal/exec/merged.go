package exec

import (
	"github.com/webquarry/quarry/index/internal/postings"
)

// merged is the lists of several terms as one: their documents, ascending, with the
// sums of the tfs, or with the tf and the distance of the best term.
type merged struct {
	docs, tfs []uint32
	far       []uint8
}

// sparse says when documents are listed rather than marked: when lists hold less than
// one in so many of a segment.
const sparse = 32

// nearest tells which of several terms at different distances counts in a document: the
// one that scores best there.
type nearest struct {
	far  []uint8 // by entry, the distance of the term
	word *word
	view int
}

// value is the score of a term in a document.
func (n *nearest) value(doc, tf uint32, far uint8) float64 {
	return n.word.scoreOf(n.view, doc, tf) / float64(1+far)
}

// better reports whether a term counts rather than another. Of those that score the
// same the nearer one does.
func (n *nearest) better(doc, tf uint32, far uint8, otherTF uint32, otherFar uint8) bool {
	if far == otherFar {
		return tf > otherTF
	}
	a, b := n.value(doc, tf, far), n.value(doc, otherTF, otherFar)
	return a > b || a == b && far < otherFar
}

// merge merges lists of a segment. If of is nil the terms count together.
func (r *Run) merge(in postings.Reader, entries []postings.Entry, of *nearest) (*merged, error) {
	total := 0
	for _, e := range entries {
		total += int(e.Docs)
	}
	if total < int(in.Docs)/sparse {
		return r.mergeSparse(in, entries, of, total)
	}
	return r.mergeDense(in, entries, of)
}

// each calls f with every document of every list, block by block.
func (r *Run) each(in postings.Reader, entries []postings.Entry, f func(entry int, docs, tfs []uint32)) error {
	var c postings.Cursor
	for i, e := range entries {
		in.Reset(&c, e)
		for from := uint32(0); ; {
			docs := c.Batch(from, in.Docs)
			if len(docs) == 0 {
				break
			}
			if r.Spend(1 + len(docs)/4) {
				return r.Err
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

func (r *Run) mergeDense(in postings.Reader, entries []postings.Entry, of *nearest) (*merged, error) {
	tfs := make([]uint32, in.Docs)
	var far []uint8
	if of != nil {
		far = make([]uint8, in.Docs)
	}
	n := 0
	err := r.each(in, entries, func(entry int, docs, found []uint32) {
		for j, doc := range docs {
			first := tfs[doc] == 0
			if first {
				n++
			}
			switch tf := found[j]; {
			case of == nil:
				tfs[doc] += tf
			case first || of.better(doc, tf, of.far[entry], tfs[doc], far[doc]):
				tfs[doc], far[doc] = tf, of.far[entry]
			}
		}
	})
	if err != nil {
		return nil, err
	}
	m := &merged{docs: make([]uint32, 0, n), tfs: make([]uint32, 0, n)}
	for doc, tf := range tfs {
		if doc%checkEvery == 0 && r.Spend(checkEvery/8) {
			return nil, r.Err
		}
		if tf > 0 {
			m.docs = append(m.docs, uint32(doc))
			m.tfs = append(m.tfs, tf)
			if of != nil {
				m.far = append(m.far, far[doc])
			}
		}
	}
	return m, nil
}

func (r *Run) mergeSparse(in postings.Reader, entries []postings.Entry, of *nearest, total int) (*merged, error) {
	type posting struct {
		doc, tf uint32
		far     uint8
	}
	all := make([]posting, 0, total)
	err := r.each(in, entries, func(entry int, docs, tfs []uint32) {
		for j, doc := range docs {
			p := posting{doc: doc, tf: tfs[j]}
			if of != nil {
				p.far = of.far[entry]
			}
			all = append(all, p)
		}
	})
	if err != nil {
		return nil, err
	}
	if err := SortWith(r, all, func(a, b posting) int { return int(a.doc) - int(b.doc) }); err != nil {
		return nil, err
	}
	m := new(merged)
	for _, p := range all {
		if n := len(m.docs); n > 0 && m.docs[n-1] == p.doc {
			switch {
			case of == nil:
				m.tfs[n-1] += p.tf
			case of.better(p.doc, p.tf, p.far, m.tfs[n-1], m.far[n-1]):
				m.tfs[n-1], m.far[n-1] = p.tf, p.far
			}
			continue
		}
		m.docs, m.tfs = append(m.docs, p.doc), append(m.tfs, p.tf)
		if of != nil {
			m.far = append(m.far, p.far)
		}
	}
	return m, r.Err
}
