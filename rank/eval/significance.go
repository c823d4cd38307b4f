package eval

import (
	"math"
	"math/rand/v2"
)

// TTest is Student's test of paired values, given their differences: how many
// standard errors the mean lies from 0, and the probability of so many or more,
// either way, if the true mean is 0. Without any spread the probability is 1 for
// differences of 0 and else 0; a single difference tells nothing, and has 1.
func TTest(diffs []float64) (t, p float64) {
	n := float64(len(diffs))
	if n < 2 {
		return 0, 1
	}
	mean := sum(diffs) / n
	spread := 0.0
	for _, d := range diffs {
		spread += (d - mean) * (d - mean)
	}
	if spread == 0 {
		if mean == 0 {
			return 0, 1
		}
		return math.Copysign(math.Inf(1), mean), 0
	}
	t = mean / math.Sqrt(spread/(n-1)/n)
	return t, betaPart((n-1)/(n-1+t*t), (n-1)/2, 0.5)
}

const (
	fewPairs = 16     // whose signs are all tried: 65,536 ways
	flips    = 50_000 // tried at random else
)

// RandomizationTest is Fisher's test of paired values, given their differences:
// the part of all ways to give them signs whose sum is as far from 0, either
// way. It asks nothing of their distribution. Beyond 16 differences it tries
// 50,000 ways at random; the same seed gives the same. Costs milliseconds for
// some hundred differences. Of differences that are no finite numbers, or sum up to
// none, it is not a number.
func RandomizationTest(diffs []float64, seed uint64) float64 {
	var pairs []float64 // a difference of 0 changes nothing
	scale := 0.0
	for _, d := range diffs {
		if d != 0 {
			pairs = append(pairs, d)
			scale += math.Abs(d)
		}
	}
	if math.IsNaN(scale) || math.IsInf(scale, 0) {
		return math.NaN()
	}
	// Sums of the same terms differ by their rounding.
	least := math.Abs(sum(pairs)) - 1e-12*scale
	if len(pairs) <= fewPairs {
		return everySign(pairs, least)
	}
	rnd := rand.New(rand.NewPCG(seed, 0))
	far := 1 // the way it is
	for range flips {
		if math.Abs(randomSigns(pairs, rnd)) >= least {
			far++
		}
	}
	return float64(far) / (flips + 1)
}

// everySign tries all ways to give signs.
func everySign(pairs []float64, least float64) float64 {
	far := 0
	for signs := range 1 << len(pairs) {
		s := 0.0
		for i, d := range pairs {
			if signs>>i&1 == 1 {
				d = -d
			}
			s += d
		}
		if math.Abs(s) >= least {
			far++
		}
	}
	return float64(far) / float64(int(1)<<len(pairs))
}

// randomSigns sums up with random signs.
func randomSigns(pairs []float64, rnd *rand.Rand) (s float64) {
	var bits uint64
	for i, d := range pairs {
		if i%64 == 0 {
			bits = rnd.Uint64()
		}
		if bits&1 == 1 {
			d = -d
		}
		bits >>= 1
		s += d
	}
	return s
}

func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}

// betaPart is the regularised incomplete beta function: the part of the beta
// distribution with parameters a and b that lies below x (DLMF 8.17).
func betaPart(x, a, b float64) float64 {
	if x <= 0 || x >= 1 {
		return min(max(x, 0), 1)
	}
	if x > (a+1)/(a+b+2) { // where the fraction does not converge soon
		return 1 - betaPart(1-x, b, a)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(lab - la - lb + a*math.Log(x) + b*math.Log1p(-x))
	return front / a * betaFraction(x, a, b)
}

// betaFraction is the continued fraction 1/(1+d1/(1+d2/(1+...))) of DLMF
// 8.17.22, from the back. About the root of a or b terms are enough: this many
// serve a million queries.
func betaFraction(x, a, b float64) float64 {
	tail := 1.0
	for i := 1000; i > 0; i-- {
		m := float64(i / 2)
		d := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		if i%2 == 1 {
			d = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		tail = 1 + d/tail
	}
	return 1 / tail
}
