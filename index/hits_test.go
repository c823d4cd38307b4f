package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/index/internal/collect"
	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/query"
)

// storedWorld is an index of a few segments with stored fields of all sizes, which lie in
// another order than the documents, and columns.
func storedWorld(t testing.TB, opt Options, docs int) *Index {
	opt.Schema = Schema{
		{Name: "title", Stored: true}, {Name: "body", Stored: true}, {Name: "tag", Kind: Keyword, Column: true},
		{Name: "n", Kind: Integer}, {Name: "at", Kind: Time}, {Name: "x", Kind: Float},
	}
	ix, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := rand.New(rand.NewPCG(3, uint64(docs)))
	for i, n := range r.Perm(docs) {
		d := storedDocument(n)
		if err := w.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		switch i {
		case docs / 3:
			err = w.Merge(t.Context())
		case docs / 2:
			err = w.Commit(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for n := range docs / 20 {
		if err := w.Delete(t.Context(), fmt.Sprintf("%06d", n*19)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ix
}

func storedDocument(n int) Document {
	r := rand.New(rand.NewPCG(uint64(n), 4))
	d := Document{Key: fmt.Sprintf("%06d", n), Fields: []Field{{"title", fmt.Sprint("page ", n)}, {"n", n}}}
	if n%3 > 0 {
		d.Fields = append(d.Fields, Field{"body", strings.Repeat(fmt.Sprintf("word%d all ", n%7), 1+r.IntN(300))})
	}
	if n%5 > 0 {
		d.Fields = append(d.Fields, Field{"tag", []string{fmt.Sprint("t", n%11), fmt.Sprint("u", n%13)}}, Field{"x", float64(n) / 4})
	}
	if n%2 > 0 {
		d.Fields = append(d.Fields, Field{"at", time.Unix(int64(n), 0).UTC()})
	}
	return d
}

// The fields of hits are those of their documents, whatever the order of the hits, of
// the documents and of what is stored.
func TestHitsHaveTheirFields(t *testing.T) {
	t.Parallel()
	for _, order := range []Order{ByKey, ByHost, AsGiven, ByColumn} {
		ix := storedWorld(t, Options{Order: order, OrderColumn: map[Order]string{ByColumn: "n"}[order]}, 900)
		for _, opt := range []SearchOptions{
			{}, {Sort: []SortBy{{Field: "n", Descending: true}}}, {Sort: []SortBy{{Field: "x"}}, Offset: 100}, {CountUpTo: 1, Offset: 7},
		} {
			for _, fields := range [][]string{{"title"}, {"body"}, {"n"}, {"tag", "at"}, {"title", "body", "tag", "n", "at", "x"}} {
				opt.Limit, opt.Fields = 700, fields
				res, err := ix.Search(t.Context(), query.Match{Text: "page"}, opt)
				if err != nil {
					t.Fatal(err)
				}
				if len(res.Hits) < 600 {
					t.Fatal(len(res.Hits), "hits")
				}
				for _, h := range res.Hits {
					var n int
					fmt.Sscanf(h.Key, "%06d", &n)
					want := map[string]any{}
					for _, f := range storedDocument(n).Fields {
						for _, name := range fields {
							if f.Name == name {
								want[name] = shownValue(f.Value)
							}
						}
					}
					if len(h.Fields)+len(want) > 0 && !reflect.DeepEqual(h.Fields, want) {
						t.Fatalf("%v, %v: %s has %.200v, not %.200v", order, fields, h.Key, h.Fields, want)
					}
				}
			}
		}
	}
}

// shownValue is a value as hits have it.
func shownValue(v any) any {
	if n, ok := v.(int); ok {
		return int64(n)
	}
	return v
}

// A search unpacks each block of stored fields at most once, and those of large values
// only when they are asked for.
func TestHitsUnpackBlocksOnce(t *testing.T) {
	t.Parallel()
	for _, order := range []Order{ByKey, AsGiven} {
		ix := storedWorld(t, Options{Order: order}, 3000)
		s, err := ix.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		all := map[string]int{} // blocks there are
		for _, v := range s.commit.Views {
			walk := v.Seg.Walk()
			order, err := shownOf(s.commit, []string{"title"}).order(everyDocument(v))
			if err != nil {
				t.Fatal(err)
			}
			for _, doc := range order {
				if _, err := walk.Values(uint32(doc), func(field int) bool { return field == 0 }); err != nil {
					t.Fatal(err)
				}
			}
			all["title"] += walk.Unpacked()
			for _, doc := range order {
				if _, _, err := walk.Record(uint32(doc)); err != nil {
					t.Fatal(err)
				}
			}
			all["body"] += walk.Unpacked()
		}
		if all["title"] < 3 || all["body"] < 3*all["title"] {
			t.Fatal("blocks", all)
		}
		for field, most := range all {
			for _, sort := range [][]SortBy{nil, {{Field: "x"}}} {
				var done exec.Work
				res, err := s.Search(t.Context(), query.All{}, SearchOptions{Limit: 3000, Sort: sort, Fields: []string{field}, test: exec.TestOptions{Work: &done}})
				if err != nil || len(res.Hits) < 2500 {
					t.Fatal(len(res.Hits), err)
				}
				if done.Records > most {
					t.Errorf("%v: %d hits with their %s unpack %d blocks of %d", order, len(res.Hits), field, done.Records, most)
				}
			}
		}
	}
}

func everyDocument(v *commit.View) (all []collect.Found) {
	for doc := range v.Seg.Docs {
		all = append(all, collect.Found{Doc: doc})
	}
	return all
}

// ends is a context that is done after some looks at it.
type ends struct {
	context.Context
	after int
}

var errEnds = errors.New("ends")

func (e *ends) Err() error {
	if e.after--; e.after < 0 {
		return errEnds
	}
	return nil
}

// A search whose context ends while fields are read returns the first hits with all
// their fields if it is to answer in part, and else the cause.
func TestHitsOfAPart(t *testing.T) {
	t.Parallel()
	ix := storedWorld(t, Options{}, 2000)
	partial := 0
	for after := range 60 {
		opt := SearchOptions{Limit: 1500, CountUpTo: 1, Fields: []string{"title"}, Effort: Effort{Partial: true, Threads: 1}}
		res, err := ix.Search(&ends{t.Context(), after}, query.All{}, opt)
		if err != nil {
			t.Fatal(err)
		}
		if res.Partial && len(res.Hits) > 0 {
			partial++
		}
		if !res.Partial && len(res.Hits) != 1500 {
			t.Errorf("%d hits of a whole answer", len(res.Hits))
		}
		for _, h := range res.Hits {
			if h.Text("title") == "" {
				t.Fatalf("after %d looks: %s without its title", after, h.Key)
			}
		}
		opt.Effort.Partial = false
		if whole, err := ix.Search(&ends{t.Context(), after}, query.All{}, opt); err == nil && len(whole.Hits) != 1500 {
			t.Errorf("after %d looks: %d hits and no error", after, len(whole.Hits))
		}
	}
	if partial < 5 {
		t.Errorf("only %d answers were partial", partial)
	}
}

// BenchmarkHits compares pages of hits with a small field, and with columns.
func BenchmarkHits(b *testing.B) {
	ix := storedWorld(b, Options{}, 20_000)
	s, err := ix.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, limit := range []int{10, 500} {
		for _, fields := range [][]string{nil, {"title"}, {"n", "tag"}, {"body"}} {
			b.Run(fmt.Sprintf("%d/%v", limit, fields), func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Search(b.Context(), query.Match{Field: "body", Text: "word3"}, SearchOptions{Limit: limit, CountUpTo: 1, Fields: fields}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
