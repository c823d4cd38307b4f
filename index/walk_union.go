package index

import (
	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/postings"
)

// union finds the documents of a word of several terms whose score does not
// matter.
func (p *planner) union(w *word) error {
	w.unions = make([]*bitset.Set, len(w.entries))
	for i, entries := range w.entries {
		if len(entries) == 0 {
			continue
		}
		v := p.commit.views[i]
		s, err := uniteLists(p.run, w.field.readers[i].Lists, entries)
		if err != nil {
			return v.damage(err)
		}
		w.unions[i] = s
		w.stats.DocFreq += s.Len() - s.Overlap(v.deleted)
	}
	w.score = w.scorer.Term(w.stats)
	return nil
}

func uniteLists(run *run, in postings.Reader, entries []postings.Entry) (*bitset.Set, error) {
	s := bitset.New(in.Docs)
	var c postings.Cursor
	for _, e := range entries {
		in.Reset(&c, e)
		for from := uint32(0); ; {
			docs := c.Batch(from, in.Docs)
			if len(docs) == 0 {
				break
			}
			if run.stop() {
				return nil, run.err
			}
			s.AddAll(docs)
			from = docs[len(docs)-1] + 1
		}
		if err := c.Err(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// unionWalk walks documents without a score.
type unionWalk struct{ *bitset.Set }

func (w *unionWalk) advance(target uint32) uint32 {
	if doc, ok := w.Next(target); ok {
		return doc
	}
	return end
}

func (w *unionWalk) score() float64                 { return 0 }
func (w *unionWalk) size() int                      { return w.Len() }
func (w *unionWalk) bound(uint32) (float64, uint32) { return 0, end }

func (w *unionWalk) mark(_ *run, lo, _ uint32, marks []uint64) { w.Mark(marks, lo) }
