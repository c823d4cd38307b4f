package sink_test

import (
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sink"
)

func rows(t interface {
	Helper()
	Fatal(...any)
}, name string) [][]string {
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
			nil,
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
	rapid.Check(t, func(t *rapid.T) {
		opt := sink.CSVOptions{Columns: []string{"a", "b"}[:rapid.IntRange(1, 2).Draw(t, "columns")], NoSync: true, Formulas: true}
		name := filepath.Join(dir, "x.csv")
		cell := rapid.SampledFrom([]string{"", "x", "a,b", "\"", "a\nb", "\n", "\r", " ", "ü", "=x"})
		all := [][]string{opt.Columns}
		put := func(n int) {
			c, err := sink.OpenCSV(name, opt)
			if err != nil {
				t.Fatal(err)
			}
			for range n {
				row := []string{cell.Draw(t, "a"), cell.Draw(t, "b")}
				p := page("http://a.test/")
				p.Records = []any{map[string]string{"a": row[0], "b": row[1]}}
				all = append(all, row[:len(opt.Columns)])
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
		if got := rows(t, name); !slices.EqualFunc(got, all, slices.Equal) {
			t.Fatalf("%q was written for %q", got, all)
		}
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		if err := os.WriteFile(name, text[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		before := slices.Clone(all)
		put(1)
		got := rows(t, name)
		if cut == len(text) && len(got) != len(before)+1 || len(got) < 2 || len(got) > len(before)+1 {
			t.Fatalf("%q cut to %q became %q", text, text[:cut], got)
		}
		want := append(before[:len(got)-1:len(got)-1], all[len(all)-1])
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("%q cut to %q became %q, want %q", text, text[:cut], got, want)
		}
	})
}

// TestCSVDamage: a file that is no CSV somewhere before its end is an error, and is left as it is.
func TestCSVDamage(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a,b\n\"x\"y,1\nz,2\n", "a,b\nx\"y,1\nz,2\n", "\"a\"x,b\n1,2\n"} {
		name := filepath.Join(t.TempDir(), "x.csv")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := sink.OpenCSV(name, sink.CSVOptions{Columns: []string{"a", "b"}})
		if _, ok := errors.AsType[*csv.ParseError](err); !ok {
			t.Errorf("%q: %v", text, err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}
