package refresh

import "math"

// certain is the shape from which on a belief counts as knowledge of the rate:
// the formulas below would lose their digits in differences.
const certain = 1e6

// spread is (y^p - 1)/p for y = e^l, the integral of y^(p-1) from 1 to y.
func spread(p, l float64) float64 {
	if math.Abs(p*l) < 1e-12 {
		return l
	}
	return math.Expm1(p*l) / p
}

// freshGain is what a visit gains in freshness that comes t seconds after the
// last one: the integral of s·D'(s) from 0 to t, D(s) being the probability
// that the copy is stale by then.
func freshGain(b Belief, t float64) float64 {
	x := b.Rate() * t
	switch {
	case x < 1e-5:
		return x * t / 2
	case b.Shape >= certain:
		return (1 - (1+x)*math.Exp(-x)) / b.Rate()
	}
	l := math.Log1p(t / b.Time)
	return b.Shape * b.Time * (spread(1-b.Shape, l) - spread(-b.Shape, l))
}

// ageGain is the same for age: D(s) is the expected time since the first
// change that the copy has missed.
func ageGain(b Belief, t float64) float64 {
	x := b.Rate() * t
	switch {
	case x < 1e-4:
		return x * t * t / 3
	case b.Shape >= certain:
		return t*t/2 - freshGain(b, t)/b.Rate()
	}
	l := math.Log1p(t / b.Time)
	return t*t/2 - b.Time*b.Time*(spread(2-b.Shape, l)-spread(1-b.Shape, l))
}

// when is the time at which gain, which rises with time, comes to price;
// +Inf if it never does. It is found by bisection of the logarithm, from a
// guess outwards.
func when(gain func(t float64) float64, guess, price float64) float64 {
	if price <= 0 {
		return 0
	}
	lo, hi := guess, guess
	for gain(hi) < price {
		lo = hi
		if hi *= 16; hi > longest {
			return math.Inf(1)
		}
	}
	for lo > shortest && gain(lo) >= price {
		hi = lo
		lo /= 16
	}
	for hi > lo*(1+1e-9) {
		mid := math.Sqrt(lo * hi)
		if gain(mid) < price {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// What intervals can be, in seconds: a nanosecond to some 300 years.
const (
	shortest = 1e-9
	longest  = 1e10
)
