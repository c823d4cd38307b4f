package query_test

import (
	"os"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/indextest"
	"github.com/webquarry/quarry/index/query"
)

// table returns the rows of the table of a Markdown text that begins with the
// given column, without their code marks.
func table(t *testing.T, text, column string) (rows [][]string) {
	t.Helper()
	_, body, found := strings.Cut(text, "\n| "+column+" |\n")
	if !found {
		t.Fatalf("no table %q", column)
	}
	for i, line := range strings.Split(body, "\n")[1:] {
		if !strings.HasPrefix(line, "|") {
			if i == 0 {
				break
			}
			return rows
		}
		var row []string
		for _, cell := range strings.Split(strings.Trim(line, "|"), " | ") {
			row = append(row, strings.Trim(cell, " `"))
		}
		rows = append(rows, row)
	}
	t.Fatalf("table %q is empty", column)
	return nil
}

// The guide's tables say what the parsers do.
func TestGuide(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/guides/query-language.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := string(b)
	strict := func(words query.Operator) func(string) string {
		return func(text string) string {
			q, err := query.Parse(text, query.ParseOptions{Operator: words})
			if err != nil {
				return err.Error()
			}
			return q.String()
		}
	}
	lenient := func(words query.Operator) func(string) string {
		return func(text string) string {
			q, _ := query.ParseLenient(text, query.ParseOptions{Operator: words, Schema: query.Names{"title", "body", "site"}})
			return q.String()
		}
	}
	for _, c := range []struct {
		column string
		read   func(string) string
		least  int
	}{
		{"Query | Read as | Finds documents with", strict(query.AllWords), 25},
		{"Query | Read as", strict(query.AllWords), 8},
		{"Query with AnyWord | Read as", strict(query.AnyWord), 6},
		{"Typed | Read as", lenient(query.AllWords), 15},
		{"Typed | Ranked as", lenient(query.AllFirst), 8},
	} {
		rows := table(t, guide, c.column)
		if len(rows) < c.least {
			t.Errorf("%s: %d rows", c.column, len(rows))
		}
		for _, row := range rows {
			if got := c.read(row[0]); got != row[1] {
				t.Errorf("%s: %s is read as %s, not %s", c.column, row[0], got, row[1])
			}
		}
	}
}

// The guide's table of loose phrases says what they find.
func TestGuidePhrases(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/guides/query-language.md")
	if err != nil {
		t.Fatal(err)
	}
	twin := indextest.NewTwin(index.Options{Schema: index.Schema{{Name: "body"}}})
	texts := []string{"x a b", "a x b", "b a"}
	for _, text := range texts {
		if err := twin.Add(t.Context(), index.Document{Key: text, Fields: []index.Field{{Name: "body", Value: text}}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := twin.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, row := range table(t, string(b), "Phrase | in `x a b` | in `a x b` | in `b a`") {
		q, err := query.Parse(row[0], query.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := twin.Search(t.Context(), q, index.SearchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, h := range res.Hits {
			found[h.Key] = true
		}
		for i, text := range texts {
			if found[text] != (row[i+1] == "yes") {
				t.Errorf("%s in %q: %v", row[0], text, found[text])
			}
		}
	}
}

// The guide's table of patterns says what they match.
func TestGuidePatterns(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../docs/guides/query-language.md")
	if err != nil {
		t.Fatal(err)
	}
	ix := memory(t, index.Options{Schema: index.Schema{{Name: "body"}}})
	words := []string{"rank", "ranks", "ranking", "tank", "knar"}
	for _, w := range words {
		put(t, ix, index.Document{Key: w, Fields: []index.Field{{Name: "body", Value: w}}})
	}
	rows := table(t, string(b), "Pattern | `rank` | `ranks` | `ranking` | `tank` | `knar`")
	for _, row := range rows {
		q, err := query.Parse(row[0], query.ParseOptions{})
		must(t, err)
		res, err := ix.Search(t.Context(), q, index.SearchOptions{})
		must(t, err)
		found := map[string]bool{}
		for _, h := range res.Hits {
			found[h.Key] = true
		}
		for i, w := range words {
			if found[w] != (row[i+1] == "yes") {
				t.Errorf("%s and %s: %v", row[0], w, found[w])
			}
		}
	}
}
