package eval

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadQrels(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text string
		want       Qrels
	}{
		{"TREC", "\ufeff1 0 a 2\r\n# so\r\n1\t0\tb\t-1\r\n\r\n02 Q0 a 0\r\n1 0 a 2", Qrels{"1": {"a": 2, "b": -1}, "02": {"a": 0}}},
		{"BEIR", "query-id\tcorpus-id\tscore\nq 1\ta b\t1\nq 1\tc\t2.0\n", Qrels{"q 1": {"a b": 1, "c": 2}}},
		{"other headlines", "topic\tdoc\trel\nq\ta\t1\n", Qrels{"q": {"a": 1}}},
		{"TREC with a headline", "Query_ID iter doc label\n1 0 a 2\n", Qrels{"1": {"a": 2}}},
		{"TREC with tabs", "qid\t0\tdocid\trelevance\n1\t0\ta b\t2\n", Qrels{"1": {"a b": 2}}},
		{"other blanks are text", "q\u00a01 0 a\u3000b\u0085 1\n", Qrels{"q\u00a01": {"a\u3000b\u0085": 1}}},
		{"mixed white space", "1 0\ta\t2\n1\t0 b 1\n", Qrels{"1": {"a": 2, "b": 1}}},
		{"no headline", "q1\ta\t1\n", Qrels{"q1": {"a": 1}}},
		{"spaces", "q1 a 1\nq1  b  0\n", Qrels{"q1": {"a": 1, "b": 0}}},
		{"empty", "\n", Qrels{}},
	}
	for _, c := range cases {
		got, err := ReadQrels(strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func TestReadQrelsErrors(t *testing.T) {
	t.Parallel()
	cases := []struct{ text, want string }{
		{"1 0 a\n1 0 a 1\n", `eval: line 1: grade "a" is no whole number`},
		{"1 0 a 1\n1 0 b\n", "eval: line 2: want 4 columns as before, not 3"},
		{"qid0 0 a yes\n", `eval: line 1: grade "yes" is no whole number`},
		{"1 0 a yes\n", `eval: line 1: grade "yes" is no whole number`},
		{"1 0 a 0.5\n", `eval: line 1: grade "0.5" is no whole number`},
		{"1 0 a NaN\n", `eval: line 1: grade "NaN" is no whole number`},
		{"1 0 a 1e9\n", `eval: line 1: grade "1e9" is beyond 1000`},
		{"1 2\n", "eval: line 1: want query, 0, document and grade, or query, document and grade, not 2 columns"},
		{"query-id\tcorpus-id\tscore\n1\t\t2\n", "eval: line 2: a judgement needs a query and a document"},
		{"1 0 a 1\n1 0 a 2\n", "eval: line 2: query 1, document a: listed twice, with grades 1 and 2"},
	}
	for _, c := range cases {
		_, err := ReadQrels(strings.NewReader(c.text))
		if _, ok := errors.AsType[*InputError](err); !ok || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
		if twice := strings.Contains(c.want, "twice"); errors.Is(err, ErrDuplicate) != twice {
			t.Errorf("%q: matches ErrDuplicate: %v", c.text, !twice)
		}
	}
}

func TestWriteQrels(t *testing.T) {
	t.Parallel()
	qrels := Qrels{"10": {"a": 1}, "9": {"b": 0, "a": -1}}
	var b strings.Builder
	if err := qrels.Write(&b); err != nil {
		t.Fatal(err)
	}
	if want := "9 0 a -1\n9 0 b 0\n10 0 a 1\n"; b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
	back, err := ReadQrels(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(qrels, back); d != "" {
		t.Error(d)
	}
	for _, bad := range []Qrels{{"a b": {"c": 1}}, {"a": {"b c": 1}}} {
		if err := bad.Write(&b); err == nil {
			t.Errorf("%v was written", bad)
		}
	}
}

func TestRegraded(t *testing.T) {
	t.Parallel()
	qrels := Qrels{"1": {"a": -1, "b": 3}}
	got := qrels.Regraded(func(grade int) int { return max(grade, -grade) })
	if d := cmp.Diff(Qrels{"1": {"a": 1, "b": 3}}, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(Qrels{"1": {"a": -1, "b": 3}}, qrels); d != "" {
		t.Error("changes what it is given", d)
	}
}
