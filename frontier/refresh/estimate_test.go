package refresh

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

const aDay = 24 * time.Hour

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s is %v, should be %v", what, got, want)
	}
}

// By hand: 10 visits, a day apart, of which 6 found a change.
func TestEstimatesByHand(t *testing.T) {
	t.Parallel()
	near(t, "by content", ByContent(10, 6, 10*aDay)*86400, 0.916290732, 1e-9)  // -ln 0.4
	near(t, "corrected", Corrected(10, 6, 10*aDay)*86400, 0.847297860, 1e-9)   // -ln(4.5/10.5)
	near(t, "by date", ByLastModified(10, 6, 6*aDay)*86400, 0.942469000, 1e-9) // (5 + 6/9.16290732)/6
	gaps := []Gap{{aDay, true}, {aDay, true}, {aDay, false}, {aDay, false}, {aDay, true}}
	near(t, "likeliest, regular", Likeliest(gaps), ByContent(5, 3, 5*aDay), 1e-9)
	// 2/(e^2r - 1) = 1, so r = ln(3)/2.
	near(t, "likeliest, irregular", Likeliest([]Gap{{2 * aDay, true}, {aDay, false}})*86400, math.Log(3)/2, 1e-9)
}

func TestEstimatesAtTheEdges(t *testing.T) {
	t.Parallel()
	for _, f := range []func(int, int, time.Duration) float64{ByContent, Corrected, ByLastModified} {
		for _, c := range []struct {
			visits, changes int
			span            time.Duration
		}{{0, 0, 0}, {0, 0, aDay}, {5, 0, aDay}, {5, 3, 0}, {-3, -1, -aDay}, {0, 4, aDay}, {5, -2, aDay}, {5, 3, -aDay}} {
			if got := f(c.visits, c.changes, c.span); got != 0 {
				t.Errorf("%+v gives %v, should be 0", c, got)
			}
		}
		last := 0.0
		for x := 1; x <= 50; x++ {
			got := f(50, x, aDay)
			if !(got > last) || math.IsInf(got, 0) {
				t.Fatalf("%d changes of 50 give %v after %v", x, got, last)
			}
			last = got
		}
		if got := f(1, 1, aDay); !(got > 0) || math.IsInf(got, 0) {
			t.Errorf("a change at the only visit gives %v", got)
		}
		if f(3, 9, aDay) != f(3, 3, aDay) {
			t.Error("more changes than visits are not cut")
		}
	}
	for name, gaps := range map[string][]Gap{"none": nil, "quiet": {{aDay, false}}, "no time": {{0, true}, {-aDay, false}}} {
		if got := Likeliest(gaps); got != 0 {
			t.Errorf("%s gives %v, should be 0", name, got)
		}
	}
	near(t, "all changed", Likeliest([]Gap{{aDay, true}, {3 * aDay, true}}), Corrected(2, 2, 4*aDay), 1e-12)
	if got := Likeliest([]Gap{{math.MaxInt64, true}, {1, false}}); !(got > 0) || math.IsInf(got, 0) {
		t.Errorf("gaps of very different length give %v", got)
	}
}

// visits of a page with a rate of 1 a day: every so often, or irregularly.
func poissonGaps(rng *rand.Rand, n int, length func() float64) (gaps []Gap, quiet time.Duration) {
	for range n {
		l := length()
		since := rng.ExpFloat64() // from the visit back to the latest change
		gaps = append(gaps, Gap{duration(l * 86400), since < l})
		quiet += duration(min(since, l) * 86400)
	}
	return gaps, quiet
}

func count(gaps []Gap) (changes int, span time.Duration) {
	for _, g := range gaps {
		if g.Changed {
			changes++
		}
		span += g.Length
	}
	return changes, span
}

// mean runs an estimator on many histories of n visits.
func mean(seed uint64, n, runs int, length func(*rand.Rand) float64, estimate func(gaps []Gap, quiet time.Duration) float64) (mean, deviation float64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	var sum, squares float64
	for range runs {
		gaps, quiet := poissonGaps(rng, n, func() float64 { return length(rng) })
		r := estimate(gaps, quiet) * 86400
		sum += r
		squares += r * r
	}
	mean = sum / float64(runs)
	return mean, math.Sqrt(squares/float64(runs) - mean*mean)
}

// The figures a reader of the paper expects: the corrected estimator is all but
// free of bias from some ten visits on, if pages change about once a visit; so is
// that of dates, and its error is less.
func TestEstimatesHaveLittleBias(t *testing.T) {
	t.Parallel()
	regular := func(*rand.Rand) float64 { return 1 }
	content := func(f func(int, int, time.Duration) float64) func([]Gap, time.Duration) float64 {
		return func(gaps []Gap, _ time.Duration) float64 {
			x, span := count(gaps)
			return f(len(gaps), x, span)
		}
	}
	dated := func(gaps []Gap, quiet time.Duration) float64 {
		x, _ := count(gaps)
		return ByLastModified(len(gaps), x, quiet)
	}
	corrected, _ := mean(1, 20, 5000, regular, content(Corrected))
	near(t, "corrected", corrected, 1, 0.02)
	plain, _ := mean(1, 20, 5000, regular, content(ByContent))
	if math.Abs(plain-1) < math.Abs(corrected-1) {
		t.Errorf("the plain estimator, %v, has less bias than the corrected, %v", plain, corrected)
	}
	byDate, _ := mean(1, 20, 5000, regular, dated)
	near(t, "by date", byDate, 1, 0.02)
	seldom := func(*rand.Rand) float64 { return 2 }
	_, spread := mean(1, 50, 1500, seldom, content(Corrected))
	if _, dates := mean(1, 50, 1500, seldom, dated); dates > 0.9*spread {
		t.Errorf("dates do not help: deviation %v, without %v", dates, spread)
	}
	naive, _ := mean(1, 20, 5000, regular, func(gaps []Gap, _ time.Duration) float64 {
		x, span := count(gaps)
		return float64(x) / span.Seconds()
	})
	near(t, "naive", naive, 1-math.Exp(-1), 0.02) // why the others are needed
}

func TestEstimatesAreConsistent(t *testing.T) {
	t.Parallel()
	irregular := func(rng *rand.Rand) float64 { return 0.1 + 3*rng.Float64()*rng.Float64() }
	likeliest := func(gaps []Gap, _ time.Duration) float64 { return Likeliest(gaps) }
	last := math.Inf(1)
	for _, n := range []int{30, 300, 3000} {
		m, deviation := mean(3, n, 100, irregular, likeliest)
		near(t, "likeliest", m, 1, 4/math.Sqrt(float64(n))*0.3+0.01)
		if deviation > last/2 {
			t.Errorf("with %d visits the deviation is %v, with a tenth of them %v", n, deviation, last)
		}
		last = deviation
	}
	// Taking irregular visits for regular ones is wrong however many there are.
	m, _ := mean(3, 3000, 30, irregular, func(gaps []Gap, _ time.Duration) float64 {
		x, span := count(gaps)
		return ByContent(len(gaps), x, span)
	})
	if math.Abs(m-1) < 0.05 {
		t.Errorf("regular form on irregular visits gives %v", m)
	}
}

// Likeliest is where the likelihood is greatest.
func TestLikeliestIsLikeliest(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 2))
	for range 200 {
		gaps, _ := poissonGaps(rng, 2+rng.IntN(20), func() float64 { return math.Exp(3 * rng.NormFloat64()) })
		x, _ := count(gaps)
		if x == 0 || x == len(gaps) {
			continue
		}
		logLikelihood := func(r float64) (sum float64) {
			for _, g := range gaps {
				if s := r * g.Length.Seconds(); g.Changed {
					sum += math.Log(-math.Expm1(-s))
				} else {
					sum -= s
				}
			}
			return sum
		}
		r := Likeliest(gaps)
		if at := logLikelihood(r); logLikelihood(r*1.001) > at || logLikelihood(r*0.999) > at {
			t.Fatalf("%v is not the maximum for %v", r, gaps)
		}
	}
}
