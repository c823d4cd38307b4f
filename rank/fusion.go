package rank

import "math"

// Fusion makes one list of hits of several that answer the same query, such as those of two
// formulas, or of words and of vectors. Each list is in its order, best first; of a key that a list
// has twice the first counts. The answer is in the order of [Sort], each key once, with
// the Fields of the first list that has it. The lists are not changed; an empty one adds nothing.
type Fusion interface {
	Fuse(lists ...[]Hit) []Hit
}

// ReciprocalRank is the Fusion by places alone: a hit gets
//
//	Σ weight / (K + place)
//
// over the lists that have it, where the first place is 1 (Cormack, Clarke and Büttcher, SIGIR 2009). It
// needs no scores that can be compared.
type ReciprocalRank struct {
	K       float64   // how little the first places stand out; 0: 60, negative: a true 0
	Weights []float64 // of the lists, 0 to 1e9; of those that have none, or one that is no number: 1
}

// CombSUM is the Fusion by scores: the sum of what a hit has in each list, where the least of a list is 0 and the
// greatest 1 (Fox and Shaw, TREC-2). Lists whose scores are all equal give 1 to each of their hits.
// Scores that are no finite number count as the least.
type CombSUM struct {
	Weights []float64 // as of ReciprocalRank
}

// CombMNZ is CombSUM times the number of lists that have the hit.
type CombMNZ struct {
	Weights []float64 // as of ReciprocalRank
}

var (
	_ Fusion = ReciprocalRank{}
	_ Fusion = CombSUM{}
	_ Fusion = CombMNZ{}
)

// Fuse implements [Fusion].
func (f ReciprocalRank) Fuse(lists ...[]Hit) []Hit {
	k := parameter(f.K, 60, 1e9)
	return fuse(lists, f.Weights, func([]Hit) func(int) float64 {
		return func(i int) float64 { return 1 / (k + float64(i+1)) }
	}, nil)
}

// Fuse implements [Fusion].
func (f CombSUM) Fuse(lists ...[]Hit) []Hit { return fuse(lists, f.Weights, unitScores, nil) }

// Fuse implements [Fusion].
func (f CombMNZ) Fuse(lists ...[]Hit) []Hit {
	return fuse(lists, f.Weights, unitScores, func(score float64, lists int) float64 { return score * float64(lists) })
}

// fuse adds up what each list says of its hits, and has the sum changed by how many lists have the hit.
func fuse(lists [][]Hit, weights []float64, of func([]Hit) func(i int) float64, by func(score float64, lists int) float64) []Hit {
	var out []Hit
	var found []int            // lists that have the hit
	places := map[string]int{} // in out
	latest := map[string]int{} // 1 + the last list that had the key
	for n, list := range lists {
		weight, score := weightOf(weights, n), of(list)
		for i, h := range list {
			if latest[h.Key] == n+1 {
				continue
			}
			latest[h.Key] = n + 1
			at, ok := places[h.Key]
			if !ok {
				at = len(out)
				places[h.Key] = at
				out, found = append(out, Hit{Key: h.Key, Fields: h.Fields}), append(found, 0)
			}
			out[at].Score += weight * score(i)
			found[at]++
		}
	}
	if by != nil {
		for i := range out {
			out[i].Score = by(out[i].Score, found[i])
		}
	}
	Sort(out)
	return out
}

func weightOf(weights []float64, i int) float64 {
	if i >= len(weights) || math.IsNaN(weights[i]) {
		return 1
	}
	return min(max(weights[i], 0), 1e9)
}

// unitScores scales the scores of a list to 0 for the least and 1 for the greatest; all to 1 if they are equal.
func unitScores(hits []Hit) func(i int) float64 {
	least, most := math.Inf(1), math.Inf(-1)
	for _, h := range hits {
		if finite(h.Score) {
			least, most = min(least, h.Score), max(most, h.Score)
		}
	}
	return func(i int) float64 {
		s := hits[i].Score
		switch {
		case !finite(s):
			return 0
		case !(most > least):
			return 1
		}
		return (s/2 - least/2) / (most/2 - least/2) // halves, since a difference may be too great for a number
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
