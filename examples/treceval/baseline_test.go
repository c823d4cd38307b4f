package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/webquarry/quarry/rank/eval"
)

// baseline is what a textbook BM25 has with Porter's stems, Lucene's 33 stop
// words, and title and text as one, for two settings of k1 and b.
type baseline struct {
	docs, queries, qrels string
	minusOne             bool
	ndcg, mean           [2]float64
}

var (
	settings  = [2][]string{{"-k1", "0.9", "-b", "0.4"}, {"-k1", "1.2", "-b", "0.75"}}
	baselines = []baseline{
		{"cran/cran.all.1400", "cran/cran.qry", "cran/cranqrel", false, [2]float64{.3668, .3840}, [2]float64{.2892, .3063}},
		{"cran/cran.all.1400", "cran/cran.qry", "cran/cranqrel", true, [2]float64{.4919, .5158}, [2]float64{.3962, .4209}},
		{"med/MED.ALL", "med/MED.QRY", "med/MED.REL", false, [2]float64{.6633, .6825}, [2]float64{.5089, .5221}},
		{"time/TIME.ALL", "time/TIME.QUE", "time/TIME.REL", false, [2]float64{.6386, .6733}, [2]float64{.5706, .6103}},
	}
)

// TestBaselines measures Cranfield, MED and TIME, which are not ours to copy:
// QUARRY_IR_COLLECTIONS names the folder that has folders cran, med and time.
// With the settings of the baseline it wants the same but for what is one term here and were two
// there: "don't" and "dont", "U.S." and "US". With those of the program it wants no less.
func TestBaselines(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("QUARRY_IR_COLLECTIONS")
	if dir == "" {
		t.Skip("QUARRY_IR_COLLECTIONS does not name the folder of cran, med and time")
	}
	for _, b := range baselines {
		ours := args(dir, b.docs, b.queries, b.qrels, "-format", "smart", "-minus1="+strconv.FormatBool(b.minusOne))
		same := ours
		if strings.HasPrefix(b.docs, "time") {
			same = countedPlainly(t, dir, b)
		}
		for i, setting := range settings {
			got := measured(t, slices.Concat(same, setting, []string{"-analyzer", "porter", "-stop", "lucene", "-fields", "text"})...)
			if n, m := got["ndcg@10"]-b.ndcg[i], got["map"]-b.mean[i]; max(n, -n, m, -m) > 0.01 {
				t.Errorf("%s %v: nDCG@10 %.4f and MAP %.4f, want %.4f and %.4f", b.docs, setting, got["ndcg@10"], got["map"], b.ndcg[i], b.mean[i])
			}
			t.Logf("%s, -1 relevant %v, %v: nDCG@10 %.4f, MAP %.4f", b.docs, b.minusOne, setting, got["ndcg@10"], got["map"])
			got = measured(t, slices.Concat(ours, setting, []string{"-fields", "text"})...)
			if got["ndcg@10"] < b.ndcg[i] || got["map"] < b.mean[i] {
				t.Errorf("%s %v: nDCG@10 %.4f and MAP %.4f, want at least %.4f and %.4f", b.docs, setting, got["ndcg@10"], got["map"], b.ndcg[i], b.mean[i])
			}
			if strings.HasPrefix(b.docs, "cran") { // it has titles
				fielded := measured(t, slices.Concat(ours, setting, []string{"-fields", "title^2,body"})...)
				if fielded["ndcg@10"] < got["ndcg@10"] || fielded["map"] < got["map"] {
					t.Errorf("%s %v: BM25F has nDCG@10 %.4f and MAP %.4f, less than of one field", b.docs, setting, fielded["ndcg@10"], fielded["map"])
				}
				t.Logf("    BM25F over title^2,body %.4f and %.4f", fielded["ndcg@10"], fielded["map"])
			}
			t.Logf("    with the settings of the program %.4f and %.4f", got["ndcg@10"], got["map"])
		}
	}
}

// countedPlainly writes a collection anew, as JSON lines, whose documents are
// numbered by their place in the file. The baseline took TIME like that, which
// gives some fifty documents the judgements of others.
func countedPlainly(t *testing.T, dir string, b baseline) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, b.docs))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var docs, queries, qrels strings.Builder
	n := 0
	for d, err := range eval.SMART.Documents(f) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if err := json.NewEncoder(&docs).Encode(map[string]any{"id": n, "body": d.Body}); err != nil {
			t.Fatal(err)
		}
	}
	asked, err := readFile(openFile, filepath.Join(dir, b.queries), eval.SMART.Queries)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range asked {
		queries.WriteString(q.ID + "\t" + strings.Join(strings.Fields(q.Text), " ") + "\n")
	}
	judged, err := readFile(openFile, filepath.Join(dir, b.qrels), eval.SMART.Qrels)
	if err != nil {
		t.Fatal(err)
	}
	if err := judged.Write(&qrels); err != nil {
		t.Fatal(err)
	}
	return args(write(t, "docs", docs.String(), "queries", queries.String(), "qrels", qrels.String()), "docs", "queries", "qrels")
}
