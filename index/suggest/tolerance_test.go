package suggest_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/webquarry/quarry/fuzzy"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/index/suggest"
)

// TestTolerance tells how many of the ten best pages of a rightly spelt query are found
// by misspelt ones, when typing errors are forgiven and when the query is corrected. It
// needs QUARRY_CORPUS, texts as JSON lines with title and body, packed with zstd, and QUARRY_SPELLING, a
// folder with Norvig's test sets. QUARRY_PAGES is how many pages are indexed, else 5,000:
// paragraphs of the texts.
func TestTolerance(t *testing.T) {
	if os.Getenv("QUARRY_CORPUS") == "" || os.Getenv("QUARRY_SPELLING") == "" {
		t.Skip("QUARRY_CORPUS and QUARRY_SPELLING name no texts and misspellings")
	}
	ix, docs := corpusIndex(t)
	snap, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	s := &suggest.Suggester{Index: ix, Field: "word"}
	top := func(text string, opt index.SearchOptions) map[string]bool {
		q, _ := query.ParseLenient(text, query.ParseOptions{Schema: ix.Schema()})
		res, err := snap.Search(t.Context(), q, opt)
		if err != nil {
			t.Fatal(err)
		}
		keys := map[string]bool{}
		for _, h := range res.Hits {
			keys[h.Key] = true
		}
		return keys
	}
	queries, all, forgiven, corrected, expanded := 0, 0, 0, 0, 0
	terms := snap.Terms(t.Context(), "body", index.TermOptions{})
	speller := fuzzy.English(fuzzy.New(terms.All()))
	if terms.Err() != nil {
		t.Fatal(terms.Err())
	}
	for _, p := range misspelt(t) {
		wrong, right := p[0], p[1]
		known := top(wrong, index.SearchOptions{Limit: 1})
		want := top(right, index.SearchOptions{Limit: 10})
		if len(known) > 0 || len(want) < 10 {
			continue
		}
		for _, beside := range []string{"", "history "} {
			if queries == 200 {
				break
			}
			queries++
			want := top(beside+right, index.SearchOptions{Limit: 10})
			all += len(want)
			for key := range top(beside+wrong, index.SearchOptions{Limit: 10, Typos: query.Typos{Forgive: true}}) {
				if want[key] {
					forgiven++
				}
			}
			for key := range top(beside+wrong, index.SearchOptions{Limit: 10, Expander: speller}) {
				if want[key] {
					expanded++
				}
			}
			better, ok, err := s.Correct(t.Context(), beside+wrong, suggest.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				better = beside + wrong
			}
			for key := range top(better, index.SearchOptions{Limit: 10}) {
				if want[key] {
					corrected++
				}
			}
		}
	}
	t.Logf("%d pages, %d queries, %d best pages: %.3f of them are found where errors are forgiven, %.3f where a Speller expands, %.3f where the query is corrected",
		docs, queries, all, float64(forgiven)/float64(all), float64(expanded)/float64(all), float64(corrected)/float64(all))
	if float64(corrected) < 0.8*float64(all) {
		t.Error("fewer than 0.8")
	}
}

// misspelt is pairs of what was written and what was meant.
func misspelt(t *testing.T) (pairs [][2]string) {
	t.Helper()
	for _, name := range []string{"spell-testset2.txt", "spell-testset1.txt"} {
		text, err := os.ReadFile(filepath.Join(os.Getenv("QUARRY_SPELLING"), "norvig", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`'([a-z]+)':\s*'([a-z ]+)'`).FindAllStringSubmatch(string(text), -1) {
			for wrong := range strings.FieldsSeq(m[2]) {
				pairs = append(pairs, [2]string{wrong, m[1]})
			}
		}
	}
	return pairs
}

// corpusIndex indexes paragraphs.
func corpusIndex(t *testing.T) (*index.Index, int) {
	t.Helper()
	file, err := os.Open(os.Getenv("QUARRY_CORPUS"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	packed, err := zstd.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	ix, err := index.New(index.Options{Schema: index.Schema{{Name: "body", Analyzer: "english"}, {Name: "word", Kind: index.Keyword}}})
	if err != nil {
		t.Fatal(err)
	}
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); ix.Close() })
	most := 5000
	if s := os.Getenv("QUARRY_PAGES"); s != "" {
		if most, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for lines := bufio.NewReaderSize(packed, 1<<20); n < most; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var doc struct{ Body string }
		if err := json.Unmarshal(line, &doc); err != nil {
			t.Fatal(err)
		}
		for paragraph := range strings.SplitSeq(doc.Body, "\n") {
			if len(paragraph) < 200 || n == most {
				continue
			}
			n++
			if err := w.Add(t.Context(), index.Document{Key: fmt.Sprint(n), Fields: []index.Field{{Name: "body", Value: paragraph}, {Name: "word", Value: suggest.Words(paragraph)}}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ix, n
}
