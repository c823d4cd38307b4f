package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/webquarry/quarry/rank/recipe"
)

// write makes a web of twelve pages, of which each links to the next with a text that says what it is.
func write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, host := range []string{"a.test", "b.test"} {
		if err := os.Mkdir(filepath.Join(dir, host), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	things := strings.Fields("kettle lantern saddle violin anchor ladder basket hammer candle mirror needle barrel")
	for i, thing := range things {
		next := (i + 1) % len(things)
		text := fmt.Sprintf(`<html><head><title>%s</title></head><body><h1>About the %s</h1><p>All that there is to say of it, and of the red %s.</p>
			<a href="http://%s/%d.html">the old %s</a> <a href="http://elsewhere.test/">some other page</a></body></html>`,
			thing, thing, thing, host(next), next, things[next])
		if err := os.WriteFile(filepath.Join(dir, host(i), strconv.Itoa(i)+".html"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func host(i int) string { return []string{"a.test", "b.test"}[i%2] }

func call(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(t.Context(), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// Pages that have the word of the query in their titles are found first, by every step, and the table is the same each time.
func TestTable(t *testing.T) {
	t.Parallel()
	dir := write(t)
	code, out, errs := call(t, "-queries", "20", dir)
	if code != 0 || !strings.HasPrefix(out, "12 pages, 20 queries\n") {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	rows := regexp.MustCompile(`(?m)^(BM25F|\+).* (1\.0000) +1\.0000 +1\.0000 +1\.0000( +1\.0000)?$`).FindAllString(out, -1)
	if len(rows) != len(steps) {
		t.Errorf("%d rows are as they should be, of\n%s", len(rows), out)
	}
	if _, again, _ := call(t, "-queries", "20", dir); again != out {
		t.Errorf("at first\n%s\nand then\n%s", out, again)
	}
}

func TestRecipes(t *testing.T) {
	t.Parallel()
	code, out, errs := call(t, "-queries", "20", "-recipes", write(t))
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || len(lines) != 3+len(recipe.All()) {
		t.Fatalf("exit %d, %s%s", code, out, errs)
	}
	for i, r := range recipe.All() {
		if line := lines[3+i]; !strings.HasPrefix(line, r.Name+" ") || !strings.Contains(line, " 1.0000 ") {
			t.Errorf("%s: %s", r.Name, line)
		}
	}
}

// A text that is asked for is no anchor of the page that is wanted; others are.
func TestQueries(t *testing.T) {
	t.Parallel()
	w, err := readWeb(t.Context(), write(t))
	if err != nil {
		t.Fatal(err)
	}
	wanted := w.queries(10)
	kinds := [2]int{}
	for _, q := range wanted {
		kinds[q.kind]++
		words := strings.Fields(q.text)
		if thing := words[len(words)-1]; w.pages[q.url] == nil || w.pages[q.url].Title != thing {
			t.Errorf("%q leads to %s", q.text, q.url)
		}
	}
	if kinds != [2]int{5, 5} {
		t.Errorf("%v queries of each kind", kinds)
	}
	ix, err := w.index(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	s, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	texts := map[string]bool{}
	for _, url := range w.urls {
		doc, _, err := s.Document(url)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range doc.Fields {
			if f.Name == "anchor" {
				texts[f.Value.(string)] = true
			}
		}
	}
	if len(texts) != 7 {
		t.Errorf("%d anchors are indexed, want 12 less the 5 that are asked for: %v", len(texts), texts)
	}
	for _, q := range wanted {
		if q.kind == byLink && texts[q.text] {
			t.Errorf("%q is asked for, and an anchor", q.text)
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
	}{{nil, 2}, {[]string{"-queries", "0", empty}, 2}, {[]string{"-none"}, 2}, {[]string{empty}, 1}, {[]string{filepath.Join(empty, "missing")}, 1}, {[]string{"-help"}, 0}} {
		if code, _, errs := call(t, c.args...); code != c.code || errs == "" {
			t.Errorf("%v: exit %d, %s", c.args, code, errs)
		}
	}
}
