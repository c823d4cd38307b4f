package index_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// ownScorer is a scorer whose parameters an index cannot keep.
type ownScorer struct{}

func (ownScorer) Term(rank.Stats) rank.Score {
	return func(tf, length uint32) float64 { return float64(tf) }
}

// manyScorers returns the scorers of package rank with parameters of all sorts.
func manyScorers() (all []rank.Scorer) {
	numbers := []float64{0, 0.3, 1.75, -1, 1e9, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat64}
	for i, x := range numbers {
		y := numbers[(i+2)%len(numbers)]
		for _, idf := range []rank.IDF{rank.Probabilistic, rank.LogRatio} {
			all = append(all, rank.BM25{K1: x, B: y, IDF: idf}, &rank.BM25{K1: y, B: x, IDF: idf},
				rank.BM25F{K1: x, B: y, IDF: idf}, &rank.BM25F{K1: 2, B: 0.5, Fields: map[string]float64{"title": x, "body": y}, IDF: idf})
		}
	}
	for _, name := range rank.ScorerNames() {
		s, err := rank.ParseScorer(name)
		if err != nil {
			panic(err)
		}
		all = append(all, s)
	}
	return append(all, rank.TFIDF{}, &rank.TFIDF{}, rank.TFIDF{IDF: rank.LogRatio}, rank.BM25{IDF: 7})
}

func scorerDocs() []index.Document {
	var docs []index.Document
	for i, s := range []string{"fox", "fox fox fox dog", "dog and a fox and many other words", "dog", "cat"} {
		docs = append(docs, index.Document{Key: string(rune('a' + i)), Fields: []index.Field{{Name: "title", Value: s}, {Name: "body", Value: s + " dog fox " + s}}})
	}
	return docs
}

// ranked returns the hits of a query and the kinds of its warnings.
func ranked(t *testing.T, of index.Searcher, scorer rank.Scorer) (hits []index.Hit, warnings []query.WarningKind) {
	t.Helper()
	res, err := of.Search(t.Context(), query.Or{query.Match{Text: "fox"}, query.Match{Text: "dog"}}, index.SearchOptions{Scorer: scorer})
	must(t, err)
	for _, w := range res.Warnings {
		warnings = append(warnings, w.Kind)
	}
	return res.Hits, warnings
}

// An index that is opened without a scorer ranks as the one that made it, to the last
// bit, and so do its backup and what is salvaged of it.
func TestScorerIsKept(t *testing.T) {
	t.Parallel()
	for _, scorer := range manyScorers() {
		dir := t.TempDir()
		ix := opens(t, dir, index.Options{Scorer: scorer})
		put(t, ix, scorerDocs()...)
		want, _ := ranked(t, ix, scorer)
		s, err := ix.Snapshot()
		must(t, err, s.Backup(t.Context(), filepath.Join(dir, "backup")), s.Close(), ix.Close())
		_, err = index.Salvage(t.Context(), dir, filepath.Join(dir, "salvaged"), index.Options{})
		must(t, err)
		for _, of := range []string{"", "backup", "salvaged"} {
			again := opens(t, filepath.Join(dir, of), index.Options{})
			if got, warnings := ranked(t, again, nil); !reflect.DeepEqual(got, want) || warnings != nil {
				t.Errorf("%#v, %s: ranks as %v, want %v; %v", scorer, of, got, want, warnings)
			}
			put(t, again, index.Document{Key: "z"}) // a writer that knows nothing of it keeps it
			again.Close()
			again = opens(t, filepath.Join(dir, of), index.Options{})
			got, _ := ranked(t, again, nil)
			if want, _ := ranked(t, again, scorer); !reflect.DeepEqual(got, want) {
				t.Errorf("%#v, %s: after another commit it ranks as %v, want %v", scorer, of, got, want)
			}
			again.Close()
		}
	}
}

// Where the commit is lost, the scorer of Options is kept with what is salvaged.
func TestScorerOfLostCommit(t *testing.T) {
	t.Parallel()
	dir, scorer := t.TempDir(), rank.BM25F{K1: 3, Fields: map[string]float64{"title": 0.1}}
	ix := opens(t, dir, index.Options{})
	put(t, ix, scorerDocs()...)
	want, _ := ranked(t, ix, scorer)
	schema := ix.Schema()
	must(t, ix.Close())
	commits, err := filepath.Glob(filepath.Join(dir, "commit-*"))
	must(t, err)
	for _, name := range commits {
		must(t, os.Remove(name))
	}
	to := filepath.Join(t.TempDir(), "salvaged")
	report, err := index.Salvage(t.Context(), dir, to, index.Options{Schema: schema, Scorer: scorer})
	must(t, err)
	if !report.NoCommit {
		t.Error("the commit was not lost")
	}
	if got, warnings := ranked(t, opens(t, to, index.Options{}), nil); !reflect.DeepEqual(got, want) || warnings != nil {
		t.Errorf("ranks as %v, want %v; %v", got, want, warnings)
	}
}

// The scorer that is kept is that of the last writer that names one; who reads with
// another one changes nothing. Readers follow the commit that they read.
func TestScorerIsChanged(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := rank.BM25{K1: 3}, rank.TFIDF{}
	ix := opens(t, dir, index.Options{Scorer: first})
	put(t, ix, scorerDocs()...)
	must(t, ix.Close())
	reader := opens(t, dir, index.Options{})
	asFirst, _ := ranked(t, reader, first)
	asSecond, _ := ranked(t, reader, second)
	if reflect.DeepEqual(asFirst, asSecond) {
		t.Fatal("both rank alike")
	}
	before, err := reader.Snapshot()
	must(t, err)
	defer before.Close()
	other := opens(t, dir, index.Options{Scorer: second})
	for _, of := range []struct {
		name string
		index.Searcher
		want []index.Hit
	}{{"kept", reader, asFirst}, {"options", other, asSecond}} {
		if got, _ := ranked(t, of, nil); !reflect.DeepEqual(got, of.want) {
			t.Errorf("%s: %v, want %v", of.name, got, of.want)
		}
	}
	w, err := other.Writer()
	must(t, err, w.Commit(t.Context()), w.Close()) // there is nothing else to commit
	for _, of := range []struct {
		name string
		index.Searcher
		want []index.Hit
	}{{"later", reader, asSecond}, {"snapshot", before, asFirst}} {
		if got, _ := ranked(t, of, nil); !reflect.DeepEqual(got, of.want) {
			t.Errorf("%s: %v, want %v", of.name, got, of.want)
		}
	}
}

// A scorer of another type cannot be kept, and what ranks without it says so.
func TestOwnScorer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{Scorer: ownScorer{}})
	put(t, ix, scorerDocs()...)
	own, warnings := ranked(t, ix, nil)
	if warnings != nil {
		t.Errorf("with the scorer: %v", warnings)
	}
	must(t, ix.Close())
	ix = opens(t, dir, index.Options{})
	want, warnings := ranked(t, ix, rank.BM25F{})
	if warnings != nil || reflect.DeepEqual(own, want) {
		t.Errorf("with another: %v", warnings)
	}
	res, err := ix.Search(t.Context(), query.Match{Text: "fox"}, index.SearchOptions{})
	must(t, err)
	const text = "the index was made with the scorer index_test.ownScorer, which is not kept with it: rank.BM25F ranks unless Options.Scorer is set"
	if len(res.Warnings) != 1 || res.Warnings[0] != (query.Warning{Kind: query.WarnNoScorer, Text: text}) {
		t.Errorf("%+v", res.Warnings)
	}
	if got, _ := ranked(t, ix, nil); !reflect.DeepEqual(got, want) {
		t.Errorf("without: %v, want %v", got, want)
	}
	must(t, ix.Close())
	if got, warnings := ranked(t, opens(t, dir, index.Options{Scorer: ownScorer{}}), nil); warnings != nil || !reflect.DeepEqual(got, own) {
		t.Errorf("given again: %v, %v", got, warnings)
	}
}

// Whatever scores, the explanation has the score of the hit, also over several segments and
// deleted documents.
func TestEveryScorerIsExplained(t *testing.T) {
	t.Parallel()
	ix := memory(t, index.Options{})
	put(t, ix, scorerDocs()...)
	put(t, ix, scorerDocs()[1:3]...) // which replaces some
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	for _, scorer := range manyScorers() {
		for _, q := range []query.Query{query.Match{Text: "fox"}, query.Phrase{Text: "fox dog"}, query.Fuzzy{Text: "fix"}, query.Prefix{Text: "d"}, query.Or{query.Term{Text: "fox"}, query.Term{Field: "title", Text: "cat"}}} {
			opt := index.SearchOptions{Scorer: scorer}
			res, err := s.Search(t.Context(), q, opt)
			must(t, err)
			if len(res.Hits) == 0 {
				t.Fatalf("%s finds nothing", q)
			}
			for _, h := range res.Hits {
				ex, ok, err := s.Explain(t.Context(), q, h.Key, opt)
				if err != nil || !ok || ex.Value != h.Score || math.IsNaN(h.Score) {
					t.Errorf("%#v, %s, %s: scored %v, explained %v, %v", scorer, q, h.Key, h.Score, ex, err)
				}
			}
		}
	}
}
