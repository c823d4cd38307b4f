package eval

import (
	"io"
	"os"
	"testing"
)

// TestHand compares with numbers that were worked out by hand. With R = 3
// relevant documents (grades 3, 2, 1) and the ranking 0 3 - 2 0:
//
//	map   (1/2 + 2/4) / 3
//	bpref ((1 - 1/2) + (1 - 1/2)) / 3: of 2 judged not relevant documents one stands before each
//	ndcg  (3/log2(3) + 2/log2(5)) / (3 + 2/log2(3) + 1/log2(4))
//	      with 2^grade-1: 7, 3 and 1 for 3, 2 and 1
//	11pt  2 of 3 documents are enough for a recall up to 80 percent: 9·0.5 / 11
//	f1    2·2 / (5 + 3)
func TestHand(t *testing.T) {
	t.Parallel()
	qrels := readFile(t, "testdata/hand.qrels", ReadQrels)
	run := readFile(t, "testdata/hand.run", ReadRun)
	out, err := os.ReadFile("testdata/hand.out")
	if err != nil {
		t.Fatal(err)
	}
	same, other := compareOutput(t, "hand.out", string(out), run, qrels, Options{})
	if same != 51 || other != 0 {
		t.Errorf("%d values equal and %d unknown, want 51 and 0", same, other)
	}
}

// TestOptions: what counts as relevant, how much is looked at, what is missing.
func TestOptions(t *testing.T) {
	t.Parallel()
	qrels := readFile(t, "testdata/hand.qrels", ReadQrels)
	run := readFile(t, "testdata/hand.run", ReadRun)
	cases := []struct {
		opt  Options
		name string
		want string
	}{
		{Options{SkipMissing: true}, "num_q", "num_q all 2"},
		{Options{SkipMissing: true}, "map", "map all 0.1667"},
		{Options{SkipMissing: true}, "gm_map", "gm_map all 0.0018"},
		{Options{Relevant: -1}, "num_rel", "num_rel 1 3"},
		{Options{Relevant: 2}, "map", "map 1 0.5000"},     // (1/2 + 2/4) / 2
		{Options{Relevant: 2}, "bpref", "bpref 1 0.5000"}, // (1/2 + 1/2) / 2
		{Options{Relevant: 3}, "map", "map 1 0.5000"},
		{Options{Relevant: 3}, "bpref", "bpref 1 0.0000"},
		{Options{Relevant: 3}, "ndcg", "ndcg 1 0.5784"}, // goes by grades
		{Options{Depth: 2}, "num_ret", "num_ret 1 2"},
		{Options{Depth: 2}, "num_ret", "num_ret all 3"},
		{Options{Depth: 2}, "ndcg", "ndcg 1 0.3975"}, // 3/log2(3) of what all can give
		{Options{Depth: 2}, "recall", "recall 1 0.3333"},
	}
	for _, c := range cases {
		if same, _ := compareOutput(t, c.name, c.want, run, qrels, c.opt); same != 1 {
			t.Errorf("with %+v: not %s", c.opt, c.want)
		}
	}
}
func readFile[T any](t *testing.T, name string, read func(io.Reader) (T, error)) T {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := read(f)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}
