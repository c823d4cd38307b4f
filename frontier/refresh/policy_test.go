package refresh

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestPausesSolveTheirEquations(t *testing.T) {
	t.Parallel()
	for e := -30.0; e < 12; e += 0.01 {
		y := math.Exp(e)
		if x := agePause(y); x > 1e-2 {
			near(t, "age", x*x/2-1+(1+x)*math.Exp(-x), y, 1e-9)
		} else {
			near(t, "small age", x*x*x/3-x*x*x*x/8+x*x*x*x*x/30, y, 1e-6)
		}
		if y >= 1 {
			if !math.IsInf(pause(y), 1) {
				t.Fatalf("pause(%v) is %v", y, pause(y))
			}
			continue
		}
		if x := pause(y); x > 1e-2 {
			near(t, "freshness", 1-(1+x)*math.Exp(-x), y, 1e-9)
		} else {
			near(t, "small freshness", x*x/2-x*x*x/3+x*x*x*x/8, y, 1e-6)
		}
	}
	if x := pause(1 - 1e-16); !(x > 35 && x < 50) {
		t.Errorf("pause just below 1 is %v", x)
	}
	for _, y := range []float64{math.NaN(), math.Inf(1)} {
		if !math.IsInf(pause(y), 1) || !math.IsInf(agePause(y), 1) {
			t.Errorf("%v gives an end", y)
		}
	}
	if pause(-1) != 0 || agePause(-1) != 0 || pause(0) != 0 {
		t.Error("a negative price is not the same as none")
	}
}

func TestIntervalsRiseWithPrice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rate := math.Pow(10, rapid.Float64Range(-9, 1).Draw(t, "rate"))
		weight := math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "weight"))
		price := math.Pow(10, rapid.Float64Range(-9, 12).Draw(t, "price"))
		for _, p := range policies() {
			low, high := p.Interval(rate, weight, price), p.Interval(rate, weight, price*1.1)
			if !(low > 0) || !(high >= low) || !(high > low) && !math.IsInf(low, 1) {
				t.Errorf("%T goes from %v to %v", p, low, high)
			}
			if heavy := p.Interval(rate, weight*1.1, price); heavy > low {
				t.Errorf("%T visits a page less that has more weight", p)
			}
		}
	})
}

func TestLongevity(t *testing.T) {
	t.Parallel()
	hourly, weekly := 1/3600.0, 1/(7*86400.0)
	price := 300.0 // seconds of freshness that a visit has to gain
	if math.IsInf((Optimal{}).Interval(hourly, 1, price), 1) {
		t.Fatal("the optimum gives up the page that this is about")
	}
	if got := (Longevity{}).Interval(hourly, 1, price); !math.IsInf(got, 1) {
		t.Errorf("a page whose content is gone within the hour is visited every %v s", got)
	}
	if got := (Longevity{Life: time.Minute}).Interval(hourly, 1, price); math.IsInf(got, 1) {
		t.Error("nor is it visited if a minute is enough")
	}
	near(t, "a lasting page", (Longevity{Life: time.Minute}).Interval(weekly, 1, price), (Optimal{}).Interval(weekly, 1, price), 1e-3)
}
