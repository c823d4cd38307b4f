package index_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
)

var update = flag.Bool("update", false, "write testdata/v1 anew; only before a version is released")

// goldenDocs are the documents of the index in testdata/v1. All packings occur:
// lists of one document, tails, blocks, more than 32 blocks; long and short
// values; several values; keywords; deletes.
func goldenDocs() []index.Document {
	var docs []index.Document
	for i := range 4300 {
		body := []string{"common", fmt.Sprintf("w%d", i%2), fmt.Sprintf("w%d w%d", i%13, i%700)}
		if i%5 == 0 {
			body[0] = strings.Repeat("common ", i%9)
		}
		docs = append(docs, index.Document{Key: fmt.Sprintf("https://golden.example/%d", i), Fields: []index.Field{
			{Name: "body", Value: body},
			{Name: "tag", Value: fmt.Sprintf("t%d", i%3)},
		}})
	}
	docs[77].Fields = append(docs[77].Fields, index.Field{Name: "note", Value: strings.Repeat("A long note. ", 100)})
	return docs
}

var goldenSchema = index.Schema{{Name: "body"}, {Name: "tag", Kind: index.Keyword, Stored: true}, {Name: "note", Kind: index.StoredOnly}}

func goldenAnswers(t *testing.T, dir string) string {
	var b strings.Builder
	ix := opens(t, dir, index.Options{})
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	must(t, s.Verify(t.Context()))
	for _, q := range []index.Query{
		index.Match{Text: "common"},
		index.Match{Text: "w1 w3"},
		index.Or{index.Match{Text: "w7"}, index.Term{Field: "tag", Text: "t1"}},
		index.Phrase{Text: "w10 w699"},
		index.Prefix{Text: "w69"},
		index.And{index.Match{Text: "w12"}, index.Not{Query: index.Term{Field: "tag", Text: "t0"}}},
	} {
		res, err := s.Search(t.Context(), q, index.SearchOptions{Limit: 5, Fields: []string{"tag"}})
		must(t, err)
		fmt.Fprintf(&b, "%s: %d\n", q, res.Total.Value)
		for _, h := range res.Hits {
			fmt.Fprintf(&b, "\t%s %.12g %v\n", h.Key, h.Score, h.Fields)
		}
	}
	d, ok, err := s.Document("https://golden.example/77")
	fmt.Fprintln(&b, len(d.Text("note")), d.Text("tag"), ok, err)
	terms := 0
	for _, docs := range s.Terms("body") {
		terms += docs
	}
	fmt.Fprintln(&b, terms)
	return b.String()
}

// An index that version 1 wrote is read for ever.
func TestGoldenVersion1(t *testing.T) {
	t.Parallel()
	const golden = "testdata/v1"
	if *update {
		writeGolden(t, golden)
	}
	dir := t.TempDir() // testdata may be read-only, and is no place for a lock
	must(t, os.CopyFS(dir, os.DirFS(golden)))
	want, err := os.ReadFile(filepath.Join(golden, "answers.txt"))
	must(t, err)
	if got := goldenAnswers(t, dir); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// It can also be written to and merged.
	ix := opens(t, dir, index.Options{})
	w := writer(t, ix)
	must(t, w.Add(t.Context(), goldenDocs()...), w.Merge(t.Context()))
	if got := keys(t, ix, index.Match{Text: "w699"}); len(got) != 6 {
		t.Errorf("indexed again: %v", got)
	}
}

func writeGolden(t *testing.T, dir string) {
	must(t, os.RemoveAll(dir))
	ix := opens(t, dir, index.Options{Schema: goldenSchema})
	w := writer(t, ix)
	docs := goldenDocs()
	must(t, w.Add(t.Context(), docs[:4200]...), w.Commit(t.Context()))
	must(t, w.Add(t.Context(), docs[4100:]...), w.Delete(t.Context(), docs[5].Key, docs[4250].Key), w.Commit(t.Context()))
	must(t, w.Close(), ix.Close(), os.Remove(filepath.Join(dir, "writer.lock")))
	must(t, os.WriteFile(filepath.Join(dir, "answers.txt"), []byte(goldenAnswers(t, dir)), 0o644))
}
