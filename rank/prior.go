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
