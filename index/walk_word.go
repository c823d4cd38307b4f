package index

import (
	"sort"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
)

// wordPlan is a leaf of one word.
type wordPlan struct{ word *word }

func (p *wordPlan) open(r *run, view int) walk {
	w := p.word
	lengths := w.field.lengths[view]
	switch entries := w.entries[view]; {
	case len(entries) == 0:
		return noneWalk{}
	case w.unions != nil:
		return &unionWalk{w.unions[view]}
	case w.merged != nil:
		return &mergedWalk{merged: w.merged[view], lengths: lengths, word: w}
	default:
		return &termWalk{run: r, cursor: r.cursor(w.field.readers[view], entries[0]), lengths: lengths, word: w, view: view}
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
	return w.word.score(w.cursor.TF(), w.lengths.At(doc))
}

func (w *termWalk) size() int { return int(w.cursor.Len()) }

// mergedWalk walks the lists of several terms that were merged.
type mergedWalk struct {
	*merged
	at      int
	lengths segment.Lengths
	word    *word
	most    float64 // greatest score, when known
	known   bool
}

func (w *mergedWalk) advance(target uint32) uint32 {
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
		return end
	}
	return w.docs[w.at]
}

func (w *mergedWalk) score() float64 {
	return w.word.score(w.tfs[w.at], w.lengths.At(w.docs[w.at]))
}

func (w *mergedWalk) size() int { return len(w.docs) }
