package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestMistakes: one clear line for each, and nothing else.
func TestMistakes(t *testing.T) {
	t.Parallel()
	dir := write(t,
		"docs", `{"id":"a","body":"fox"}`, "queries", "1\tfox\n", "qrels", "1 0 a 1\n",
		"empty", "", "bad-docs", "{\"id\":\"a\"}\n{\n", "bad-queries", "1 fox\n", "bad-qrels", "1 0 a\n1 0 b x\n",
		"other-queries", "7\tfox\n", "other-docs", `{"id":"z"}`, "bad.gz", "\x1f\x8bno", "cut.gz", pack(t, strings.Repeat(`{"id":"a","body":"fox"}`+"\n", 3), false)[:34], "bad-run", "1 Q0 a 1 1 t\n1 Q0 a 2 1 t\n")
	cases := []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-nonsense"}, 2, "flag provided but not defined: -nonsense"},
		{[]string{"docs"}, 2, `unexpected argument "docs"`},
		{[]string{"-docs", "x"}, 2, "-docs, -queries and -qrels go together"},
		{[]string{"-format", "smart"}, 2, "-format smart needs -docs, -queries and -qrels"},
		{[]string{"-format", "csv"}, 2, `invalid value "csv" for flag -format: eval: unknown format "csv": want smart, lisa, npl, trec, beir or jsonl`},
		{[]string{"-analyzer", "german"}, 2, `-analyzer "german": want english, porter or standard`},
		{[]string{"-stop", "all"}, 2, `-stop "all": want english, lucene or none`},
		{[]string{"-fields", "title,abstract"}, 2, `-fields: there is no field "abstract": want title, body or text`},
		{[]string{"-fields", "title^x"}, 2, `-fields: weight "x" is no positive number`},
		{[]string{"-fields", "body,body"}, 2, "-fields: body is there twice"},
		{[]string{"-k1", "-1"}, 2, "-k1 -1: want 0 to 1000"},
		{[]string{"-b", "1.5"}, 2, "-b 1.5: want 0 to 1"},
		{[]string{"-b", "nan"}, 2, "-b NaN: want 0 to 1"},
		{[]string{"-depth", "0"}, 2, "-depth must be at least 1"},
		{[]string{"-json", "-q"}, 2, "-json has no room for -q"},
		{[]string{"-measures", "map,accuracy"}, 2, `eval: measure "accuracy": unknown`},
		{args(dir, "none", "queries", "qrels"), 1, "none: no such file or directory"},
		{args(dir, "docs", "none", "qrels"), 1, "none: no such file or directory"},
		{args(dir, "bad-docs", "queries", "qrels"), 1, "bad-docs: eval: line 2: not a JSON object as wanted"},
		{args(dir, "docs", "bad-queries", "qrels"), 1, "bad-queries: eval: line 1: want a JSON object, or ID, tab and text"},
		{args(dir, "docs", "queries", "bad-qrels"), 1, "bad-qrels: eval: line 1: grade \"a\" is no whole number"},
		{args(dir, "docs", "queries", "docs", "-format", "smart"), 1, "docs: eval: line 1: want a query and at least one document"},
		{args(dir, "docs", "other-queries", "qrels"), 1, "has judgements for no query of"},
		{args(dir, "docs", "queries", "empty"), 1, "has judgements for no query of"},
		{args(dir, "empty", "queries", "qrels"), 1, "holds no documents"},
		{args(dir, "other-docs", "queries", "qrels"), 1, "no judged document is among the documents"},
		{args(dir, "bad.gz", "queries", "qrels"), 1, "bad.gz: unexpected EOF"},
		{args(dir, "docs", "queries", "qrels", "-compare", filepath.Join(dir, "bad-run")), 1, "bad-run: eval: line 2: query 1, document a: listed twice"},
		{args(dir, "docs", "queries", "qrels", "-compare", filepath.Join(dir, "empty")), 1, "empty holds no hits"},
		{args(dir, "cut.gz", "queries", "qrels"), 1, "cut.gz: eval: unexpected EOF"},
	}
	for _, c := range cases {
		code, out, errs := call(t, c.args...)
		if code != c.code || !strings.HasPrefix(errs, "treceval: ") || !strings.Contains(errs, c.want) || strings.Count(errs, "\n") != 1 || out != "" {
			t.Errorf("%q: exit %d, %q and %q, want %d and %q", c.args, code, out, errs, c.code, c.want)
		}
	}
}

// TestWarnings: what makes the measures lower than they should be is said.
func TestWarnings(t *testing.T) {
	t.Parallel()
	dir := write(t, "docs", `{"id":"a","contents":"fox"}`+"\n"+`{"id":"a","body":"red fox"}`, "queries", "1\tfox\n2\towl\n4\t\n", "qrels", "1 0 a 1\n1 0 gone 1\n3 0 a 1\n4 0 a 1\n")
	code, out, errs := call(t, args(dir, "docs", "queries", "qrels", "-measures", "map")...)
	want := `treceval: warning: 1 of 2 judged documents are not among the documents
treceval: warning: 1 of 3 judged queries are not among the queries, and left out
treceval: warning: 1 of 2 judged queries have no text; they count as 0
treceval: warning: 1 of 2 documents have neither title nor body
treceval: warning: 1 of 2 documents have the ID of a later one, and are lost
`
	if code != 0 || errs != want || !strings.Contains(out, "map            0.2500\n") {
		t.Errorf("exit %d\n%s%swant\n%s", code, out, errs, want)
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	code, out, errs := call(t, "-h")
	if code != 0 || errs != "" || !strings.Contains(out, "-analyzer") {
		t.Errorf("exit %d, %q and %q", code, out, errs)
	}
}
