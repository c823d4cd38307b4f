package rank

import (
	"cmp"
	"math"
	"time"
)

// Prior says what a number that a document has, such as its PageRank or when it
// was written, adds to its score, whatever the query. Add is finite and not
// negative, and does not fall when the value rises, by more than 2^-45 of it: an
// index prunes by that.
type Prior interface {
	Add(value float64) float64
}

// Saturation is the Prior
//
//	weight · v^a / (v^a + half^a)
//
// of Craswell, Robertson, Zaragoza and Taylor (Relevance Weighting for Query
// Independent Evidence, SIGIR 2005): half of the weight for the value half, all of
// it for very great ones. It adds 0 for values that are not greater than 0.
type Saturation struct {
	Weight   float64 // 0: 1
	Half     float64 // 0: 1
	Exponent float64 // a; 0: 1
}

// Add implements [Prior].
func (s Saturation) Add(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	q := cmp.Or(s.Half, 1) / v
	if s.Exponent != 0 && s.Exponent != 1 {
		q = math.Pow(q, s.Exponent)
	}
	return cmp.Or(s.Weight, 1) / (1 + q)
}

// Logarithm is the Prior
//
//	weight · min(ln(1 + v/scale), most)
//
// for numbers that fall by a power law, such as a PageRank, of which one page may have a million times that of
// another. With the mean for Scale, most pages have little added; Most keeps the front pages of
// the web from winning every query. It adds 0 for values that are not greater than 0.
type Logarithm struct {
	Weight float64 // 0: 1
	Scale  float64 // 0: 1
	Most   float64 // of the logarithm; 0: 20
}

// Add implements [Prior].
func (l Logarithm) Add(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return cmp.Or(l.Weight, 1) * min(math.Log1p(v/cmp.Or(l.Scale, 1)), cmp.Or(l.Most, 20))
}

// Sigmoid is the Prior
//
//	weight / (1 + e^((middle-v)/width))
//
// for numbers of which there is too little and enough, such as a probability or the length of a page: half of the weight
// for the value Middle, 0.73 of it Width above, 0.27 of it Width below. Of NaN it is 0.
type Sigmoid struct {
	Weight float64 // 0: 1
	Middle float64
	Width  float64 // 0: 1
}

// Add implements [Prior].
func (s Sigmoid) Add(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return cmp.Or(s.Weight, 1) / (1 + math.Exp((s.Middle-v)/cmp.Or(s.Width, 1)))
}

// Recency is the Prior of a time, in seconds since 1970: all of the weight now
// and later, half of it HalfLife ago, a quarter of it twice as long ago.
type Recency struct {
	Weight   float64       // 0: 1
	Now      time.Time     // of the search; the zero time: 1970
	HalfLife time.Duration // 0: 30 days
}

// Add implements [Prior].
func (r Recency) Add(seconds float64) float64 {
	now := 0.0
	if !r.Now.IsZero() {
		now = float64(r.Now.UnixMicro()) / 1e6
	}
	age := max(0, now-seconds) / cmp.Or(r.HalfLife, 30*24*time.Hour).Seconds()
	return cmp.Or(r.Weight, 1) * math.Exp2(-age)
}
