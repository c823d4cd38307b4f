package indextest

import (
	"maps"
	"math"
	"slices"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/rank"
)

// place is a word of a phrase: one of its terms, pos words after the first
// place.
type place struct {
	terms []string
	pos   int
}

// together answers which documents hold all places of a phrase as they should
// stand in field f, and how often; nil for no places.
func (e *evaluation) together(f index.FieldType, places []place, slop int) *answer {
	if len(places) == 0 {
		return nil
	}
	var scores []rank.DocScore
	for i, p := range places {
		stats := e.stats(f, p)
		if e.over == nil {
			scores = append(scores, docScore(e.scorer, stats))
		} else if score := e.over.in(f, i, stats); score != nil {
			scores = append(scores, func(tf uint32, d rank.DocStats) float64 { return score(tf, d.Length) })
		}
	}
	out := e.nothing()
	for i, d := range e.docs {
		freq := frequency(d, f, places, slop)
		if freq == 0 {
			continue
		}
		out.match[i] = true
		for _, score := range scores {
			out.score[i] += score(freq, docStats(d, f))
		}
	}
	return out
}

// docScore scores by all of a document where the scorer does.
func docScore(s rank.Scorer, stats rank.Stats) rank.DocScore {
	if by, ok := s.(rank.DocScorer); ok && by.Needs().Doc {
		return by.Doc(stats)
	}
	score := s.Term(stats)
	return func(tf uint32, d rank.DocStats) float64 { return score(tf, d.Length) }
}

// docStats describes a field of a document. The sums are of terms in the order of their bytes.
func docStats(d document, f index.FieldType) rank.DocStats {
	out := rank.DocStats{Length: uint32(len(d.tokens[f.Name]))}
	tfs := map[string]uint32{}
	for _, t := range d.tokens[f.Name] {
		tfs[t.Text]++
	}
	for _, term := range slices.Sorted(maps.Keys(tfs)) {
		tf := float64(tfs[term])
		out.Terms++
		out.MaxTF = max(out.MaxTF, tfs[term])
		out.Squares += float64(tf * tf)
		log := 1 + math.Log(tf)
		out.LogSquares += float64(log * log)
	}
	return out
}

// stats counts a place as one word, whichever of its terms a document holds.
func (e *evaluation) stats(f index.FieldType, p place) rank.Stats {
	s := rank.Stats{Docs: len(e.docs)}
	total := 0
	for _, d := range e.docs {
		total += len(d.tokens[f.Name])
		if len(positions(d, f, p)) > 0 {
			s.DocFreq++
		}
		s.CollFreq += len(positions(d, f, p))
	}
	if e.blended > 0 {
		s.DocFreq, s.CollFreq = max(s.DocFreq, e.blended), 0
	}
	if s.Docs > 0 {
		s.AvgLen = float64(total) / float64(s.Docs)
	}
	return s
}

// positions lists where a term of p stands, as often as there is one.
func positions(d document, f index.FieldType, p place) (at []int) {
	for _, t := range d.tokens[f.Name] {
		if slices.Contains(p.terms, t.Text) {
			at = append(at, t.Pos)
		}
	}
	return at
}

// frequency counts a lone word, or the positions of the first word from which
// the others can be reached.
func frequency(d document, f index.FieldType, places []place, slop int) (n uint32) {
	var all [][]int
	for _, p := range places {
		all = append(all, positions(d, f, p))
	}
	if len(places) == 1 {
		return uint32(len(all[0]))
	}
	for _, first := range slices.Compact(slices.Clone(all[0])) {
		if reach(all, places, []int{first}, slop) {
			n++
		}
	}
	return n
}

// reach tries all positions for the places that chosen leaves open: no two may
// be the same, and moved back by its place in the phrase, none may be more than
// slop away from another.
func reach(all [][]int, places []place, chosen []int, slop int) bool {
	n := len(chosen)
	if n == len(places) {
		return true
	}
	for _, pos := range all[n] {
		fits := true
		for i, other := range chosen {
			apart := (pos - places[n].pos) - (other - places[i].pos)
			if pos == other || apart > slop || -apart > slop {
				fits = false
			}
		}
		if fits && reach(all, places, append(slices.Clone(chosen), pos), slop) {
			return true
		}
	}
	return false
}
