package ltr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
)

// madeUp is data whose grades are a function of features, with noise, some of which are missing.
func madeUp(seed uint64, queries int) *Dataset {
	r := rand.New(rand.NewPCG(seed, 1))
	d := &Dataset{Features: []string{"a", "b", "c", "d", "e"}}
	for q := range queries {
		g := Group{Query: fmt.Sprint("q", q)}
		for i := range 30 {
			f := []float64{r.NormFloat64(), float64(r.IntN(5)), r.Float64(), r.NormFloat64(), 1}
			v := f[0]*f[1] + 2*math.Abs(f[2]-.5) + r.NormFloat64()*.3
			if r.IntN(10) == 0 {
				f[0] = math.NaN()
				v = 5
			}
			g.Docs = append(g.Docs, Doc{Key: fmt.Sprint(i), Grade: min(4, max(0, int(v))), Features: f})
		}
		d.Groups = append(d.Groups, g)
	}
	return d
}

func TestTrain(t *testing.T) {
	t.Parallel()
	train, validation, test := madeUp(1, 60), madeUp(2, 20), madeUp(3, 40)
	m, report, err := LambdaMART{Patience: 20, LearningRate: 0.2}.Train(t.Context(), train, validation)
	if err != nil {
		t.Fatal(err)
	}
	if report.Best != m.Trees() || report.Best == 0 || len(report.NDCG) != min(300, report.Best+20) {
		t.Errorf("%d trees, %+v", m.Trees(), report)
	}
	got, err := m.NDCG(test, 10)
	if err != nil {
		t.Fatal(err)
	}
	single := 0.0
	for f := range test.Features[:4] {
		one := &Model{Features: test.Features, trees: steps(f)}
		v, err := one.NDCG(test, 10)
		if err != nil {
			t.Fatal(err)
		}
		single = max(single, v)
	}
	t.Logf("nDCG@10 %.4f, by the best feature alone %.4f, %d trees", got, single, m.Trees())
	if got < 0.98 || got < single+0.04 {
		t.Errorf("nDCG@10 %.4f, by the best feature alone %.4f", got, single)
	}
	at, err := m.NDCG(validation, 10)
	if err != nil || math.Abs(at-report.NDCG[report.Best-1]) > 1e-9 {
		t.Errorf("the validation has %v, reported is %v: %v", at, report.NDCG[report.Best-1], err)
	}
}

// steps are trees that order documents by one feature.
func steps(feature int) (trees []tree) {
	for v := -3.0; v < 6; v += 0.05 {
		trees = append(trees, tree{splits: []split{{v, int32(feature), ^int32(0), ^int32(1), missingNaN}}, leaves: []float64{0, 1}})
	}
	return trees
}

// The same data and seed give the same model, however many processors there are; another seed another one.
// It is not parallel, for it changes how many are used.
func TestTrainIsDeterministic(t *testing.T) {
	data := madeUp(1, 120)
	texts := map[string]int{}
	for _, procs := range []int{1, 2, 4} {
		before := runtime.GOMAXPROCS(procs)
		m, _, err := LambdaMART{Trees: 10, Features: 0.6, Queries: 0.5, Seed: 7}.Train(t.Context(), data, nil)
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
		texts[written(t, m)]++
	}
	if len(texts) != 1 {
		t.Errorf("%d models of one seed", len(texts))
	}
	m, _, err := LambdaMART{Trees: 10, Features: 0.6, Queries: 0.5, Seed: 8}.Train(t.Context(), data, nil)
	if err != nil || texts[written(t, m)] > 0 {
		t.Errorf("another seed gives the same model: %v", err)
	}
}

func written(t *testing.T, m *Model) string {
	t.Helper()
	var text bytes.Buffer
	if err := m.WriteLightGBM(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// What is written scores the same when it is read again, to the last bit.
func TestWriteLightGBM(t *testing.T) {
	t.Parallel()
	trained, _, err := LambdaMART{Trees: 20, MinDocs: 5}.Train(t.Context(), madeUp(1, 30), nil)
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]*Model{"trained": trained}
	names, err := filepath.Glob("testdata/models/lightgbm*")
	if err != nil || len(names) < 15 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if name = filepath.Base(name); name != "lightgbm_multiclass.txt" {
			models[name] = openModel(t, name)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	for name, m := range models {
		again, err := ReadLightGBM(bytes.NewReader([]byte(written(t, m))))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !reflect.DeepEqual(m.Features, again.Features) || m.Objective() != again.Objective() {
			t.Errorf("%s: %v %q, %v %q", name, m.Features, m.Objective(), again.Features, again.Objective())
		}
		for range 500 {
			f := make([]float64, len(m.Features))
			for i := range f {
				switch f[i] = r.NormFloat64() * 3; r.IntN(5) {
				case 0:
					f[i] = math.NaN()
				case 1:
					f[i] = math.Trunc(f[i] * 5)
				}
			}
			if a, b := m.Predict(f), again.Predict(f); math.Float64bits(a) != math.Float64bits(b) && (a == a || b == b) {
				t.Errorf("%s: %v, read again %v of %v", name, a, b, f)
				break
			}
		}
		checkExplained(t, name, again, make([]float64, len(m.Features)))
	}
	if err := openModel(t, "xgboost_rank.json").WriteLightGBM(new(bytes.Buffer)); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	spaced := *trained
	spaced.Features = []string{"a", "b c", "c", "d", "e"}
	if _, ok := errors.AsType[*FormatError](spaced.WriteLightGBM(new(bytes.Buffer))); !ok {
		t.Error("a name with a space is written")
	}
}

func TestTrainInput(t *testing.T) {
	t.Parallel()
	good := madeUp(1, 3)
	of := func(change func(*Dataset)) *Dataset {
		d := madeUp(1, 3)
		change(d)
		return d
	}
	for name, c := range map[string]struct {
		by                LambdaMART
		train, validation *Dataset
	}{
		"negative trees":       {by: LambdaMART{Trees: -1}},
		"one leaf":             {by: LambdaMART{Leaves: 1}},
		"rate":                 {by: LambdaMART{LearningRate: 2}},
		"rate NaN":             {by: LambdaMART{LearningRate: math.NaN()}},
		"L2":                   {by: LambdaMART{L2: math.Inf(1)}},
		"no documents":         {train: &Dataset{Features: []string{"a"}}},
		"no features":          {train: &Dataset{}},
		"same grades":          {train: of(func(d *Dataset) { d.Groups = []Group{{Docs: []Doc{{Grade: 1}, {Grade: 1}}}} })},
		"great grade":          {train: of(func(d *Dataset) { d.Groups[0].Docs[0].Grade = 31 })},
		"too many features":    {train: of(func(d *Dataset) { d.Groups[1].Docs[2].Features = make([]float64, 6) })},
		"other features":       {validation: of(func(d *Dataset) { d.Features[0] = "x" })},
		"nothing to validate":  {validation: of(func(d *Dataset) { d.Groups = d.Groups[:0] })},
		"validation of grades": {validation: of(func(d *Dataset) { d.Groups[0].Docs[0].Grade = 31 })},
	} {
		train := c.train
		if train == nil {
			train = good
		}
		if _, _, err := c.by.Train(t.Context(), train, c.validation); err == nil {
			t.Errorf("%s: no error", name)
		} else if _, ok := errors.AsType[*InputError](err); !ok {
			t.Errorf("%s: %T %v", name, err, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("why")
	cancel(why)
	if _, _, err := (LambdaMART{}).Train(ctx, good, nil); err != why {
		t.Error(err)
	}
	// Odd values are no trouble: all missing, infinite, constant, negative grades, documents without features.
	odd := of(func(d *Dataset) {
		for g := range d.Groups {
			for i := range d.Groups[g].Docs {
				doc := &d.Groups[g].Docs[i]
				doc.Features[0], doc.Features[3] = math.NaN(), math.Inf(i%3-1)
				if i%7 == 0 {
					doc.Features, doc.Grade = nil, -3
				}
			}
		}
	})
	m, _, err := LambdaMART{Trees: 30, MinDocs: 1, L2: -1}.Train(t.Context(), odd, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range odd.Groups {
		for _, doc := range g.Docs {
			if s := m.Score(doc.Features); s != s || math.IsInf(s, 0) {
				t.Errorf("%v scores %v", doc.Features, s)
			}
		}
	}
}

// Gradients are those of the definition, worked out by hand for two documents: the relevant one is second.
func TestLambdas(t *testing.T) {
	t.Parallel()
	grades, scores := []uint8{0, 1}, []float64{1, 0}
	q := newQuery(0, grades, 10)
	gradients, hessians := make([]float64, 2), make([]float64, 2)
	q.lambdas(scores, grades, 10, gradients, hessians)
	change := (1 - 1/math.Log2(3)) / 1.01
	p := 1 / (1 + math.Exp(-1))
	factor := math.Log2(1+2*change*p) / (2 * change * p)
	if want := change * p * factor; math.Abs(gradients[0]-want) > 1e-12 || math.Abs(gradients[1]+want) > 1e-12 {
		t.Errorf("gradients %v, want ±%v", gradients, want)
	}
	if want := change * p * (1 - p) * factor; math.Abs(hessians[0]-want) > 1e-12 || hessians[0] != hessians[1] {
		t.Errorf("hessians %v, want %v", hessians, want)
	}
	if got := q.ndcg(scores, grades, 10); math.Abs(got-1/math.Log2(3)) > 1e-12 {
		t.Errorf("nDCG %v", got)
	}
}
