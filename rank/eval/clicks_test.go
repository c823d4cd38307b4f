package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Everything that both have is shown once, each side's hits in its own order, and sides take turns in pairs.
func TestTeamDraft(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ranking := func(name string) []string {
			return rapid.SliceOfNDistinct(rapid.StringMatching("[a-h]"), 0, 8, rapid.ID).Draw(t, name)
		}
		a, b, n := ranking("a"), ranking("b"), rapid.IntRange(0, 12).Draw(t, "n")
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		out := TeamDraft(slices.Clone(a), slices.Clone(b), n, rnd)
		all := map[string]bool{}
		for _, k := range slices.Concat(a, b) {
			all[k] = true
		}
		if len(out.Keys) != min(n, len(all)) || len(out.FromB) != len(out.Keys) {
			t.Fatalf("%v of %v and %v, %d wanted", out, a, b, n)
		}
		seen := map[string]bool{}
		for i, k := range out.Keys {
			of := a
			if out.FromB[i] {
				of = b
			}
			// Whoever picked it had nothing better that was left.
			at := slices.Index(of, k)
			if seen[k] || at < 0 || slices.ContainsFunc(of[:at], func(k string) bool { return !seen[k] }) {
				t.Fatalf("%s at %d of %v, from %v and %v", k, i, out, a, b)
			}
			seen[k] = true
		}
	})
	out := Interleaved{Keys: []string{"x", "y", "z"}, FromB: []bool{true, false, true}}
	if a, b := out.Credit([]bool{true, false, true, true}); a != 0 || b != 2 {
		t.Errorf("credit %d, %d", a, b)
	}
	if a, b := out.Credit([]bool{false, true}); a != 1 || b != 0 {
		t.Errorf("credit %d, %d", a, b)
	}
}

// Simulated users prefer the ranking that finds more; of two equal ones neither.
func TestInterleavingTellsTheBetter(t *testing.T) {
	t.Parallel()
	grades := map[string]int{"r1": 1, "r2": 1, "r3": 1}
	good := []string{"r1", "n1", "r2", "n2", "r3", "n3", "n4", "n5"}
	poor := []string{"n5", "n4", "r3", "n3", "n2", "n1", "r2", "r1"}
	for _, user := range []Cascade{PerfectUser(), NavigationalUser(), InformationalUser()} {
		rnd := rand.New(rand.NewPCG(1, 1))
		winsOf := func(a, b []string) (winsA, winsB int) {
			for range 400 {
				shown := TeamDraft(a, b, 6, rnd)
				var g []int
				for _, k := range shown.Keys {
					g = append(g, grades[k])
				}
				switch a, b := shown.Credit(user.Clicks(g, rnd)); {
				case a > b:
					winsA++
				case b > a:
					winsB++
				}
			}
			return winsA, winsB
		}
		if a, b := winsOf(good, poor); a <= b || SignTest(a, b) > 0.001 {
			t.Errorf("%+v: the good one wins %d times, the poor one %d", user, a, b)
		}
		if a, b := winsOf(good, good); SignTest(a, b) < 0.001 {
			t.Errorf("%+v: of equal ones %d and %d", user, a, b)
		}
	}
}

func TestClickModels(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 3))
	if got := PerfectUser().Clicks([]int{0, 2, -1, 1}, rnd); !slices.Equal(got, []bool{false, true, false, true}) {
		t.Errorf("perfect: %v", got)
	}
	first, later := 0, 0
	for range 4000 {
		c := Cascade{Click: []float64{1}, Stop: []float64{0.75}}.Clicks([]int{0, 0, 0}, rnd)
		if c[0] {
			first++
		}
		if c[1] {
			later++
		}
	}
	if first != 4000 || math.Abs(float64(later)/4000-0.25) > 0.03 {
		t.Errorf("the first %d, the second %d times", first, later)
	}
	if got := (PositionBased{Examine: []float64{1, 0}, Attract: []float64{0, 1}}).Clicks([]int{1, 1, 1}, rnd); !slices.Equal(got, []bool{true, false, false}) {
		t.Errorf("by position: %v", got)
	}
	if got := (Cascade{}).Clicks([]int{1}, rnd); got[0] {
		t.Error("no chance")
	}
}

// From clicks alone, places and documents are found as they were.
func TestFitClicks(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 5))
	model := PositionBased{Examine: []float64{1, 0.6, 0.35, 0.2}, Attract: []float64{0.1, 0.4, 0.8}}
	var log []Session
	for range 20_000 {
		query := fmt.Sprint(rnd.IntN(3))
		docs := []int{0, 1, 2, 3, 4, 5}
		rnd.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		s := Session{Query: query}
		var grades []int
		for _, d := range docs[:4] {
			s.Keys = append(s.Keys, fmt.Sprint(d))
			grades = append(grades, d%3)
		}
		s.Clicked = model.Clicks(grades, rnd)
		log = append(log, s)
	}
	got := FitClicks(log, 0)
	for i, want := range model.Examine {
		if math.Abs(got.Examine[i]-want) > 0.08 {
			t.Errorf("place %d is looked at %.3f, want %.3f", i, got.Examine[i], want)
		}
	}
	for query, docs := range got.Attract {
		for doc, a := range docs {
			if want := model.Attract[int(doc[0]-'0')%3]; math.Abs(a-want) > 0.12 {
				t.Errorf("query %s, document %s attracts %.3f, want %.3f", query, doc, a, want)
			}
		}
	}
	if none := FitClicks(nil, 1); len(none.Examine) != 0 || len(none.Attract) != 0 {
		t.Errorf("of nothing: %+v", none)
	}
}

func TestWilcoxon(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		diffs  []float64
		want   float64
		within float64
	}{
		{nil, 1, 0},
		{[]float64{0, 0}, 1, 0},
		{[]float64{3}, 1, 0},
		{[]float64{1, 2, 3, 4, 5}, 2.0 / 32, 1e-15},
		{[]float64{2, 2, 2, 0, -2}, 10.0 / 16, 1e-15}, // of four equal ones not two are above
	} {
		got := WilcoxonTest(c.diffs)
		if math.Abs(got-c.want) > c.within {
			t.Errorf("%v: %v, want %v", c.diffs, got, c.want)
		}
	}
	if p := WilcoxonTest([]float64{1, math.NaN()}); !math.IsNaN(p) {
		t.Errorf("of no number: %v", p)
	}
	rapid.Check(t, func(t *rapid.T) {
		diffs := rapid.SliceOfN(rapid.SampledFrom([]float64{-3, -2, -1, 0, 1, 2, 3, 4.5}), 0, 10).Draw(t, "diffs")
		if got, want := WilcoxonTest(diffs), tried(diffs); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v, by all signs %v", got, want)
		}
	})
	// Both ways of computing agree where one takes over from the other.
	rnd := rand.New(rand.NewPCG(1, 9))
	var many []float64
	for range exactPairs {
		many = append(many, rnd.NormFloat64()+0.12)
	}
	exact := WilcoxonTest(many)
	normal := WilcoxonTest(append(many, 1e-9))
	if math.Abs(exact-normal) > 0.01 || exact > 0.5 {
		t.Errorf("exact %v, normal %v", exact, normal)
	}
}

// tried is Wilcoxon's test by all signs.
func tried(diffs []float64) float64 {
	var sizes []float64
	for _, d := range diffs {
		if d != 0 {
			sizes = append(sizes, math.Abs(d))
		}
	}
	rank := func(x float64) (r float64) {
		for _, y := range sizes {
			if y < x {
				r++
			} else if y == x {
				r += 0.5
			}
		}
		return r + 0.5
	}
	total, above := 0.0, 0.0
	for _, d := range diffs {
		if d != 0 {
			total += rank(math.Abs(d))
		}
		if d > 0 {
			above += rank(d)
		}
	}
	far := 0
	for signs := range 1 << len(sizes) {
		sum := 0.0
		for i, x := range sizes {
			if signs>>i&1 == 1 {
				sum += rank(x)
			}
		}
		if math.Abs(sum-total/2) >= math.Abs(above-total/2)-1e-9 {
			far++
		}
	}
	return float64(far) / float64(int(1)<<len(sizes))
}

func TestSignTestAndHolm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b int
		want float64
	}{{0, 0, 1}, {5, 5, 1}, {0, 5, 2.0 / 32}, {9, 1, 22.0 / 1024}, {1, 9, 22.0 / 1024}, {1, 0, 1}} {
		if got := SignTest(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d and %d: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("%v", got)
		}
	}
	if got := Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("%v", got)
	}
}
