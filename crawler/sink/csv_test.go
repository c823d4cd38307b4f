package sink_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sink"
)

func rows(t testing.TB, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCSV: pages and records become rows, over several runs, and no cell is a formula.
func TestCSV(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "items.csv")
	opt := sink.CSVOptions{Columns: []string{"url", "name", "price", "tags", "sold", "none"}}
	for run := range 2 {
		c, err := sink.OpenCSV(name, opt)
		if err != nil {
			t.Fatal(err)
		}
		if c.Earlier() != 4*run {
			t.Errorf("%d rows of earlier runs", c.Earlier())
		}
		p := page("http://a.test/list")
		p.Records = []any{
			map[string]any{"name": "=HYPERLINK(\"http://evil.test\")", "price": -5.5, "tags": []string{"a", "b,c"}, "sold": true},
			struct {
				Name  string `json:"name"`
				Price string `json:"price"`
			}{"a \"quoted\",\nname", "-7"},
			"no object",
			map[string]any{"name": "@x", "url": "http://a.test/own"},
		}
		if err := c.Put(t.Context(), fresh(p)); err != nil {
			t.Fatal(err)
		}
		if err := c.Put(t.Context(), fresh(page("http://a.test/plain"))); err != nil {
			t.Fatal(err)
		}
		if err := c.Put(t.Context(), &crawler.Result{Kind: crawler.Gone, URL: "http://a.test/gone"}); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	one := [][]string{
		{"http://a.test/list", "'=HYPERLINK(\"http://evil.test\")", "-5.5", `["a","b,c"]`, "true", ""},
		{"http://a.test/list", "a \"quoted\",\nname", "-7", "", "", ""},
		{"http://a.test/own", "'@x", "", "", "", ""},
		{"http://a.test/plain", "", "", "", "", ""},
	}
	want := slices.Concat([][]string{opt.Columns}, one, one)
	if got := rows(t, name); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if _, err := sink.OpenCSV(name, sink.CSVOptions{}); err == nil || !strings.Contains(err.Error(), "columns") {
		t.Errorf("a file of other columns is gone on with: %v", err)
	}
	c, err := sink.OpenCSV(name, sink.CSVOptions{Anew: true, Formulas: true, Columns: []string{"x"}, Rows: func(*crawler.Result) []any { return []any{map[string]string{"x": "=1"}} }})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Put(t.Context(), fresh(page("http://a.test/"))); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got := rows(t, name); !slices.EqualFunc(got, [][]string{{"x"}, {"=1"}}, slices.Equal) {
		t.Errorf("%q", got)
	}
}

// TestCSVCut: wherever a file is cut, its whole rows are gone on with.
func TestCSVCut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opt := sink.CSVOptions{Columns: []string{"a", "b"}, NoSync: true}
	rapid.Check(t, func(t *rapid.T) {
		name := filepath.Join(dir, "x.csv")
		cell := rapid.SampledFrom([]string{"", "x", "a,b", "\"", "a\nb", "\n", "\r", " ", "ü", "=x"})
		var all [][2]string
		put := func(n int) {
			c, err := sink.OpenCSV(name, opt)
			if err != nil {
				t.Fatal(err)
			}
			for range n {
				row := [2]string{cell.Draw(t, "a"), cell.Draw(t, "b")}
				all = append(all, row)
				p := page("http://a.test/")
				p.Records = []any{map[string]string{"a": row[0], "b": row[1]}}
				if err := c.Put(t.Context(), fresh(p)); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
		opt.Anew = true
		put(rapid.IntRange(0, 4).Draw(t, "rows"))
		opt.Anew = false
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		if err := os.WriteFile(name, text[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		before, _ := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		put(1)
		after, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := csv.NewReader(strings.NewReader(string(after))).ReadAll()
		if err != nil || len(got) < 2 || len(got) > len(before)+1 {
			t.Fatalf("%q cut to %q became %q: %v", text, text[:cut], after, err)
		}
		for i, row := range got[:len(got)-1] {
			if !slices.Equal(row, before[i]) {
				t.Fatalf("row %d: %q, was %q", i, row, before[i])
			}
		}
	})
}
