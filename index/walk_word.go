package index

import (
	"cmp"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// wordPlan is a leaf of one word.
type wordPlan struct {
	word   *word
	commit *commit
}

func (p *wordPlan) open(r *run, view int) walk {
	w := p.word
	lengths := w.field.lengths[view]
	switch entries := w.entries[view]; {
	case len(entries) == 0:
		return noneWalk{}
	case w.unions != nil:
		u, err := w.union(r, view, p.commit.views[view])
		switch {
		case err != nil:
			r.err = cmp.Or(r.err, err)
			return noneWalk{}
		case w.silent:
			return u.open()
		}
		return newMergedWalk(r, w, view, p.commit.views[view])
	default:
		t := r.space().terms.next()
		*t = termWalk{run: r, cursor: r.cursor(w.field.readers[view], entries[0]), lengths: lengths, word: w, view: view}
		return t
	}
}

// termWalk walks the list of one term.
type termWalk struct {
	run     *run
	cursor  *postings.Cursor
	lengths segment.Lengths
	word    *word
	view    int
	ceiling *ceiling // nil: not asked for yet
}

func (w *termWalk) advance(target uint32) uint32 { return w.cursor.Advance(target) }

func (w *termWalk) score() float64 {
	doc := w.cursor.Doc()
	return w.word.scoreOf(w.view, doc, w.cursor.TF())
}

func (w *termWalk) size() int { return int(w.cursor.Len()) }
