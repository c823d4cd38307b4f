package refresh

import (
	"math"
	"testing"
	"time"
)

func TestFreshByHand(t *testing.T) {
	t.Parallel()
	r := 1 / 86400.0
	near(t, "fresh", Fresh(r, aDay), 1/math.E, 1e-12)
	near(t, "mean fresh", MeanFresh(r, aDay), 1-1/math.E, 1e-12)
	near(t, "age", Age(r, aDay).Hours(), 24/math.E, 1e-9)                  // (x - 1 + e^-x)/x
	near(t, "mean age", MeanAge(r, aDay).Hours(), 24*(0.5-1/math.E), 1e-9) // (x²/2 - x + 1 - e^-x)/x²
}

// Means are means: the integral over an interval, taken in small steps.
func TestMeansAreMeans(t *testing.T) {
	t.Parallel()
	for _, r := range []float64{1e-12, 1e-9, 1e-7, 1e-5, 1e-3} {
		const steps = 20000
		var fresh, age float64
		for i := range steps {
			at := time.Duration((float64(i) + 0.5) / steps * float64(aDay))
			fresh += Fresh(r, at) / steps
			age += Age(r, at).Seconds() / steps
		}
		near(t, "mean fresh", MeanFresh(r, aDay), fresh, 1e-3)
		if age > 1e-6 { // a nanosecond is the least there is
			near(t, "mean age", MeanAge(r, aDay).Seconds(), age, 1e-3)
		}
	}
}

func TestFreshAtTheEdges(t *testing.T) {
	t.Parallel()
	for _, r := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
		if Fresh(r, aDay) != 1 || MeanFresh(r, aDay) != 1 || Age(r, aDay) != 0 || MeanAge(r, aDay) != 0 {
			t.Errorf("a rate of %v does not count as 0", r)
		}
	}
	for _, d := range []time.Duration{0, -aDay, math.MinInt64} {
		if Fresh(1, d) != 1 || MeanFresh(1, d) != 1 || Age(1, d) != 0 || MeanAge(1, d) != 0 {
			t.Errorf("a time of %v does not count as 0", d)
		}
	}
	for _, r := range []float64{5e-324, 1, math.MaxFloat64, math.Inf(1)} {
		f, m, a, ma := Fresh(r, math.MaxInt64), MeanFresh(r, math.MaxInt64), Age(r, math.MaxInt64), MeanAge(r, math.MaxInt64)
		if !(f >= 0 && f <= 1 && m >= 0 && m <= 1) || a < 0 || ma < 0 {
			t.Errorf("rate %v: %v %v %v %v", r, f, m, a, ma)
		}
	}
}
