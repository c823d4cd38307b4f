package indextest_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
)

var update = flag.Bool("update", false, "rewrite testdata/results.txt")

// pages reads testdata/pages.txt.
func pages(t *testing.T) (docs []index.Document) {
	t.Helper()
	text, err := os.ReadFile("testdata/pages.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range strings.Split(string(text), "\n== ")[1:] {
		key, rest, _ := strings.Cut(strings.ReplaceAll(page, `\u0301`, "\u0301"), "\n")
		title, body, _ := strings.Cut(rest, "\n")
		docs = append(docs, index.Document{Key: key, Fields: []index.Field{
			{Name: "title", Value: title}, {Name: "body", Value: strings.TrimSpace(body)},
		}})
	}
	return docs
}

// answers writes the result page of each query: the score, the key, and the
// snippet with matches in brackets.
func answers(t *testing.T, ix *index.Index, queries []string) string {
	t.Helper()
	var b strings.Builder
	for _, text := range queries {
		q, warnings := query.ParseLenient(text, query.ParseOptions{Operator: query.AllWords, Schema: query.Names{"title", "body"}})
		res, err := ix.Search(t.Context(), q, index.SearchOptions{Limit: 5, Fields: []string{"body"}})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n? %s\n", text)
		for _, w := range append(warnings, res.Warnings...) {
			fmt.Fprintf(&b, "  warning: %s\n", w)
		}
		for _, h := range res.Hits {
			s := highlight.New(h.Text("body"), q, &analysis.English{}, highlight.Options{Bytes: 80, Field: "body"})
			s2 := strings.NewReplacer("<mark>", "[", "</mark>", "]", "&#34;", `"`, "&#39;", "'", "&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(s.HTML())
			fmt.Fprintf(&b, "  %.4f %s: %s\n", h.Score, h.Key, s2)
		}
		if n := res.Total.Value - len(res.Hits); n > 0 {
			fmt.Fprintf(&b, "  and %d more\n", n)
		}
	}
	return b.String()
}

// TestResultPages pins what a small collection answers. Look at the difference
// before you rewrite it with -update.
func TestResultPages(t *testing.T) {
	t.Parallel()
	const file = "testdata/results.txt"
	wanted, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var queries []string
	for line := range strings.Lines(string(wanted)) {
		if q, ok := strings.CutPrefix(line, "? "); ok {
			queries = append(queries, strings.TrimSuffix(q, "\n"))
		}
	}
	head, _, _ := strings.Cut(string(wanted), "\n\n?")
	ix, err := index.New(index.Options{Schema: index.Schema{
		{Name: "title", Analyzer: "english", Weight: 2},
		{Name: "body", Analyzer: "english", Stored: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(t.Context(), pages(t)...); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := head + "\n" + answers(t, ix, queries)
	if got == string(wanted) {
		return
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	before, after := strings.Split(string(wanted), "\n"), strings.Split(got, "\n")
	for i := range min(len(before), len(after)) {
		if before[i] != after[i] {
			t.Errorf("line %d\nwant %s\n got %s", i+1, before[i], after[i])
		}
	}
	t.Errorf("%d lines, want %d", len(after), len(before))
}
