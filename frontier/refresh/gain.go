package refresh

import "math"

// How often to visit a page is a question of what a visit gains. If D(t) is
// what a copy lacks t after it was made, visits at intervals t cost the mean of
// D over 0..t. A little more of visits lowers that, for each visit, by
//
//	U(t) = t·D(t) - ∫ D(s) ds from 0 to t
//
// and where the sum over all pages is least for a number of visits, U has the
// same value for all pages that are visited: the price (Lagrange; Olston and
// Pandey, section 2.2). With changes that come at rate r, and x = r·t, U is
//
//	(1 - (1+x)·e^-x) / r                for D = 1 - e^-x, the risk to be stale
//	(x²/2 - 1 + (1+x)·e^-x) / r²        for D = t - (1 - e^-x)/r, the age
//
// The first never gets beyond 1/r: the page is given up if a visit has to be
// worth more.

// pause is the x for which 1 - (1+x)·e^-x = y: the interval of the optimal
// policy in mean times between changes. It is +Inf for y of 1 and more.
func pause(y float64) float64 {
	switch {
	case !(y < 1):
		return math.Inf(1)
	case y < 1e-8: // x²/2 - x³/3
		x := math.Sqrt(2 * max(y, 0))
		return x * (1 + x/3)
	}
	guess := math.Sqrt(2*y) + y/1.5
	if y > 0.6 {
		l := -math.Log1p(-y)
		guess = l + math.Log1p(l+math.Log1p(l))
	}
	// y > 1 - 2^-53 would need x > 41.
	return root(func(x float64) (float64, float64) {
		e := math.Exp(-x)
		return -math.Expm1(-x) - x*e, x * e
	}, y, 0, 50, guess)
}

// agePause is the x for which x²/2 - 1 + (1+x)·e^-x = y.
func agePause(y float64) float64 {
	switch {
	case !(y < math.MaxFloat64):
		return math.Inf(1)
	case y < 1e-9: // x³/3 - x⁴/8
		x := math.Cbrt(3 * max(y, 0))
		return x * (1 + x/8)
	}
	// The left side lies between x²/2 - 1 and x²/2, and below x³/3.
	lo, hi := max(math.Cbrt(3*y), math.Sqrt(2*y)), math.Sqrt(2*(y+1))
	return root(func(x float64) (float64, float64) {
		e := math.Exp(-x)
		return x*x/2 + math.Expm1(-x) + x*e, -x * math.Expm1(-x)
	}, y, lo, hi, min(lo*1.1, hi))
}
