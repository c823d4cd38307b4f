package linear_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/rank/linear"
)

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func bind(t testing.TB, m *linear.Model, names ...string) func(...float64) float64 {
	t.Helper()
	f, err := m.Bind(names)
	if err != nil {
		t.Fatal(err)
	}
	return func(x ...float64) float64 { return f(x) }
}

func TestByHand(t *testing.T) {
	t.Parallel()
	m := &linear.Model{Intercept: 1, Terms: []linear.Term{
		{Feature: "a", Weight: 2},
		{Feature: "b", Points: [][2]float64{{0, 1}, {2, 5}, {2, 7}, {4, 0}}},
	}}
	f := bind(t, m, "b", "other", "a")
	for _, c := range [][3]float64{{0, 0, 2}, {3, 0, 8}, {0, -9, 2}, {0, 1, 4}, {0, 1.5, 5}, {0, 2, 8}, {0, 3, 4.5}, {0, 4, 1}, {0, 99, 1}, {math.NaN(), math.Inf(1), 2}} {
		near(t, fmt.Sprint(c), f(c[1], 77, c[0]), c[2], 1e-12)
	}
	m.Logistic = true
	near(t, "a probability", bind(t, m, "a", "b")(0, -1), 1/(1+math.Exp(-2)), 1e-12)
	if _, err := m.Bind([]string{"a"}); err == nil {
		t.Error("a missing feature is no error")
	}
	near(t, "no points", bind(t, &linear.Model{Terms: []linear.Term{{Feature: "a", Points: [][2]float64{}}}}, "a")(5), 0, 0)
}

func TestRead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", `{"terms":[{"feature":"a","wait":1}]}`, `{"terms":[{"weight":1}]}`, `{"terms":[{"feature":"a","weight":1,"points":[[1,2]]}]}`,
		`{"terms":[{"feature":"a","points":[[2,0],[1,0]]}]}`, `{"intercept":1e101}`, `{"intercept":1} x`, `{"intercept":"1"}`, `{"intercept":NaN}`} {
		if m, err := linear.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q is %+v", text, m)
		}
	}
	if err := (&linear.Model{Intercept: math.NaN()}).Write(&bytes.Buffer{}); err == nil {
		t.Error("NaN is written")
	}
}

func drawModel(t *rapid.T) *linear.Model {
	number := rapid.OneOf(rapid.Float64Range(-9, 9), rapid.Float64Range(-1e100, 1e100))
	m := &linear.Model{About: rapid.String().Draw(t, "about"), Logistic: rapid.Bool().Draw(t, "logistic"), Intercept: number.Draw(t, "intercept")}
	for i := range rapid.IntRange(0, 4).Draw(t, "terms") {
		term := linear.Term{Feature: fmt.Sprint("f", i)}
		if rapid.Bool().Draw(t, "straight") {
			term.Weight = number.Draw(t, "weight")
		} else {
			x := -5.0
			for range rapid.IntRange(1, 4).Draw(t, "points") {
				x += rapid.SampledFrom([]float64{0, 1e-300, 0.5, 3, 1e99}).Draw(t, "step")
				term.Points = append(term.Points, [2]float64{x, number.Draw(t, "value")})
			}
		}
		m.Terms = append(m.Terms, term)
	}
	return m
}

// A model is read as it was written, finite of anything, and explained as it scores.
func TestContract(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t)
		var text bytes.Buffer
		if err := m.Write(&text); err != nil {
			t.Fatal(err)
		}
		again, err := linear.Read(&text)
		if err != nil {
			t.Fatal(err)
		}
		m.About, again.About = "", "" // text that is no UTF-8 is mended
		if len(m.Terms) > 0 && !reflect.DeepEqual(m, again) {
			t.Fatalf("%+v became %+v", m, again)
		}
		names := []string{"f0", "f1", "f2", "f3"}
		features := rapid.SliceOfN(rapid.OneOf(rapid.Float64(), rapid.Float64Range(-9, 9), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1)})), 4, 4).Draw(t, "features")
		f, err := m.Bind(names)
		if err != nil {
			t.Fatal(err)
		}
		got := f(features)
		if math.IsNaN(got) || math.IsInf(got, 0) {
			t.Fatalf("%v", got)
		}
		if ex, err := m.Explain(names, features); err != nil || ex.Value != got || len(ex.Parts) != len(m.Terms)+1 {
			t.Fatalf("%v, %v", ex, err)
		}
	})
}

func TestLeastSquares(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	var rows [][]float64
	var targets []float64
	for range 500 {
		x := []float64{r.Float64() * 100, r.NormFloat64(), 7, r.Float64()}
		rows, targets = append(rows, x), append(targets, 3+0.5*x[0]-2*x[1])
	}
	m, err := linear.Fit([]string{"a", "b", "same", "noise"}, rows, targets, linear.Options{Ridge: -1})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "intercept", m.Intercept, 3, 1e-9)
	for i, want := range []float64{0.5, -2, 0} {
		near(t, m.Terms[i].Feature, m.Terms[i].Weight, want, 1e-9)
	}
	if len(m.Terms) != 3 || m.Terms[2].Feature != "noise" {
		t.Errorf("%+v: a feature that is always the same has a term", m.Terms)
	}
	again, err := linear.Fit([]string{"a", "b", "same", "noise"}, rows, targets, linear.Options{Ridge: -1})
	if err != nil || !reflect.DeepEqual(m, again) {
		t.Errorf("learnt again: %v, %v", again, err)
	}
}

// The six points of the line |x-3|, and of noise around it.
func TestPiecewise(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	var rows [][]float64
	var targets []float64
	for range 2000 {
		x := r.Float64() * 6
		rows, targets = append(rows, []float64{x}), append(targets, math.Abs(x-3)+0.1*r.NormFloat64())
	}
	m, err := linear.Fit([]string{"x"}, rows, targets, linear.Options{Points: 9})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Terms) != 1 || len(m.Terms[0].Points) != 9 {
		t.Fatalf("%+v", m.Terms)
	}
	f := bind(t, m, "x")
	for x := range 7 {
		near(t, fmt.Sprint("at ", x), f(float64(x)), math.Abs(float64(x)-3), 0.12)
	}
	straight, err := linear.Fit([]string{"x"}, rows, targets, linear.Options{})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "the straight line at 3", bind(t, straight, "x")(3), 1.5, 0.1)
}

// The weights are those that examples were drawn by; where all can be told apart they stay finite.
func TestLogistic(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	var rows [][]float64
	var targets, apart []float64
	for range 8000 {
		x := []float64{r.NormFloat64(), 5 + 3*r.NormFloat64()}
		y := 0.0
		if r.Float64() < 1/(1+math.Exp(-(1+2*x[0]-0.5*x[1]))) {
			y = 1
		}
		rows, targets, apart = append(rows, x), append(targets, y), append(apart, map[bool]float64{true: 1}[x[0] > 0])
	}
	m, err := linear.Fit([]string{"a", "b"}, rows, targets, linear.Options{Logistic: true})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "intercept", m.Intercept, 1, 0.15)
	near(t, "a", m.Terms[0].Weight, 2, 0.15)
	near(t, "b", m.Terms[1].Weight, -0.5, 0.05)
	for _, y := range [][]float64{apart, make([]float64, len(rows))} {
		m, err = linear.Fit([]string{"a", "b"}, rows, y, linear.Options{Logistic: true})
		if err != nil {
			t.Fatal(err)
		}
		if f := bind(t, m, "a", "b"); f(1, 5) < f(-1, 5) || f(-1, 5) > 0.1 {
			t.Errorf("%v and %v", f(1, 5), f(-1, 5))
		}
	}
}

func TestFitRefuses(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b"}
	for what, c := range map[string]struct {
		rows    [][]float64
		targets []float64
		opt     linear.Options
	}{
		"nothing":    {},
		"no targets": {rows: [][]float64{{1, 2}}},
		"ragged":     {rows: [][]float64{{1}}, targets: []float64{1}},
		"NaN":        {rows: [][]float64{{1, math.NaN()}}, targets: []float64{1}},
		"huge":       {rows: [][]float64{{1, 2}}, targets: []float64{1e200}},
		"a label":    {rows: [][]float64{{1, 2}}, targets: []float64{2}, opt: linear.Options{Logistic: true}},
		"dependent":  {rows: [][]float64{{1, 2}, {2, 4}, {3, 6}}, targets: []float64{1, 2, 3}, opt: linear.Options{Ridge: -1}},
	} {
		if m, err := linear.Fit(names, c.rows, c.targets, c.opt); err == nil {
			t.Errorf("%s: %+v", what, m)
		}
	}
}

// Whatever is fitted, the model is finite, and of the examples too.
func TestFitContract(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "examples")
		number := rapid.SampledFrom([]float64{0, 1, 0.5, -3, 1e-40, 1e40, 7})
		rows, targets := make([][]float64, n), make([]float64, n)
		for i := range rows {
			rows[i] = []float64{number.Draw(t, "x"), number.Draw(t, "y")}
			targets[i] = rapid.Float64Range(0, 1).Draw(t, "target")
		}
		m, err := linear.Fit([]string{"x", "y"}, rows, targets, linear.Options{Logistic: rapid.Bool().Draw(t, "logistic"), Points: rapid.IntRange(0, 4).Draw(t, "points")})
		if err != nil {
			t.Fatal(err)
		}
		f, err := m.Bind([]string{"x", "y"})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if got := f(row); math.IsNaN(got) || math.IsInf(got, 0) {
				t.Fatalf("%v of %v by %+v", got, row, m)
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add(`{"intercept": 1, "terms": [{"feature": "a", "points": [[0, 1], [2, 3]]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := linear.Read(strings.NewReader(text))
		if err != nil {
			return
		}
		names := []string{}
		for _, term := range m.Terms {
			names = append(names, term.Feature)
		}
		score, err := m.Bind(names)
		if err != nil {
			t.Fatal(err)
		}
		if got := score(make([]float64, len(names))); math.IsNaN(got) || math.IsInf(got, 0) {
			t.Errorf("%q scores %v", text, got)
		}
	})
}

func ExampleRead() {
	m, err := linear.Read(strings.NewReader(`{
	  "about": "short URLs",
	  "intercept": 0,
	  "terms": [{"feature": "url.depth", "points": [[0, 1], [4, 0]]}]
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	score, err := m.Bind([]string{"url.length", "url.depth"})
	fmt.Println(score([]float64{30, 1}), err)
	// Output: 0.75 <nil>
}

func ExampleFit() {
	m, err := linear.Fit([]string{"depth"}, [][]float64{{0}, {1}, {2}, {3}}, []float64{3, 2, 1, 0}, linear.Options{Ridge: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.2f %s %.2f\n", m.Intercept, m.Terms[0].Feature, m.Terms[0].Weight)
	// Output: 3.00 depth -1.00
}

func ExampleModel_Write() {
	m := &linear.Model{Intercept: 3, Terms: []linear.Term{{Feature: "depth", Weight: -1}}}
	if err := m.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//   "intercept": 3,
	//   "terms": [
	//     {
	//       "feature": "depth",
	//       "weight": -1
	//     }
	//   ]
	// }
}

func ExampleModel_Explain() {
	m := &linear.Model{Intercept: 0.5, Terms: []linear.Term{{Feature: "depth", Weight: -1}, {Feature: "https", Weight: 2}}}
	ex, err := m.Explain([]string{"depth", "https"}, []float64{3, 1})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Print(ex)
	// Output:
	// -0.5  intercept + sum
	//   -3  depth = 3
	//   2  https = 1
	//   0.5  intercept
}
