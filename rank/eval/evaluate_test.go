package eval

import (
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/webquarry/quarry/rank"
)

// every measure, with and without a cut.
func every() (all []Measure) {
	for kind, k := range kinds {
		all = append(all, Measure{Kind(kind), 0})
		if k.cut != never {
			all = append(all, Measure{Kind(kind), 3}, Measure{Kind(kind), 50})
		}
	}
	return all
}

// randomRun makes up hits and judgements for some queries.
func randomRun(rnd *rand.Rand) (Run, Qrels) {
	run, qrels := Run{}, Qrels{}
	for q := range 1 + rnd.IntN(4) {
		query := strconv.Itoa(q)
		qrels[query] = map[string]int{}
		for d := range 12 {
			doc := strconv.Itoa(d)
			if rnd.IntN(2) == 0 {
				run[query] = append(run[query], rank.Hit{Key: doc, Score: float64(rnd.IntN(6))})
			}
			if rnd.IntN(2) == 0 {
				qrels[query][doc] = rnd.IntN(5) - 1
			}
		}
	}
	return run, qrels
}

// TestRandomRuns: all values are sound, and do not depend on the order of hits.
func TestRandomRuns(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		run, qrels := randomRun(rnd)
		report, err := Evaluate(run, qrels, Options{}, every()...)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range report.Queries {
			for i, m := range report.Measures {
				if v := s.Values[i]; math.IsNaN(v) || v < 0 || v > 1+1e-9 && m.Kind < NumRet {
					t.Fatalf("%v is %v", m, v)
				}
			}
		}
		for _, hits := range run {
			rnd.Shuffle(len(hits), func(i, j int) { hits[i], hits[j] = hits[j], hits[i] })
		}
		again, err := Evaluate(run, qrels, Options{}, every()...)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(report, again); d != "" {
			t.Fatal(d)
		}
	}
}

// TestPerfect: the best ranking there can be has all there is to have.
func TestPerfect(t *testing.T) {
	t.Parallel()
	qrels := Qrels{"1": {"a": 3, "b": 2, "c": 1, "d": 0}}
	run := Run{"1": {{Key: "a", Score: 4}, {Key: "b", Score: 3}, {Key: "c", Score: 2}, {Key: "d", Score: 1}}}
	for _, m := range []Measure{{NDCG, 0}, {NDCG, 2}, {NDCGExp, 3}, {MAP, 0}, {MRR, 1}, {Precision, 3}, {Recall, 3}, {F1, 3}, {Success, 1}, {Judged, 4}, {IPrec, 100}, {ElevenPt, 0}, {RPrec, 0}, {Bpref, 0}, {GMMAP, 0}} {
		report, err := Evaluate(run, qrels, Options{}, m)
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Overall[0]; math.Abs(got-1) > 1e-12 {
			t.Errorf("%v is %v, want 1", m, got)
		}
	}
}

func TestDuplicate(t *testing.T) {
	t.Parallel()
	run := Run{"7": {{Key: "a", Score: 1}, {Key: "b", Score: 1}, {Key: "a", Score: 0}}}
	_, err := Evaluate(run, Qrels{"7": {"a": 1}}, Options{})
	if !errors.Is(err, ErrDuplicate) || err.Error() != "eval: query 7: document a: listed twice" {
		t.Errorf("got %v", err)
	}
}

// TestHugeGrades: no grade makes a value that is no number.
func TestHugeGrades(t *testing.T) {
	t.Parallel()
	qrels := Qrels{"1": {"a": math.MaxInt, "b": maxGrade, "c": math.MinInt}}
	run := Run{"1": {{Key: "c", Score: 2}, {Key: "b", Score: 1}}}
	report, err := Evaluate(run, qrels, Options{}, every()...)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range report.Overall {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%v is %v", report.Measures[i], v)
		}
	}
}

func TestNothing(t *testing.T) {
	t.Parallel()
	report, err := Evaluate(nil, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &Report{Measures: usual, Overall: []float64{0, 0, 0, 0, 0}}
	if d := cmp.Diff(want, report); d != "" {
		t.Error(d)
	}
}
