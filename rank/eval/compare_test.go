package eval

import (
	"math"
	"testing"
)

// TestSleep is the example of Student (1908): the additional hours of sleep by
// one drug over another, for ten patients.
func TestSleep(t *testing.T) {
	t.Parallel()
	diffs := []float64{1.2, 2.4, 1.3, 1.3, 0, 1.0, 1.8, 0.8, 4.6, 1.4}
	stat, p := TTest(diffs)
	if math.Abs(stat-4.0621) > 0.00005 || math.Abs(p-0.002833) > 0.0000005 {
		t.Errorf("t = %.4f, p = %.6f, want 4.0621 and 0.002833", stat, p)
	}
	// Of the 512 signs of nine differences above 0 only two are as far out.
	if got, want := RandomizationTest(diffs, 1), 2.0/512; got != want {
		t.Errorf("randomised: %v, want %v", got, want)
	}
}

// TestMaize is the example of Fisher (The Design of Experiments, 1935): heights
// of Darwin's maize, crossed and self-fertilised, in eighths of an inch. Of the
// 32,768 ways to give signs to them, he found 863 with a sum of 314 or more.
func TestMaize(t *testing.T) {
	t.Parallel()
	diffs := []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	if got, want := RandomizationTest(diffs, 1), 2*863.0/32768; got != want {
		t.Errorf("randomised: %v, want %v", got, want)
	}
	stat, p := TTest(diffs)
	if math.Abs(stat-2.148) > 0.0005 || math.Abs(p-0.0497) > 0.00005 {
		t.Errorf("t = %.3f, p = %.4f, want 2.148 and 0.0497", stat, p)
	}
	// At random it is about the same, and the same each time.
	twice := append(append([]float64{}, diffs...), 1e-9, -1e-9, 1e-9)
	got := RandomizationTest(twice, 5)
	if want := 2 * 863.0 / 32768; math.Abs(got-want) > 0.004 {
		t.Errorf("at random: %v, want about %v", got, want)
	}
	if again := RandomizationTest(twice, 5); again != got {
		t.Errorf("the same seed gives %v, then %v", got, again)
	}
}

func TestFewDifferences(t *testing.T) {
	t.Parallel()
	cases := []struct {
		diffs       []float64
		t, p, signs float64
	}{
		{nil, 0, 1, 1},
		{[]float64{3}, 0, 1, 1},
		{[]float64{0, 0, 0}, 0, 1, 1},
		{[]float64{-2, -2}, math.Inf(-1), 0, 0.5},
		{[]float64{1, -1}, 0, 1, 1},
		{[]float64{0.1, 0.2, 0.3}, 3.4641, 0.0742, 0.25},
	}
	for _, c := range cases {
		stat, p := TTest(c.diffs)
		signs := RandomizationTest(c.diffs, 1)
		if stat != c.t && math.Abs(stat-c.t) > 0.00005 || math.Abs(p-c.p) > 0.00005 || signs != c.signs {
			t.Errorf("%v: t = %v, p = %v, randomised %v, want %v, %v, %v", c.diffs, stat, p, signs, c.t, c.p, c.signs)
		}
	}
}

// What is no number must not look like a difference that is certain.
func TestNoNumbers(t *testing.T) {
	t.Parallel()
	for _, diffs := range [][]float64{{math.NaN(), 1}, {1, math.Inf(-1)}, {math.Inf(1), math.Inf(-1), 3}, {1e308, -1e308, 1e308}, append(make([]float64, 20), math.NaN())} {
		if p := RandomizationTest(diffs, 1); !math.IsNaN(p) {
			t.Errorf("%v: randomised %v", diffs, p)
		}
		if _, p := TTest(diffs); p < 1 { // nor is NaN
			t.Errorf("%v: %v", diffs, p)
		}
	}
}

// TestStudent compares with tables of Student's distribution: quantiles for two
// sides and 5 percent.
func TestStudent(t *testing.T) {
	t.Parallel()
	for free, quantile := range map[float64]float64{1: 12.7062, 2: 4.3027, 5: 2.5706, 9: 2.2622, 30: 2.0423, 100: 1.9840, 1e6: 1.9600} {
		if p := betaPart(free/(free+quantile*quantile), free/2, 0.5); math.Abs(p-0.05) > 0.00001 {
			t.Errorf("beyond %v with %v degrees of freedom lie %v, want 0.05", quantile, free, p)
		}
	}
	// I_x(1, b) = 1 - (1-x)^b, I_x(a, 1) = x^a.
	for _, x := range []float64{0, 0.001, 0.3, 0.5, 0.97, 1} {
		if got, want := betaPart(x, 1, 3.5), 1-math.Pow(1-x, 3.5); math.Abs(got-want) > 1e-14 {
			t.Errorf("I(%v; 1, 3.5) = %v, want %v", x, got, want)
		}
		if got, want := betaPart(x, 2.5, 1), math.Pow(x, 2.5); math.Abs(got-want) > 1e-14 {
			t.Errorf("I(%v; 2.5, 1) = %v, want %v", x, got, want)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	a := &Report{Measures: []Measure{{MAP, 0}, {NDCG, 10}}, Queries: []Scores{
		{"1", []float64{0.1, 0}}, {"2", []float64{0.5, 0}}, {"3", []float64{0.4, 0}}, {"only a", []float64{1, 0}},
	}}
	b := &Report{Measures: []Measure{{MRR, 0}, {MAP, 0}}, Queries: []Scores{
		{"3", []float64{0, 0.4}}, {"1", []float64{0, 0.3}}, {"2", []float64{0, 0.4}}, {"only b", []float64{0, 1}},
	}}
	got, err := Compare(a, b)
	if err != nil || len(got) != 1 {
		t.Fatalf("got %v, %v", got, err)
	}
	c := got[0]
	if c.Measure.Kind != MAP || c.Queries != 3 || c.Better != 1 || c.Worse != 1 || math.Abs(c.A-1.0/3) > 1e-12 || math.Abs(c.B-1.1/3) > 1e-12 {
		t.Errorf("got %+v", c)
	}
	if c.PRandom != 1 || c.PT < 0.7 || c.PT > 0.75 { // t = 0.378 with 2 degrees of freedom
		t.Errorf("p = %v by t, %v by randomisation", c.PT, c.PRandom)
	}
	if _, err := Compare(a, &Report{Measures: a.Measures}); err == nil {
		t.Error("nothing in common is compared")
	}
}
