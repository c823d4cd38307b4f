package index_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

func TestSchemaMayGrow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	title := index.FieldType{Name: "title", Stored: true}
	put(t, opens(t, dir, index.Options{Schema: index.Schema{title}}), index.Document{Key: "a", Fields: []index.Field{{Name: "title", Value: "old page"}}})

	heavy := title
	heavy.Weight = 5
	tag := index.FieldType{Name: "tag", Kind: index.Keyword}
	ix := opens(t, dir, index.Options{Schema: index.Schema{tag, heavy}, Scorer: rank.BM25{}})
	// New weights count at once.
	plain, err := opens(t, dir, index.Options{Scorer: rank.BM25{}}).Search(t.Context(), query.Match{Text: "page"}, index.SearchOptions{})
	must(t, err)
	weighted, err := ix.Search(t.Context(), query.Match{Text: "page"}, index.SearchOptions{})
	must(t, err)
	if weighted.Hits[0].Score != 5*plain.Hits[0].Score {
		t.Errorf("score %v, with weight 5 %v", plain.Hits[0].Score, weighted.Hits[0].Score)
	}
	put(t, ix, index.Document{Key: "b", Fields: []index.Field{{Name: "tag", Value: "new"}, {Name: "title", Value: "new page"}}})
	ix = opens(t, dir, index.Options{})
	want := index.Schema{{Name: "title", Analyzer: "standard", Weight: 5, Stored: true}, tag}
	if got := ix.Schema(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	snap, err := ix.Snapshot()
	must(t, err)
	defer snap.Close()
	if got := snap.Schema(); !slices.Equal(got, want) {
		t.Errorf("of a snapshot: %+v", got)
	}
	if got := keys(t, ix, query.Match{Text: "page"}); len(got) != 2 {
		t.Errorf("found %v", got)
	}
}

func TestSchemaRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opens(t, dir, index.Options{Schema: index.Schema{{Name: "f", Stored: true}, {Name: "k", Kind: index.Keyword}}})
	for _, s := range []index.Schema{
		{{Name: "f", Kind: index.Keyword, Stored: true}},
		{{Name: "f", Analyzer: "english", Stored: true}},
		{{Name: "f"}},
		{{Name: "f", Analyzer: "klingon", Stored: true}},
		{{Name: "new", Analyzer: "klingon"}},
		{{Name: ""}},
		{{Name: "x"}, {Name: "x"}},
		{{Name: "x", Kind: 7}},
		{{Name: "x", Weight: -1}},
		{{Name: "k", Kind: index.Keyword, Analyzer: "standard"}},
	} {
		var bad *index.SchemaError
		if _, err := index.Open(dir, index.Options{Schema: s}); !errors.As(err, &bad) || bad.Field != s[0].Name {
			t.Errorf("%+v: %v", s, err)
		}
		if strings.HasPrefix(s[0].Name, "f") && s[0].Analyzer != "klingon" {
			continue
		}
		if _, err := index.New(index.Options{Schema: s}); !errors.As(err, &bad) {
			t.Errorf("in memory: %+v: %v", s, err)
		}
	}
}

func TestKindText(t *testing.T) {
	t.Parallel()
	for _, k := range []index.Kind{index.Text, index.Keyword, index.StoredOnly} {
		b, err := json.Marshal(k)
		must(t, err)
		var got index.Kind
		if err := json.Unmarshal(b, &got); err != nil || got != k {
			t.Errorf("%s: %v, %v", b, got, err)
		}
	}
	var k index.Kind
	if err := json.Unmarshal([]byte(`"nonsense"`), &k); err == nil {
		t.Error("read a kind that is none")
	}
}

func TestDocumentRefusals(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{})
	w := writer(t, ix)
	for _, d := range []index.Document{
		{},
		{Key: strings.Repeat("k", 1<<17)},
		{Key: "a", Fields: []index.Field{{Name: "bodi", Value: "text"}}},
		{Key: "a", Fields: []index.Field{{Name: "body", Value: 7}}},
		{Key: "a", Fields: []index.Field{{Name: "body"}}},
	} {
		err := w.Add(t.Context(), index.Document{Key: "before"}, d)
		var bad *index.SchemaError
		if !errors.As(err, &bad) || errors.Is(err, index.ErrWriterFailed) {
			t.Errorf("%.40v: %v", d, err)
		}
	}
	must(t, w.Commit(t.Context()))
	if got := keys(t, ix, query.All{}); len(got) != 0 {
		t.Errorf("a refused call has added %v", got)
	}
}

// Odd documents are taken as they are, and found by what is in them.
func TestOddDocuments(t *testing.T) {
	t.Parallel()
	ix := opens(t, t.TempDir(), index.Options{Schema: index.Schema{{Name: "body", Stored: true}, {Name: "k", Kind: index.Keyword, Stored: true}}})
	w := writer(t, ix)
	long := strings.Repeat("QUJDREVG", 100_000/8)
	odd := []string{"", "\x00", "\xff\xfe\x00x", "...", strings.Repeat("é", 70_000)}
	must(t, w.Add(t.Context(), index.Document{Key: "long", Fields: []index.Field{{Name: "body", Value: "before " + long + " after"}, {Name: "k", Value: long}}}))
	for i, s := range odd {
		must(t, w.Add(t.Context(), index.Document{Key: string(rune('a' + i)), Fields: []index.Field{{Name: "body", Value: s}, {Name: "k", Value: []string{s, s}}}}))
	}
	must(t, w.Add(t.Context(), index.Document{Key: "\xff"}), w.Commit(t.Context()))
	if n := w.Stats().TokensTruncated; n != 2 {
		t.Errorf("%d tokens were cut", n)
	}
	for _, q := range []query.Query{query.Match{Text: "after"}, query.Match{Text: "before"}, query.Term{Field: "k", Text: long}} {
		if got := keys(t, ix, q); !slices.Equal(got, []string{"long"}) {
			t.Errorf("%.40s: %v", q, got)
		}
	}
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	must(t, s.Verify(t.Context()))
	for i, want := range odd {
		key := string(rune('a' + i))
		if got := keys(t, s, query.Term{Field: "k", Text: want}); !slices.Equal(got, []string{key}) {
			t.Errorf("%.20q: %v", want, got)
		}
		d, ok, err := s.Document(key)
		if !ok || err != nil || d.Text("body") != want || d.Text("k") != want+"\n"+want {
			t.Errorf("%.20q: stored as %.40q, %v", want, d.Text("body"), err)
		}
	}
}

// A reader that does not know the analyzer of a field that was added later goes
// on with the other fields.
func TestUnknownAnalyzerLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	reader := opens(t, dir, index.Options{Schema: index.Schema{{Name: "old"}}})
	put(t, opens(t, dir, index.Options{
		Schema:    index.Schema{{Name: "new", Analyzer: "own"}},
		Analyzers: map[string]analysis.Analyzer{"own": analysis.Standard{}},
	}), index.Document{Key: "a", Fields: []index.Field{{Name: "old", Value: "fox"}, {Name: "new", Value: "fox"}}})
	if got := keys(t, reader, query.Match{Field: "old", Text: "fox"}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	var bad *index.SchemaError
	for name, do := range map[string]func() error{
		"search": func() error {
			_, err := reader.Search(t.Context(), query.Match{Text: "fox"}, index.SearchOptions{})
			return err
		},
		"open":  func() error { _, err := index.Open(dir, index.Options{}); return err },
		"write": func() error { _, err := reader.Writer(); return err },
	} {
		if err := do(); !errors.As(err, &bad) || bad.Field != "new" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestManyFields: in whatever order a document has its fields, and one of them
// twice, among very many others.
func TestManyFields(t *testing.T) {
	t.Parallel()
	var schema index.Schema
	for i := range 500 {
		schema = append(schema, index.FieldType{Name: fmt.Sprint("f", i), Stored: true})
	}
	ix, err := index.New(index.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	wide := index.Document{Key: "wide"}
	for i := range schema {
		wide.Fields = append(wide.Fields, index.Field{Name: schema[len(schema)-1-i].Name, Value: fmt.Sprint("word", i)})
	}
	few := index.Document{Key: "few", Fields: []index.Field{{Name: "f499", Value: "one"}, {Name: "f7", Value: "two"}, {Name: "f499", Value: "three"}}}
	for _, end := range []func(context.Context) error{w.Commit, w.Merge} {
		if err := errors.Join(w.Add(t.Context(), wide, few), end(t.Context())); err != nil {
			t.Fatal(err)
		}
		for q, want := range map[query.Query]string{
			query.Term{Field: "f0", Text: "word499"}:   "wide",
			query.Term{Text: "two"}:                    "few",
			query.Phrase{Field: "f499", Text: "one"}:   "few",
			query.Phrase{Field: "f499", Text: "three"}: "few",
			query.Exists{Field: "f123"}:                "wide",
		} {
			found, err := ix.Search(t.Context(), q, index.SearchOptions{Fields: []string{"f499"}})
			if err != nil || len(found.Hits) != 1 || found.Hits[0].Key != want {
				t.Errorf("%v: %v, %v, want %s", q, found, err, want)
			}
			if want == "few" && found.Hits[0].Text("f499") != "one\nthree" {
				t.Errorf("%v: %q", q, found.Hits[0].Fields)
			}
		}
	}
}
