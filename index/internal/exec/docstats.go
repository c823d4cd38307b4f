package exec

import (
	"math"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/rank"
)

// occurrences counts how often terms stand in the live documents of a view, together.
func occurrences(r *Run, v *commit.View, f *segment.FieldReader, entries []postings.Entry) (n int, err error) {
	err = r.each(f.Lists, entries, func(_ int, docs, tfs []uint32) {
		for i, doc := range docs {
			if !v.Deleted.Has(doc) {
				n += int(tfs[i])
			}
		}
	})
	if err != nil {
		return 0, v.Damage(err)
	}
	return n, nil
}

// collected sets the collection frequency of a word, in all shards, if its scorer needs it. That of
// one term is counted once.
func (p *Planner) collected(w *word, kind string) error {
	if !p.Needs.CollFreq || p.scoreless() {
		return nil
	}
	for i, entries := range w.entries {
		if len(entries) == 0 {
			continue
		}
		v, key := p.Commit.Views[i], commit.TermKey{Field: w.field.Name, Term: w.text}
		if n, ok := v.Collections.Load(key); ok && kind == "term" {
			w.stats.CollFreq += n.(int)
			continue
		}
		n, err := occurrences(p.Run, v, w.field.readers[i], entries)
		if err != nil {
			return err
		}
		if kind == "term" && v.MayCount() {
			v.Collections.Store(key, n)
		}
		w.stats.CollFreq += n
	}
	name := StatName(kind, w.field.Name, w.text)
	if p.told != nil {
		p.told.Occurrences[name] = w.stats.CollFreq
	}
	if p.Global != nil {
		var ok bool
		if w.stats.CollFreq, ok = p.Global.Occurrences[name]; !ok {
			return notGlobal("how often there is " + name)
		}
	}
	return nil
}

// vectors returns what is known of each document of a view as a vector of the terms of a
// field. It is made once a segment.
func vectors(r *Run, v *commit.View, f *segment.FieldReader) ([]segment.Vector, error) {
	if known := f.Vectors.Load(); known != nil {
		return *known, nil
	}
	all := make([]segment.Vector, v.Seg.Docs)
	terms := f.Dict.Iter()
	var some []postings.Entry
	add := func(_ int, docs, tfs []uint32) {
		for i, doc := range docs {
			of, tf := &all[doc], float64(tfs[i])
			log := 1 + math.Log(tf)
			of.Terms++
			of.MaxTF = max(of.MaxTF, tfs[i])
			of.Squares += float64(tf * tf)
			of.LogSquares += float64(log * log)
		}
	}
	for terms.Next() {
		e, err := terms.Entry()
		if err == nil {
			err = r.each(f.Lists, append(some[:0], e), add)
		}
		if err != nil {
			return nil, v.Damage(err)
		}
		if r.Stop() {
			return nil, r.Err
		}
	}
	if err := terms.Err(); err != nil {
		return nil, v.Damage(err)
	}
	f.Vectors.Store(&all)
	return all, nil
}

// scoreOf is the score of the word for a document that holds it so often.
func (w *word) scoreOf(view int, doc, tf uint32) float64 {
	if w.byDoc == nil {
		return w.Score(tf, w.field.lengths[view].At(doc))
	}
	return w.byDoc(tf, w.field.docStats(view, doc))
}

func (f *fieldPlan) docStats(view int, doc uint32) rank.DocStats {
	v := f.vectors[view][doc]
	return rank.DocStats{Length: f.lengths[view].At(doc), Terms: v.Terms, MaxTF: v.MaxTF, Squares: v.Squares, LogSquares: v.LogSquares}
}
