package ltr

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// expected are the predictions of the programs that made the models.
type expected struct {
	Rows        [][]value `json:"rows"`
	Predictions map[string]struct {
		Raw, Predict []value
		Rows         [][]value
	}
}

// value is a number, null for NaN, or an infinite one as text.
type value float64

func (v *value) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "null":
		*v = value(math.NaN())
	case `"inf"`:
		*v = value(math.Inf(1))
	case `"-inf"`:
		*v = value(math.Inf(-1))
	default:
		return json.Unmarshal(text, (*float64)(v))
	}
	return nil
}

func readModel(name string, r io.Reader) (*Model, error) {
	if strings.HasPrefix(filepath.Base(name), "xgboost") {
		return ReadXGBoost(r)
	}
	return ReadLightGBM(r)
}

func openModel(t testing.TB, name string) *Model {
	t.Helper()
	text, err := os.ReadFile("testdata/models/" + name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := readModel(name, iotest.HalfReader(bytes.NewReader(text)))
	if err != nil {
		t.Fatal(name, err)
	}
	return m
}

// Models of LightGBM 3.3.5 and 4.7.0 and XGBoost 1.7.6 and 3.2.0 predict what those programs do.
func TestPredictions(t *testing.T) {
	t.Parallel()
	models := 0
	for _, file := range []string{"expected_3.json", "expected_4.json", "expected_x.json", "expected_x17.json"} {
		text, err := os.ReadFile("testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var want expected
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		for name, of := range want.Predictions {
			rows := want.Rows
			if of.Rows != nil {
				rows = of.Rows
			}
			m := openModel(t, name)
			models++
			worst := 0.0
			for i, row := range rows {
				features := make([]float64, len(row))
				for j, v := range row {
					features[j] = float64(v)
				}
				for what, pair := range map[string][2]float64{"score": {m.Score(features), float64(of.Raw[i])}, "prediction": {m.Predict(features), float64(of.Predict[i])}} {
					off := math.Abs(pair[0]-pair[1]) / max(1, math.Abs(pair[1]))
					if off == off {
						worst = max(worst, off)
					}
					if same := pair[0] == pair[1] || pair[0] != pair[0] && pair[1] != pair[1]; !same && !(off <= 1e-6) {
						t.Errorf("%s: row %d: %s %v, want %v", name, i, what, pair[0], pair[1])
					}
				}
				checkExplained(t, name, m, features)
			}
			t.Logf("%s: %d trees, at most %.2g off", name, m.Trees(), worst)
		}
	}
	if models < 28 {
		t.Errorf("only %d models", models)
	}
}

// checkExplained holds an explanation against the score.
func checkExplained(t *testing.T, name string, m *Model, features []float64) {
	t.Helper()
	ex, sum := m.Explain(features), 0.0
	for _, part := range ex.Parts {
		sum += part.Value
	}
	score := m.Score(features)
	plain := *m
	plain.quick = nil
	if other := plain.Score(features); math.Float64bits(score) != math.Float64bits(other) && other == other {
		t.Errorf("%s: %v, and with all that trees can do %v", name, score, other)
	}
	if score != score { // an infinite feature in a linear leaf
		sum = score
	}
	if math.Float64bits(ex.Value) != math.Float64bits(score) || math.Abs(sum-score) > 1e-4*max(1, math.Abs(score)) {
		t.Errorf("%s: explained %v, the parts %v, score %v", name, ex.Value, sum, score)
	}
}

func TestUnsupported(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"lightgbm_multiclass.txt", "xgboost_multiclass.json", "xgboost_linear.json"} {
		text, err := os.ReadFile("testdata/models/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readModel(name, bytes.NewReader(text)); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A damaged model is a *FormatError or another model, and never a panic; a walk through it ends.
func TestDamagedModels(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/models/*")
	if err != nil || len(names) < 25 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pieces := 12
		if testing.Short() {
			pieces = 3
		}
		step := max(1, len(text)/pieces)
		for at := 0; at < len(text); at += step {
			if strings.HasSuffix(name, ".txt") && bytes.Contains(text[:at], []byte("end of trees\n")) {
				break
			}
			if _, err := tryModel(t, name, text[:at]); err == nil && at < len(bytes.TrimSpace(text))-1 && !bytes.HasSuffix(text[:at], []byte("end of trees")) {
				t.Errorf("%s: nothing is said of the cut at %d", name, at)
			}
			for _, b := range []byte{0, '9', '-', ' ', '\n', 0xff, text[at] ^ 1} {
				damaged := slices.Clone(text)
				damaged[at] = b
				_, _ = tryModel(t, name, damaged)
			}
		}
	}
	if _, err := ReadLightGBM(iotest.ErrReader(io.ErrClosedPipe)); err != io.ErrClosedPipe {
		t.Error(err)
	}
	if _, err := ReadXGBoost(iotest.ErrReader(io.ErrClosedPipe)); err != io.ErrClosedPipe {
		t.Error(err)
	}
	if _, err := ReadXGBoost(io.MultiReader(strings.NewReader("{\"a\":"), iotest.ErrReader(io.ErrClosedPipe))); err != io.ErrClosedPipe {
		t.Error(err)
	}
}

// tryModel reads a model, and has it score something.
func tryModel(t testing.TB, name string, text []byte) (*Model, error) {
	m, err := readModel(name, bytes.NewReader(text))
	if err != nil {
		if _, ok := errors.AsType[*FormatError](err); !ok {
			t.Errorf("%s: %T %v", name, err, err)
		}
		return nil, err
	}
	for _, v := range []float64{0, -1, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)} {
		features := make([]float64, min(len(m.Features), 100))
		for i := range features {
			features[i] = v
		}
		m.Predict(features)
	}
	m.Explain(nil)
	return m, nil
}

// A short file does not make a large model.
func TestGreatCategories(t *testing.T) {
	t.Parallel()
	tree := `{"left_children":[1,-1,-1],"right_children":[2,-1,-1],"split_indices":[0,0,0],"split_conditions":[0,1,2],"default_left":[0,0,0],
		"split_type":[1,0,0],"categories":[CATEGORY],"categories_nodes":[0],"categories_segments":[0],"categories_sizes":[1]}`
	file := func(category string, trees int) string {
		tree := strings.ReplaceAll(tree, "CATEGORY", category)
		return `{"learner":{"gradient_booster":{"name":"gbtree","model":{"trees":[` + strings.Repeat(tree+",", trees-1) + tree + `]}},
			"learner_model_param":{"base_score":"0","num_feature":"1"},"objective":{"name":"rank:ndcg"}}}`
	}
	m, err := ReadXGBoost(strings.NewReader(file("1000000", 2)))
	if err != nil || m.Score([]float64{1e6}) != 4 || m.Score([]float64{7}) != 2 || m.Score([]float64{1e9}) != 2 {
		t.Error(err)
	}
	for _, bad := range []string{file("1000000", 100), file("2147483647", 1), file("-1", 1), file("2147483648", 1)} {
		if _, err := ReadXGBoost(strings.NewReader(bad)); err == nil {
			t.Errorf("no error for %s", clip(bad))
		} else if _, ok := errors.AsType[*FormatError](err); !ok {
			t.Errorf("%T %v", err, err)
		}
	}
}

func FuzzModel(f *testing.F) {
	for _, name := range []string{"lightgbm_onehot.txt", "lightgbm_linear.txt", "lightgbm_stump.txt", "xgboost_hinge.json", "xgboost_poisson.ubj", "xgboost_categories.json"} {
		text, err := os.ReadFile("testdata/models/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(strings.HasPrefix(name, "xgboost"), text)
	}
	f.Add(true, []byte("{L\x00\x00\x00\x00\x00\x00\x00\x01a[$d#L\x7f\xff\xff\xff\xff\xff\xff\xff"))
	f.Add(true, []byte("{i\x01a[$Z#L\x7f\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, xgboost bool, text []byte) {
		name := "lightgbm"
		if xgboost {
			name = "xgboost"
		}
		_, _ = tryModel(t, name, text)
	})
}

// What is missing at the end of the features is as NaN, and what is beyond them is not looked at.
func TestShortFeatures(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"lightgbm_lambdarank.txt", "xgboost_rank.json"} {
		m := openModel(t, name)
		nan := math.NaN()
		if a, b, c := m.Score([]float64{1, 2}), m.Score([]float64{1, 2, nan, nan, nan, nan}), m.Score([]float64{1, 2, nan, nan, nan, nan, 7}); a != b || b != c {
			t.Error(name, a, b, c)
		}
	}
}
