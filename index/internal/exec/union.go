package exec

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/query"
)

// union is the documents of several terms in a segment: as bits, or, where they are
// few, as a list. Of either, the other is nil.
type union struct {
	bits *bitset.Set
	docs []uint32
}

func (u *union) len() int {
	if u == nil {
		return 0
	}
	return u.bits.Len() + len(u.docs)
}

// size is how many bytes it takes.
func (u *union) size() int {
	if u.bits != nil {
		return u.bits.Size()
	}
	return 4 * cap(u.docs)
}

// live is how many documents are not among those deleted.
func (u *union) live(deleted *bitset.Set) int {
	if u == nil {
		return 0
	}
	n := u.len() - u.bits.Overlap(deleted)
	for _, doc := range u.docs {
		if deleted.Has(doc) {
			n--
		}
	}
	return n
}

// mostUnited is how many bytes the unions of a search may take together.
const mostUnited = 1 << 28

// unite finds the documents of a word of several terms, and how many there are. Where
// scores do not matter, that is left to who asks for them. Words of one kind, text and
// field have the same documents.
func (p *Planner) unite(w *word, kind string) (err error) {
	w.unions = make([]*union, len(w.entries))
	if w.silent {
		w.stats.DocFreq = 1
		w.Score = func(uint32, uint32) float64 { return 0 }
		return nil
	}
	for i := range w.entries {
		u, err := w.union(p.Run, i, p.Commit.Views[i])
		if err != nil {
			return err
		}
		w.docs += u.live(p.Commit.Views[i].Deleted)
	}
	if w.stats.DocFreq, err = p.docsWith(w, kind, w.docs); err != nil {
		return err
	}
	if err := p.collected(w, kind); err != nil {
		return err
	}
	p.scored(w)
	return nil
}

// union returns the documents of a word of several terms in a view; nil: there are none.
func (w *word) union(r *Run, view int, of *commit.View) (*union, error) {
	if w.unions[view] != nil || len(w.entries[view]) == 0 {
		return w.unions[view], nil
	}
	u, err := r.unite(w.field.readers[view].Lists, w.entries[view])
	if err != nil {
		return nil, of.Damage(err)
	}
	if r.united += u.size(); r.united > mostUnited {
		return nil, &query.Error{Pos: -1, Msg: fmt.Sprintf("its patterns need more than %d MB: there are too many of them", mostUnited>>20)}
	}
	w.unions[view] = u
	return u, nil
}

// unite finds the documents of some lists.
func (r *Run) unite(in postings.Reader, entries []postings.Entry) (*union, error) {
	total := uint64(0)
	for _, e := range entries {
		total += uint64(e.Docs)
	}
	few := total < uint64(in.Docs)/sparse
	if few && total < uint64(in.Docs)/sortedFrom {
		docs, err := r.list(in, entries, int(total))
		return &union{docs: docs}, err
	}
	marks := r.space().takeMarks((int(in.Docs) + 63) / 64)
	var c postings.Cursor
	for _, e := range entries {
		if e.Docs == 1 && e.Doc < in.Docs { // most terms that share a prefix are so rare
			marks[e.Doc/64] |= 1 << (e.Doc % 64)
			if r.Stop() {
				return nil, r.Err
			}
			continue
		}
		in.Reset(&c, e)
		for lo := uint32(0); lo < in.Docs && lo < c.End(); {
			n := min(countSpan, in.Docs-lo)
			if r.Spend(1 + int(e.Docs/(in.Docs/n)/markCost)) {
				return nil, r.Err
			}
			c.Mark(lo, lo+n, marks[lo/64:])
			lo += n
		}
		if err := c.Err(); err != nil {
			return nil, err
		}
	}
	if !few {
		return &union{bits: bitset.Of(marks)}, nil
	}
	docs := make([]uint32, 0, total)
	for i, set := range marks {
		for ; set != 0; set &= set - 1 {
			docs = append(docs, uint32(64*i+bits.TrailingZeros64(set)))
		}
	}
	r.space().giveMarks(marks)
	return &union{docs: docs}, nil
}

// sortedFrom says when documents are sorted rather than marked: below one in so many.
const sortedFrom = 4096

// markCost is about how many documents are marked in a step.
const markCost = 32

// list lists the documents of lists that hold so many together.
func (r *Run) list(in postings.Reader, entries []postings.Entry, total int) ([]uint32, error) {
	docs := make([]uint32, 0, total)
	err := r.each(in, entries, func(_ int, some, _ []uint32) { docs = append(docs, some...) })
	if err == nil {
		err = SortWith(r, docs, cmp.Compare[uint32])
	}
	return slices.Compact(docs), err
}

// UnionIterator goes over documents without a score.
type UnionIterator struct{ *bitset.Set }

// Advance implements [Iterator].
func (w *UnionIterator) Advance(target uint32) uint32 {
	if doc, ok := w.Next(target); ok {
		return doc
	}
	return End
}

// Score implements [Iterator].
func (w *UnionIterator) Score() float64 { return 0 }

// Size implements [Iterator].
func (w *UnionIterator) Size() int { return w.Len() }

// Bound implements [Iterator].
func (w *UnionIterator) Bound(uint32) (float64, uint32) { return 0, End }

func (w *UnionIterator) mark(_ *Run, lo, _ uint32, marks []uint64) { w.Mark(marks, lo) }

// ListIterator goes over a list of documents without a score.
type ListIterator struct {
	docs []uint32
	at   int
}

// Advance implements [Iterator].
func (w *ListIterator) Advance(target uint32) uint32 {
	rest := w.docs[w.at:]
	if len(rest) > 0 && rest[0] < target {
		step := 1
		for step < len(rest) && rest[step] < target {
			step *= 2
		}
		half := step / 2
		w.at += half + sort.Search(min(step, len(rest))-half, func(i int) bool { return rest[half+i] >= target })
	}
	if w.at == len(w.docs) {
		return End
	}
	return w.docs[w.at]
}

// Score implements [Iterator].
func (w *ListIterator) Score() float64 { return 0 }

// Size implements [Iterator].
func (w *ListIterator) Size() int { return len(w.docs) }

// Bound implements [Iterator].
func (w *ListIterator) Bound(uint32) (float64, uint32) { return 0, End }

// open walks the documents of a union.
func (u *union) open() Iterator {
	if u.bits != nil {
		return &UnionIterator{u.bits}
	}
	return &ListIterator{docs: u.docs}
}

// mergedIterator goes over the documents of several terms, which count as one, or of which the
// best in a document counts. How often they stand in a document is looked up in each
// list, until it was asked so often that it costs less to merge the lists.
type mergedIterator struct {
	Iterator // of the documents
	run      *Run
	word     *word
	view     int
	of       *commit.View
	in       postings.Reader
	entries  []postings.Entry
	nearest  *nearest // nil: all terms count together
	lengths  segment.Lengths
	doc      uint32
	left     int          // postings that may be looked up before the lists are merged
	merged   *merged      // nil: not yet
	place    ListIterator // of doc there
	tf       uint32       // in doc; 0: not known
	far      uint8        // of the term that counts in doc
	lookups  postings.Cursor
}

// mergeCost is about how many postings are merged in the time that it takes to look a
// document up in a list.
const mergeCost = 4

func newMergedIterator(r *Run, w *word, view int, of *commit.View) *mergedIterator {
	m := &mergedIterator{Iterator: w.unions[view].open(), run: r, word: w, view: view, of: of, in: w.field.readers[view].Lists, entries: w.entries[view], lengths: w.field.lengths[view]}
	if w.far != nil {
		m.nearest = &nearest{w.far[view], w, view}
	}
	for _, e := range m.entries {
		m.left += int(e.Docs)
	}
	return m
}

func (w *mergedIterator) Advance(target uint32) uint32 {
	w.doc, w.tf = w.Iterator.Advance(target), 0
	return w.doc
}

// frequency returns how often the terms stand in the current document, together, or
// how often the best of them does.
func (w *mergedIterator) frequency() uint32 {
	if w.tf > 0 {
		return w.tf
	}
	if w.merged == nil {
		if w.left -= mergeCost * len(w.entries); w.left >= 0 {
			w.lookUp()
			return w.tf
		}
		var err error
		if w.merged, err = w.run.merge(w.in, w.entries, w.nearest); err != nil {
			w.fail(err)
			return 0
		}
		w.place.docs = w.merged.docs
	}
	if w.place.Advance(w.doc) != w.doc { // the search has ended
		return 0
	}
	if w.tf = w.merged.tfs[w.place.at]; w.nearest != nil {
		w.far = w.merged.far[w.place.at]
	}
	return w.tf
}

// lookUp looks the current document up in each list.
func (w *mergedIterator) lookUp() {
	for i, e := range w.entries {
		if w.run.Spend(LookUp) {
			return
		}
		w.in.Reset(&w.lookups, e)
		if w.lookups.Advance(w.doc) == w.doc {
			switch tf := w.lookups.TF(); {
			case w.nearest == nil:
				w.tf += tf
			case w.tf == 0 || w.nearest.better(w.doc, tf, w.nearest.far[i], w.tf, w.far):
				w.tf, w.far = tf, w.nearest.far[i]
			}
		}
		if err := w.lookups.Err(); err != nil {
			w.fail(err)
			return
		}
	}
}

func (w *mergedIterator) fail(err error) {
	if w.run.Err == nil {
		w.run.Err = w.of.Damage(err)
	}
}

func (w *mergedIterator) Score() float64 {
	tf := w.frequency()
	if tf == 0 {
		return 0
	}
	if w.nearest != nil {
		return w.nearest.value(w.doc, tf, w.far)
	}
	return w.word.scoreOf(w.view, w.doc, tf)
}

// Bound does not read the lists: nothing scores more than a document of no length
// that is full of the terms.
func (w *mergedIterator) Bound(uint32) (float64, uint32) {
	most := w.word.Score(math.MaxUint32, 0)
	if w.nearest != nil {
		most /= float64(1 + slices.Min(w.nearest.far))
	}
	return most, End
}

func (w *mergedIterator) mark(r *Run, lo, n uint32, marks []uint64) {
	mark(r, w.Iterator, lo, n, marks)
}
