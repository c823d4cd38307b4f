package index_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// questions are asked of a damaged index, and of a sound one before.
var questions = []query.Query{
	query.Match{Text: "all"},
	query.Match{Text: "words"},
	query.Phrase{Text: "documents hold all"},
	query.Phrase{Text: "all words", Slop: 3},
	query.Prefix{Text: "n1"},
	query.And{query.Match{Text: "number"}, query.Not{Query: query.Match{Text: "words"}}},
	query.Match{Field: "title", Text: "7"},
	query.Between("price", 3, 9),
}

// answers asks all questions, and reads a document. It stops at an error.
func answers(t testing.TB, dir string) (got string, err error) {
	ix, err := index.Open(dir, index.Options{})
	if err != nil {
		return "", err
	}
	defer ix.Close()
	s, err := ix.Snapshot()
	if err != nil {
		return "", err
	}
	defer s.Close()
	for _, q := range questions {
		res, err := s.Search(t.Context(), q, index.SearchOptions{Limit: 5, Fields: []string{"title", "body", "price", "shop"}})
		if err != nil {
			return "", err
		}
		got += fmt.Sprint(res.Total, res.Hits, "\n")
	}
	d, ok, err := s.Document("n7")
	if err != nil {
		return "", err
	}
	got += fmt.Sprint(d, ok)
	terms := s.Terms(t.Context(), "title", index.TermOptions{})
	for term, docs := range terms.All() {
		got += fmt.Sprint(term, docs)
	}
	if terms.Err() != nil {
		return "", terms.Err()
	}
	return got, s.Verify(t.Context())
}

// damagedSchema has all kinds of sections.
var damagedSchema = index.Schema{{Name: "title", Weight: 2, Stored: true}, {Name: "body", Stored: true},
	{Name: "price", Kind: index.Integer}, {Name: "shop", Kind: index.Keyword, Column: true}}

// damaged builds an index and has f spoil each of its files in turn. One segment
// is merged from two, of every other document.
func damaged(t *testing.T, docs int, f func(name string, content []byte, check func(spoiled []byte, what string))) {
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{Schema: damagedSchema, Order: index.ByColumn, OrderColumn: "price"})
	w := writer(t, ix)
	all := numberedDocs(0, docs)
	for half := range 2 {
		for i := half; i < docs; i += 2 {
			all[i].Fields = append(all[i].Fields, price(i%50), index.Field{Name: "shop", Value: fmt.Sprintf("shop %d", i%3)})
			must(t, w.Add(t.Context(), all[i]))
		}
		must(t, w.Commit(t.Context()))
	}
	must(t, w.Merge(t.Context()))
	must(t, w.Delete(t.Context(), "n3", "n5"), w.Commit(t.Context()), w.Close(), ix.Close())
	want, err := answers(t, dir)
	must(t, err)
	for _, file := range files(t, dir) {
		if file == "writer.lock" {
			continue
		}
		name := filepath.Join(dir, file)
		content, err := os.ReadFile(name)
		must(t, err)
		f(file, content, func(spoiled []byte, what string) {
			// A new file each time: the old one may be mapped still.
			must(t, os.Remove(name), os.WriteFile(name, spoiled, 0o600))
			got, err := answers(t, dir)
			var c *index.CorruptError
			switch {
			case err == nil && got != want:
				t.Errorf("%s, %s: wrong answers", file, what)
			case err != nil && (!errors.Is(err, index.ErrCorrupt) || !errors.As(err, &c) || c.File != file):
				t.Errorf("%s, %s: %v", file, what, err)
			}
		})
		must(t, os.Remove(name), os.WriteFile(name, content, 0o600))
	}
}

func TestEveryByteFlipped(t *testing.T) {
	t.Parallel()
	damaged(t, 20, func(name string, content []byte, check func([]byte, string)) {
		for i := range content {
			if (testing.Short() || few > 1) && i%10 != 0 {
				continue
			}
			content[i] ^= 0x41
			check(content, fmt.Sprintf("byte %d of %d", i, len(content)))
			content[i] ^= 0x41
		}
	})
}

func TestEveryLength(t *testing.T) {
	t.Parallel()
	damaged(t, 20, func(name string, content []byte, check func([]byte, string)) {
		for n := range content {
			if (testing.Short() || few > 1) && n%10 != 0 {
				continue
			}
			check(content[:n], fmt.Sprintf("cut to %d of %d", n, len(content)))
		}
		check(append(content[:len(content):len(content)], 0), "longer")
	})
}

// In a file of several pages, damage shows where it is read.
func TestBytesFlippedInManyPages(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	damaged(t, 20_000, func(name string, content []byte, check func([]byte, string)) {
		for range 32 / few {
			i := rnd.IntN(len(content))
			content[i] ^= 0x41
			check(content, fmt.Sprintf("byte %d of %d", i, len(content)))
			content[i] ^= 0x41
		}
	})
}

// A writer that meets damage in a merge names the file, and readers of other
// files go on.
func TestMergeOfDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{})
	put(t, ix, numberedDocs(0, 20_000)...)
	put(t, ix, numberedDocs(20_000, 20_100)...)
	must(t, ix.Close())
	name := filepath.Join(dir, "segment-0")
	content, err := os.ReadFile(name)
	must(t, err)
	content[600_000] ^= 1 // among the words of the body
	must(t, os.Remove(name), os.WriteFile(name, content, 0o600))
	ix = opens(t, dir, index.Options{})
	w := writer(t, ix)
	var c *index.CorruptError
	if err := w.Merge(t.Context()); !errors.As(err, &c) || c.File != "segment-0" || !errors.Is(err, index.ErrWriterFailed) {
		t.Errorf("merged: %v", err)
	}
	if err := w.Commit(t.Context()); !errors.Is(err, index.ErrWriterFailed) || !errors.Is(err, index.ErrCorrupt) {
		t.Errorf("after that: %v", err)
	}
	if got := keys(t, ix, query.Match{Field: "title", Text: "20050"}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}
