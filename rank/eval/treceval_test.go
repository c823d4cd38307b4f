package eval

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// trecEvalCases are the runs of trec_eval's own test (make quicktest) whose
// measures we have.
var trecEvalCases = []struct {
	out, qrels, run string
	opt             Options
}{
	{"out.test", "qrels.test", "results.test", Options{SkipMissing: true}},
	{"out.test.a", "qrels.test", "results.test", Options{SkipMissing: true}},
	{"out.test.aq", "qrels.test", "results.test", Options{SkipMissing: true}},
	{"out.test.aq", "qrels.comment.test", "results.comment.test", Options{SkipMissing: true}},
	{"out.test.aqc", "qrels.test", "results.trunc", Options{}},
	{"out.test.aqcM", "qrels.test", "results.trunc", Options{Depth: 100}},
	{"out.test.aql", "qrels.rel_level", "results.test", Options{SkipMissing: true, Relevant: 2}},
	{"out.test.meas_params", "qrels.test", "results.test", Options{SkipMissing: true}},
}

// TestTrecEval compares with the expected output in trec_eval's own test folder,
// which is not ours to copy: QUARRY_TREC_EVAL_TEST names it.
func TestTrecEval(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("QUARRY_TREC_EVAL_TEST")
	if dir == "" {
		t.Skip("QUARRY_TREC_EVAL_TEST does not name the folder test of trec_eval")
	}
	total := 0
	for _, c := range trecEvalCases {
		qrels := readFile(t, filepath.Join(dir, c.qrels), ReadQrels)
		run := readFile(t, filepath.Join(dir, c.run), ReadRun)
		out, err := os.ReadFile(filepath.Join(dir, c.out))
		if err != nil {
			t.Fatal(err)
		}
		same, other := compareOutput(t, c.out, string(out), run, qrels, c.opt)
		t.Logf("%s: %d values equal, %d of measures that are not offered", c.out, same, other)
		total += same
	}
	if total < 700 {
		t.Errorf("%d values compared in all; that is too few", total)
	}
}

// compareOutput compares each line "measure query value" of an output.
func compareOutput(t *testing.T, name, out string, run Run, qrels Qrels, opt Options) (same, other int) {
	for text := range strings.Lines(out) {
		f := strings.Fields(text)
		m, ok := fromTrecEval(f[0])
		if m.Kind == Judged && f[1] == "all" && !opt.SkipMissing {
			ok = false // a query without hits counts as judged there, and not here
		}
		if !ok {
			other++
			continue
		}
		report, err := Evaluate(run, qrels, opt, m)
		if err != nil {
			t.Fatal(err)
		}
		got, found := report.value(f[1])
		if strings.HasPrefix(f[0], "unj") {
			got = 1 - got
		}
		want, err := strconv.ParseFloat(f[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if !found || math.Abs(got-want) > 0.00005+1e-9 {
			t.Errorf("%s: %s of %s = %.4f, want %s", name, f[0], f[1], got, f[2])
			continue
		}
		same++
	}
	return same, other
}

// fromTrecEval reads a name in an output.
func fromTrecEval(name string) (Measure, bool) {
	if k, ok := strings.CutPrefix(name, "unj_"); ok {
		name = "judged_" + k
	}
	m, err := ParseMeasure(name)
	return m, err == nil
}

// value is the one value of a query, or of all.
func (r *Report) value(query string) (float64, bool) {
	if query == "all" {
		return r.Overall[0], true
	}
	for _, s := range r.Queries {
		if s.Query == query {
			return s.Values[0], true
		}
	}
	return 0, false
}
