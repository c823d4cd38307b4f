package eval

import (
	"cmp"
	"math"
	"slices"
)

// exactPairs is up to how many pairs the distribution of the signed ranks is computed.
const exactPairs = 200

// WilcoxonTest is Wilcoxon's signed-rank test of paired values, given their differences: how likely ranks, by size, of those
// above 0 would sum up to as much, or as little, if the runs were equally good. It asks less of the distribution than the t-test, and
// goes by the order of the differences alone. Differences of 0 are left out, equal ones share their ranks. Beyond
// 200 it takes the normal distribution. Of none it is 1, of such as are no numbers not a number.
func WilcoxonTest(diffs []float64) (p float64) {
	var pairs []float64
	for _, d := range diffs {
		if math.IsNaN(d) {
			return math.NaN()
		}
		if d != 0 {
			pairs = append(pairs, d)
		}
	}
	slices.SortFunc(pairs, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	// Twice the rank, which is a whole number also where ranks are shared.
	ranks, above, total, squares := make([]int, len(pairs)), 0, 0, 0.0
	for i := 0; i < len(pairs); {
		end := i
		for end < len(pairs) && math.Abs(pairs[end]) == math.Abs(pairs[i]) {
			end++
		}
		for k := i; k < end; k++ {
			ranks[k] = i + 1 + end
			total += ranks[k]
			squares += float64(ranks[k]) * float64(ranks[k])
			if pairs[k] > 0 {
				above += ranks[k]
			}
		}
		i = end
	}
	far := max(2*above-total, total-2*above) // twice the distance from the middle
	if len(pairs) > exactPairs {
		return math.Erfc(float64(max(far-2, 0)) / math.Sqrt(squares) / math.Sqrt2) // a rank less, for a step is not a point
	}
	// The probability of each sum of the ranks of random signs.
	sums := make([]float64, total+1)
	sums[0] = 1
	top := 0
	for _, r := range ranks {
		top += r
		for s := top; s >= 0; s-- {
			sums[s] /= 2
			if s >= r {
				sums[s] += sums[s-r] / 2
			}
		}
	}
	for s, of := range sums {
		if max(2*s-total, total-2*s) >= far {
			p += of
		}
	}
	return min(p, 1)
}

// SignTest is how likely as many wins of one of two would be, or more, if either won as often: twice the tail of the
// binomial distribution. Draws are not counted. Without wins it is 1.
func SignTest(winsA, winsB int) float64 {
	n, least := winsA+winsB, min(winsA, winsB)
	if n <= 0 || least < 0 {
		return 1
	}
	tail := 0.0
	all, _ := math.Lgamma(float64(n + 1))
	for k := range least + 1 {
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(n - k + 1))
		tail += math.Exp(all - a - b - float64(n)*math.Ln2)
	}
	return min(1, 2*tail)
}

// Holm adjusts the probabilities of several comparisons, so that all of those below 0.05 together are wrong with a probability of 0.05 at
// most (Holm, 1979): who compares twenty runs finds one that is better by luck.
func Holm(probabilities []float64) []float64 {
	order := make([]int, len(probabilities))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(probabilities[a], probabilities[b]) })
	out, last := make([]float64, len(order)), 0.0
	for i, at := range order {
		last = max(last, min(1, float64(len(order)-i)*probabilities[at]))
		out[at] = last
	}
	return out
}
