package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/eval"
)

// call runs the program.
func call(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// measured runs the program with -json and returns what it measured.
func measured(t *testing.T, args ...string) map[string]float64 {
	t.Helper()
	code, out, errs := call(t, append(args, "-json")...)
	if code != 0 {
		t.Fatalf("%v: exit %d, %s", args, code, errs)
	}
	var got map[string]float64
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %v in %s", args, err, out)
	}
	return got
}

// write puts texts into files, given as name, text, name, text, and returns their
// folder.
func write(t *testing.T, files ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// args are the flags that name the files of a folder.
func args(dir, docs, queries, qrels string, more ...string) []string {
	return append([]string{"-docs", filepath.Join(dir, docs), "-queries", filepath.Join(dir, queries), "-qrels", filepath.Join(dir, qrels)}, more...)
}

func TestDemo(t *testing.T) {
	t.Parallel()
	code, out, errs := call(t, "-measures", "ndcg@10,map,p@1,num_q")
	want := `30 documents, 10 queries; analyzer english, stop english, fields title^2,body^1, BM25F with k1 1.2 and b 0.75

ndcg@10        0.9533
map            0.8736
p@1            1.0000
num_q              10
`
	if code != 0 || errs != "" || out != want {
		t.Errorf("exit %d, %sgot\n%swant\n%s", code, errs, out, want)
	}
}

const smartDocs = `.I 1
.T
slipstream .
.A
ignored,a.
.W
a wing in a slipstream, studied by experiment .
.I 2
.T
shear flow
.W
simple shear flow past a flat plate .
.I 3
.W
heat conduction in composite slabs; wings are not the matter
`

const smartQueries = ".I 001\n.W\nwings in slipstreams .\n.I 004\n.W\nwhat flow is past a plate ?\n.I 008\n.W\nconduction of heat\n"

// TestSMART: queries are judged by their place, and -1 in two ways.
func TestSMART(t *testing.T) {
	t.Parallel()
	dir := write(t, "docs", smartDocs, "queries", smartQueries, "qrels", "1 1 4\n2 2 3\n3 3 -1\n")
	flags := args(dir, "docs", "queries", "qrels", "-format", "smart", "-measures", "map,num_rel,num_q")
	for _, c := range []struct {
		flags       []string
		mean, judge float64
	}{{flags, 2.0 / 3, 2}, {slices.Concat(flags, []string{"-minus1"}), 1, 3}} {
		got := measured(t, c.flags...)
		if got["map"] != c.mean || got["num_rel"] != c.judge || got["num_q"] != 3 {
			t.Errorf("%v: %v, want map %v and num_rel %v", c.flags, got, c.mean, c.judge)
		}
	}
}

func pack(t *testing.T, text string, zst bool) string {
	t.Helper()
	var b bytes.Buffer
	if !zst {
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		return b.String()
	}
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// TestBEIR: packed files, and the judgements of BEIR.
func TestBEIR(t *testing.T) {
	t.Parallel()
	dir := write(t,
		"corpus.gz", pack(t, `{"_id":"a","title":"red","text":"fox"}`+"\n"+`{"_id":"b","title":"","text":"blue fox"}`+"\n", false),
		"queries.zst", pack(t, `{"_id":"q1","text":"Blue?"}`+"\n"+`{"_id":"q2","text":"not judged"}`+"\n", true),
		"test.tsv", "query-id\tcorpus-id\tscore\nq1\tb\t2\n")
	got := measured(t, args(dir, "corpus.gz", "queries.zst", "test.tsv", "-format", "beir", "-measures", "ndcg@10,num_q,num_ret")...)
	if got["ndcg@10"] != 1 || got["num_q"] != 1 || got["num_ret"] != 1 {
		t.Errorf("got %v", got)
	}
}

// TestPlainText: the signs of the query language are text in a query.
func TestPlainText(t *testing.T) {
	t.Parallel()
	dir := write(t, "docs", `{"id":"a","body":"fox"}`+"\n"+`{"id":"b","body":"hound"}`+"\n"+`{"id":"c","body":"owl"}`,
		"queries", "1\t\"fox (AND -hound title:owl^0 \n", "qrels", "1 0 a 1\n1 0 b 1\n1 0 c 1\n")
	got := measured(t, args(dir, "docs", "queries", "qrels", "-measures", "recall@10")...)
	if got["recall@10"] != 1 {
		t.Errorf("got %v", got)
	}
}

// TestRun: the run that is written gives the measures that were printed, also
// where scores are equal.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := write(t, "docs", `{"id":"a","body":"fox"}`+"\n"+`{"id":"b","body":"fox"}`+"\n"+`{"id":"c","body":"fox"}`,
		"queries", "1\tfox\n", "qrels", "1 0 a 1\n")
	file := filepath.Join(dir, "run")
	got := measured(t, args(dir, "docs", "queries", "qrels", "-measures", "mrr", "-run", file)...)
	if got["mrr"] != 1 { // a is shown first
		t.Errorf("got %v", got)
	}
	written, err := readFile(openFile, file, eval.ReadRun)
	if err != nil {
		t.Fatal(err)
	}
	report, err := eval.Evaluate(written, eval.Qrels{"1": {"a": 1}}, eval.Options{}, eval.Measure{Kind: eval.MRR})
	if err != nil || report.Overall[0] != 1 {
		t.Errorf("the run that was written has %v (%v)", report, err)
	}
}

// TestRunStays: a run that cannot be written costs neither the measures nor the
// earlier one, which may be compared with before it is replaced.
func TestRunStays(t *testing.T) {
	t.Parallel()
	dir := write(t, "docs", `{"id":"a b","body":"fox"}`, "queries", "1\tfox\n", "qrels", "query\tdocument\tscore\n1\ta b\t1\n",
		"one", `{"id":"a","body":"fox"}`, "judged", "1 0 a 1\n", "run", "1 Q0 b 1 1 t\n")
	file := filepath.Join(dir, "run")
	code, out, errs := call(t, args(dir, "docs", "queries", "qrels", "-measures", "map", "-run", file)...)
	if left, _ := os.ReadFile(file); code != 1 || !strings.Contains(out, "map            1.0000") || !strings.Contains(errs, `run: eval: document "a b": cannot be written`) || string(left) != "1 Q0 b 1 1 t\n" {
		t.Errorf("exit %d, %q, %q, left %q", code, out, errs, left)
	}
	code, out, errs = call(t, args(dir, "one", "queries", "judged", "-measures", "map", "-run", file, "-compare", file)...)
	if now, _ := os.ReadFile(file); code != 0 || !strings.Contains(out, "map            0.0000   1.0000") || !strings.HasPrefix(string(now), "1 Q0 a 1 ") {
		t.Errorf("exit %d, %q, %q, now %q", code, out, errs, now)
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run")
	if code, _, errs := call(t, "-analyzer", "standard", "-stop", "none", "-k1", "0", "-b", "0", "-run", file); code != 0 {
		t.Fatal(errs)
	}
	code, out, errs := call(t, "-compare", file, "-measures", "map,num_rel_ret")
	want := `
               before      now   change  better   worse    p (t) p (wilc) p (rand)
map            0.6283   0.8736  +0.2452       7       0   0.0472   0.0156   0.0156
num_rel_ret        16       20  +4.0000       4       1   0.1679   0.3125   0.3125
`
	if _, table, _ := strings.Cut(out, "\n"); code != 0 || errs != "" || table != want {
		t.Errorf("exit %d, %sgot\n%swant\n%s", code, errs, out, want)
	}
	code, out, errs = call(t, "-compare", file, "-measures", "map", "-json")
	var got struct {
		MAP     float64 `json:"map"`
		Compare map[string]comparison
	}
	if err := json.Unmarshal([]byte(out), &got); code != 0 || errs != "" || err != nil {
		t.Fatalf("exit %d, %s%v", code, errs, err)
	}
	if c := got.Compare["map"]; c.Now != got.MAP || c.Better != 7 || c.PRandom != 2.0/128 {
		t.Errorf("got %s", out)
	}
}

func TestEachQuery(t *testing.T) {
	t.Parallel()
	code, out, errs := call(t, "-q", "-measures", "map,num_rel")
	if code != 0 || errs != "" {
		t.Fatalf("exit %d, %s", code, errs)
	}
	if !strings.Contains(out, "\nquery                 map      num_rel\n1                  0.7000            2\n") || !strings.HasSuffix(out, "\n10                 0.6429            2\n") {
		t.Errorf("got\n%s", out)
	}
}

// Every scorer and every way to expand a query can be chosen, and finds something good.
func TestRankings(t *testing.T) {
	t.Parallel()
	plain := measured(t, "-measures", "map", "-fields", "text")
	for _, name := range rank.ScorerNames() {
		if got := measured(t, "-measures", "map", "-fields", "text", "-scorer", name); got["map"] < 0.7 {
			t.Errorf("%s: %v", name, got)
		}
	}
	for _, flags := range [][]string{{"-feedback", "rm3"}, {"-feedback", "bo1(words=5, query=0.5)"}, {"-sdm"}, {"-scorer", "lm_dirichlet(mu=50)"}} {
		got := measured(t, append(flags, "-measures", "map", "-fields", "text")...)
		if got["map"] < 0.8 || flags[0] == "-feedback" && got["map"] == plain["map"] {
			t.Errorf("%v: %v, without %v", flags, got, plain)
		}
	}
	dir := write(t, "docs", `{"id":"a","body":"automobile"}`+"\n"+`{"id":"b","body":"owl"}`, "queries", "1\tcar\n", "qrels", "1 0 a 1\n", "synonyms", "# vehicles\ncar, automobile\n", "bad", "car\n")
	for file, want := range map[string]float64{"": 0, "synonyms": 1} {
		flags := args(dir, "docs", "queries", "qrels", "-measures", "map")
		if file != "" {
			flags = append(flags, "-synonyms", filepath.Join(dir, file))
		}
		if got := measured(t, flags...); got["map"] != want {
			t.Errorf("synonyms %q: %v", file, got)
		}
	}
	for _, flags := range [][]string{{"-scorer", "bm26"}, {"-feedback", "rm4"}, {"-scorer", "bm25(k1=x)"}} {
		if code, _, errs := call(t, flags...); code != 2 || errs == "" {
			t.Errorf("%v: exit %d, %s", flags, code, errs)
		}
	}
	if code, _, errs := call(t, "-synonyms", filepath.Join(dir, "bad")); code != 1 || !strings.Contains(errs, "line 1") {
		t.Errorf("exit %d, %s", code, errs)
	}
	code, out, errs := call(t, "-feedback", "rm3", "-scorer", "bm25-lucene(k1=0.9)", "-sdm", "-measures", "map")
	if code != 0 || !strings.Contains(out, "bm25(k1=0.9, plain=true), sequential dependence, feedback rm3") {
		t.Errorf("exit %d, %s%s", code, errs, out)
	}
}

// The page holds what was printed.
func TestHTML(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before, page := filepath.Join(dir, "before"), filepath.Join(dir, "page.html")
	if code, _, errs := call(t, "-scorer", "tfidf", "-run", before); code != 0 {
		t.Fatal(errs)
	}
	code, out, errs := call(t, "-compare", before, "-measures", "map,num_ret", "-html", page)
	html, err := os.ReadFile(page)
	if code != 0 || err != nil || !strings.Contains(string(html), "<polyline") || !strings.Contains(string(html), ">before<") || !strings.Contains(string(html), ">0.8736<") || !strings.Contains(out, "0.8736") {
		t.Errorf("exit %d, %s%v\n%s\n%.3000s", code, errs, err, out, html)
	}
}
