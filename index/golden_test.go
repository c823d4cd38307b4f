package index_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// To write the golden files anew, as long as their version is not released:
// go test ./index -run Golden -update
var update = flag.Bool("update", false, "write the golden files anew; only before their version is released")

// golden are indexes in testdata, which every later program must read.
var golden = []struct {
	dir   string
	order index.Order
}{
	{dir: "testdata/v1"},
	{dir: "testdata/v1-by-column", order: index.ByColumn},
}

// goldenDocs are the documents of the golden indexes. All packings occur:
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

// goldenColumns are the documents with columns.
func goldenColumns() []index.Document {
	docs := goldenDocs()
	for i := range docs {
		f := &docs[i].Fields
		*f = append(*f, index.Field{Name: "price", Value: i % 97}, index.Field{Name: "host", Value: fmt.Sprintf("h%d", i%11)})
		if i%3 > 0 {
			*f = append(*f, index.Field{Name: "weight", Value: float64(i) / 7},
				index.Field{Name: "seen", Value: time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC)})
		}
	}
	return docs
}

var goldenSchema = index.Schema{{Name: "body"}, {Name: "tag", Kind: index.Keyword, Stored: true}, {Name: "note", Kind: index.StoredOnly},
	{Name: "price", Kind: index.Integer}, {Name: "weight", Kind: index.Float}, {Name: "seen", Kind: index.Time}, {Name: "host", Kind: index.Keyword, Column: true}}

func goldenAnswers(t *testing.T, dir string) string {
	var b strings.Builder
	ix := opens(t, dir, index.Options{})
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	must(t, s.Verify(t.Context()))
	for _, q := range []query.Query{
		query.Match{Text: "common"},
		query.Match{Text: "w1 w3"},
		query.Or{query.Match{Text: "w7"}, query.Term{Field: "tag", Text: "t1"}},
		query.Phrase{Text: "w10 w699"},
		query.Prefix{Text: "w69"},
		query.And{query.Match{Text: "w12"}, query.Not{Query: query.Term{Field: "tag", Text: "t0"}}},
	} {
		res, err := s.Search(t.Context(), q, index.SearchOptions{Limit: 5, Fields: []string{"tag"}})
		must(t, err)
		fmt.Fprintf(&b, "%s: %d\n", q, res.Total.Value)
		for _, h := range res.Hits {
			fmt.Fprintf(&b, "\t%s %.12g %v\n", h.Key, h.Score, shownTexts(h))
		}
	}
	q := query.And{query.Range{Field: "price", From: "5", To: "9"}, query.Match{Text: "w1"}}
	res, err := s.Search(t.Context(), q, index.SearchOptions{Limit: 5, Fields: []string{"price", "weight", "seen", "host"}})
	must(t, err)
	fmt.Fprintf(&b, "%s: %d\n", q, res.Total.Value)
	for _, h := range res.Hits {
		fmt.Fprintf(&b, "\t%s %.12g %v\n", h.Key, h.Score, shownTexts(h))
	}
	d, ok, err := s.Document("https://golden.example/77")
	fmt.Fprintln(&b, len(d.Text("note")), d.Text("tag"), ok, err)
	terms := 0
	for _, docs := range s.Terms(t.Context(), "body", index.TermOptions{}).All() {
		terms += docs
	}
	fmt.Fprintln(&b, terms)
	return b.String()
}

// What any version wrote is read for ever.
func TestGolden(t *testing.T) {
	t.Parallel()
	if *update {
		for _, g := range golden {
			writeGolden(t, g.dir, goldenColumns(), index.Options{Schema: goldenSchema, Order: g.order, OrderColumn: "price"})
		}
	}
	for _, g := range golden {
		t.Run(filepath.Base(g.dir), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir() // testdata may be read-only, and is no place for a lock
			must(t, os.CopyFS(dir, os.DirFS(g.dir)))
			want, err := os.ReadFile(filepath.Join(g.dir, "answers.txt"))
			must(t, err)
			if got := goldenAnswers(t, dir); got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			// It can also be written to and merged.
			ix := opens(t, dir, index.Options{})
			w := writer(t, ix)
			must(t, w.Merge(t.Context()))
			if got := goldenAnswers(t, dir); got != string(want) {
				t.Errorf("merged: got\n%s\nwant\n%s", got, want)
			}
			must(t, w.Add(t.Context(), goldenColumns()...), w.Merge(t.Context()))
			if got := keys(t, ix, query.Match{Text: "w699"}); len(got) != 6 {
				t.Errorf("indexed again: %v", got)
			}
		})
	}
}

// Some documents of each half are in each segment, so that a merge interleaves
// them; of one segment columns are set later, of another documents deleted.
func writeGolden(t *testing.T, dir string, docs []index.Document, opt index.Options) {
	must(t, os.RemoveAll(dir))
	ix := opens(t, dir, opt)
	w := writer(t, ix)
	for half := range 2 {
		for i := half; i < 4200; i += 2 {
			must(t, w.Add(t.Context(), docs[i]))
		}
		must(t, w.Commit(t.Context()))
	}
	must(t, w.Merge(t.Context()))
	must(t, w.Add(t.Context(), docs[4100:]...), w.Delete(t.Context(), docs[5].Key, docs[4250].Key), w.Commit(t.Context()))
	_, err := w.Set(t.Context(), docs[6].Key, index.Field{Name: "price", Value: 7})
	must(t, err, w.Commit(t.Context()))
	must(t, w.Close(), ix.Close(), os.Remove(filepath.Join(dir, "writer.lock")))
	must(t, os.WriteFile(filepath.Join(dir, "answers.txt"), []byte(goldenAnswers(t, dir)), 0o644))
}

// Files of a version to come are refused, and say so.
func TestNewerVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("testdata/v1")))
	name := filepath.Join(dir, "segment-2")
	b, err := os.ReadFile(name)
	must(t, err)
	le := binary.LittleEndian
	le.PutUint32(b[len(b)-28:], 2)
	foot := len(b) - int(le.Uint32(b[len(b)-32:]))
	le.PutUint32(b[len(b)-4:], crc32.Checksum(b[foot:len(b)-4], crc32.MakeTable(crc32.Castagnoli)))
	must(t, os.WriteFile(name, b, 0o600))
	_, err = index.Open(dir, index.Options{})
	if !errors.Is(err, index.ErrVersion) || !strings.Contains(err.Error(), "segment-2") || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("a segment of version 2: %v", err)
	}
	if _, err := index.Salvage(t.Context(), dir, t.TempDir(), index.Options{}); !errors.Is(err, index.ErrVersion) {
		t.Errorf("salvaged: %v", err)
	}
}

// shownTexts are the fields of a hit as text.
func shownTexts(h index.Hit) map[string]string {
	out := map[string]string{}
	for name := range h.Fields {
		out[name] = h.Text(name)
	}
	return out
}
