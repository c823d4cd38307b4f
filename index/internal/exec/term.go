package exec

import (
	"cmp"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// wordPlan is a leaf of one word.
type wordPlan struct {
	word   *word
	commit *Collection
}

func (p *wordPlan) Open(r *Run, view int) Iterator {
	w := p.word
	lengths := w.field.lengths[view]
	switch entries := w.entries[view]; {
	case len(entries) == 0:
		return NoneIterator{}
	case w.unions != nil:
		u, err := w.union(r, view, p.commit.Views[view])
		switch {
		case err != nil:
			r.Err = cmp.Or(r.Err, err)
			return NoneIterator{}
		case w.silent:
			return u.open()
		}
		return newMergedIterator(r, w, view, p.commit.Views[view])
	default:
		t := r.space().terms.Next()
		*t = TermIterator{Run: r, Cursor: r.cursor(w.field.readers[view], entries[0]), Lengths: lengths, Word: w, view: view}
		return t
	}
}

// TermIterator goes over the list of one term.
type TermIterator struct {
	Run     *Run
	Cursor  *postings.Cursor
	Lengths segment.Lengths
	Word    *word
	view    int
	ceiling *Ceiling // nil: not asked for yet
}

// Advance implements [Iterator].
func (w *TermIterator) Advance(target uint32) uint32 { return w.Cursor.Advance(target) }

// Score implements [Iterator].
func (w *TermIterator) Score() float64 {
	doc := w.Cursor.Doc()
	return w.Word.scoreOf(w.view, doc, w.Cursor.TF())
}

// Size implements [Iterator].
func (w *TermIterator) Size() int { return int(w.Cursor.Len()) }
