package refresh

import (
	"math"
	"time"
)

// Gap is the time between two visits of a page.
type Gap struct {
	Length  time.Duration
	Changed bool // whether the page had changed in it
}

// Likeliest is the rate of change, in changes a second, under which a page is
// most likely to be found changed and unchanged as it was. Unlike for
// [ByContent], visits need not be regular: the rate r solves
//
//	Σ c/(e^(r·c) - 1) = Σ u
//
// for the gaps c with and u without a change (section 4.3 of the paper named
// there). If none had a change it is 0; if all had, where any greater rate is
// likelier still, [Corrected] is taken. Gaps of no length count for nothing.
// Cost: some 10 passes over the gaps.
func Likeliest(gaps []Gap) float64 {
	var quiet, loud float64
	n, x := 0, 0
	for _, g := range gaps {
		s := seconds(g.Length)
		switch {
		case s == 0:
			continue
		case g.Changed:
			loud += s
			x++
		default:
			quiet += s
		}
		n++
	}
	if x == 0 {
		return 0
	}
	if quiet == 0 {
		return Corrected(n, x, duration(loud))
	}
	// Each term lies between 1/r - c and 1/r, so that the root does between
	// x/(quiet+loud) and x/quiet.
	lo, hi := float64(x)/(quiet+loud), float64(x)/quiet
	return root(func(r float64) (float64, float64) { return slope(gaps, r) }, -quiet, lo, hi, lo)
}

// slope is -Σ c/(e^(r·c) - 1) over the gaps with a change, and its derivative.
func slope(gaps []Gap, r float64) (value, derivative float64) {
	for _, g := range gaps {
		c := seconds(g.Length)
		if !g.Changed || c == 0 {
			continue
		}
		e := math.Expm1(r * c)
		value -= c / e
		derivative += c / e * c * (1 + 1/e)
	}
	return value, derivative
}

// root finds where a rising function has value y, between lo and hi, by
// Newton's method from x, and by halving the interval where that leads out of
// it.
func root(f func(x float64) (value, derivative float64), y, lo, hi, x float64) float64 {
	for range 100 {
		v, d := f(x)
		if v < y {
			lo = x
		} else {
			hi = x
		}
		next := x - (v-y)/d
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-x) <= 1e-12*x {
			return next
		}
		x = next
	}
	return x
}
