package ltr

import (
	"cmp"
	"math"
	"slices"
)

// maxGrade is the greatest grade. The gain of a grade is 2^grade - 1.
const maxGrade = 30

// query is the documents of one query while a model is trained: a range of all of them.
type query struct {
	from, to int
	best     float64 // 1 / the greatest possible DCG; 0: there is nothing to learn
	order    []int32
}

func gain(grade uint8) float64 { return float64(uint64(1)<<grade) - 1 }

func discount(place int) float64 { return 1 / math.Log2(float64(place)+2) }

// newQuery is the query of the documents from a place on.
func newQuery(from int, grades []uint8, cut int) query {
	q := query{from: from, to: from + len(grades), order: make([]int32, len(grades))}
	sorted := slices.Clone(grades)
	slices.SortFunc(sorted, func(a, b uint8) int { return cmp.Compare(b, a) })
	ideal := 0.0
	for i, g := range sorted[:min(cut, len(sorted))] {
		ideal += gain(g) * discount(i)
	}
	if ideal > 0 && sorted[0] != sorted[len(sorted)-1] {
		q.best = 1 / ideal
	}
	return q
}

// sort orders the documents by score, equal ones as they were.
func (q *query) sort(scores []float64) {
	for i := range q.order {
		q.order[i] = int32(i)
	}
	slices.SortStableFunc(q.order, func(a, b int32) int { return cmp.Compare(scores[b], scores[a]) })
}

// ndcg is the normalised discounted cumulative gain of the first documents by score.
func (q *query) ndcg(scores []float64, grades []uint8, cut int) float64 {
	scores, grades = scores[q.from:q.to], grades[q.from:q.to]
	q.sort(scores)
	sum := 0.0
	for place, doc := range q.order[:min(cut, len(q.order))] {
		sum += gain(grades[doc]) * discount(place)
	}
	return sum * q.best
}

// lambdas sets the gradients and their derivatives of the documents of a query. Each pair of documents of
// different grades, one of which is among the first, pulls them apart, by as much as NDCG would change if they were swapped.
// What is pulled is divided by how far apart they are, and its sum dampened, as LightGBM does.
func (q *query) lambdas(scores []float64, grades []uint8, cut int, gradients, hessians []float64) {
	clear(gradients[q.from:q.to])
	clear(hessians[q.from:q.to])
	if q.best == 0 {
		return
	}
	scores, grades = scores[q.from:q.to], grades[q.from:q.to]
	gradients, hessians = gradients[q.from:q.to], hessians[q.from:q.to]
	q.sort(scores)
	apart := scores[q.order[0]] != scores[q.order[len(q.order)-1]]
	sum := 0.0
	for i, first := range q.order[:min(cut, len(q.order))] {
		for j := i + 1; j < len(q.order); j++ {
			high, low := first, q.order[j]
			if grades[high] == grades[low] {
				continue
			}
			if grades[high] < grades[low] {
				high, low = low, high
			}
			gap := scores[high] - scores[low]
			change := (gain(grades[high]) - gain(grades[low])) * (discount(i) - discount(j)) * q.best
			if apart {
				change /= 0.01 + math.Abs(gap)
			}
			p := sigmoid(-gap)
			pull, hessian := change*p, change*p*(1-p)
			gradients[high] -= pull
			gradients[low] += pull
			hessians[high] += hessian
			hessians[low] += hessian
			sum += 2 * pull
		}
	}
	if sum > 0 {
		factor := math.Log2(1+sum) / sum
		for i := range gradients {
			gradients[i] *= factor
			hessians[i] *= factor
		}
	}
}
