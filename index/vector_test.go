package index_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// withVectors is a schema with an exact and an approximate field.
func withVectors(dims int, by index.Similarity) index.Schema {
	return index.Schema{
		{Name: "body", Stored: true},
		{Name: "site", Kind: index.Keyword, Stored: true},
		{Name: "exact", Kind: index.Vector, Vectors: index.VectorOptions{Dims: dims, Similarity: by}},
		{Name: "near", Kind: index.Vector, Vectors: index.VectorOptions{Dims: dims, Similarity: by, Approximate: true, M: 8, EfConstruction: 40}},
	}
}

func vectorDoc(i int, v []float32) index.Document {
	return index.Document{Key: fmt.Sprintf("v%d", i), Fields: []index.Field{
		{Name: "body", Value: fmt.Sprintf("body w%d", i%7)},
		{Name: "site", Value: fmt.Sprintf("s%d", i%10)},
		{Name: "exact", Value: v},
		{Name: "near", Value: v},
	}}
}

func randomVector(rnd *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(rnd.IntN(7) - 3)
	}
	return v
}

// nearness is the score by the definition.
func nearness(by index.Similarity, a, b []float32) float64 {
	var dot, aa, bb, dd float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb, dd = dot+x*y, aa+x*x, bb+y*y, dd+(x-y)*(x-y)
	}
	switch {
	case by == index.Dot && dot < 0:
		return 1 / (1 - dot)
	case by == index.Dot:
		return 1 + dot
	case by == index.Euclidean:
		return 1 / (1 + dd)
	case aa == 0 || bb == 0:
		return 0.5
	}
	return min(max((1+dot/math.Sqrt(aa*bb))/2, 0), 1)
}

func searched(t testing.TB, s index.Searcher, q query.Query, opt index.SearchOptions) *index.Results {
	t.Helper()
	res, err := s.Search(t.Context(), q, opt)
	must(t, err)
	if len(res.Warnings) > 0 {
		t.Fatal(res.Warnings)
	}
	return res
}

// A KNN finds what a look at all documents finds, however these lie in segments, whatever
// was added again, deleted, set and merged, and every score is explained.
func TestKNN(t *testing.T) {
	t.Parallel()
	rounds := 30
	if testing.Short() {
		rounds = 6
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range rounds {
		by, dims := index.Similarity(round%3), 1+rnd.IntN(9)
		order := index.Order(rnd.IntN(2)) * index.AsGiven
		open := func() (*index.Index, *index.Writer) {
			ix, err := index.New(index.Options{Schema: withVectors(dims, by), Order: order, KeepUnchanged: rnd.IntN(2) == 0})
			must(t, err)
			return ix, writer(t, ix)
		}
		ix, w := open()
		have := map[string]index.Document{}
		for range 1 + rnd.IntN(6) {
			for range rnd.IntN(60) {
				d := vectorDoc(rnd.IntN(150), randomVector(rnd, dims))
				if rnd.IntN(6) == 0 {
					d.Fields = d.Fields[:2] // without vectors
				}
				have[d.Key] = d
				must(t, w.Add(t.Context(), d))
			}
			for range rnd.IntN(8) {
				key := fmt.Sprintf("v%d", rnd.IntN(150))
				delete(have, key)
				must(t, w.Delete(t.Context(), key))
			}
			if rnd.IntN(4) == 0 {
				must(t, w.Merge(t.Context()))
			} else {
				must(t, w.Commit(t.Context()))
			}
		}
		one, single := open()
		for _, d := range have {
			must(t, single.Add(t.Context(), d))
		}
		must(t, single.Merge(t.Context()), single.Close())
		s, err := ix.Snapshot()
		must(t, err)
		must(t, s.Verify(t.Context()))
		for key, want := range have {
			got, ok, err := s.Document(key)
			must(t, err)
			if !ok || fmt.Sprint(got.Fields) != fmt.Sprint(want.Fields) {
				t.Fatalf("%s is %v, not %v", key, got, want)
			}
		}
		for range 10 {
			q := query.KNN{Field: []string{"exact", "near"}[rnd.IntN(2)], Vector: randomVector(rnd, dims), K: 1 + rnd.IntN(30), Exact: rnd.IntN(2) == 0}
			if rnd.IntN(2) == 0 {
				q.Filter = query.Or{query.Term{Field: "site", Text: "s3"}, query.Not{Query: query.Term{Field: "body", Text: "w2"}}}
			}
			var want []index.Hit
			for key, d := range have {
				if len(d.Fields) < 4 || q.Filter != nil && d.Text("site") != "s3" && d.Text("body") == "body w2" {
					continue
				}
				want = append(want, index.Hit{Key: key, Score: nearness(by, q.Vector, d.Fields[2].Value.([]float32))})
			}
			slices.SortFunc(want, func(a, b index.Hit) int {
				if math.Abs(a.Score-b.Score) > 1e-6*(1+a.Score) {
					return cmp.Compare(b.Score, a.Score)
				}
				return 0
			})
			got := searched(t, s, q, index.SearchOptions{Limit: math.MaxInt, Fields: []string{"exact"}})
			same := searched(t, one, q, index.SearchOptions{Limit: math.MaxInt, Fields: []string{"exact"}})
			if fmt.Sprint(got.Hits) != fmt.Sprint(same.Hits) {
				t.Fatalf("round %d: %v: by many segments\n%v\nby one\n%v", round, q, got.Hits, same.Hits)
			}
			if len(got.Hits) != min(len(want), q.K) || got.Total.Value != len(got.Hits) {
				t.Fatalf("%v: %d hits of %d, %d counted", q, len(got.Hits), len(want), got.Total.Value)
			}
			for i, h := range got.Hits {
				if math.Abs(h.Score-want[i].Score) > 1e-6*(1+h.Score) {
					t.Fatalf("round %d: %v: hit %d is %v, not %v", round, q, i, h, want[i])
				}
				if i > 0 && (h.Score > got.Hits[i-1].Score || h.Score == got.Hits[i-1].Score && h.Key < got.Hits[i-1].Key) {
					t.Fatalf("%v: hits are not in order: %v", q, got.Hits)
				}
				ex, ok, err := s.Explain(t.Context(), q, h.Key, index.SearchOptions{})
				must(t, err)
				if !ok || ex.Value != h.Score {
					t.Fatalf("%v: %s scores %v and is explained as %v", q, h.Key, h.Score, ex)
				}
			}
			if n := searched(t, s, q, index.SearchOptions{Limit: -1}).Total.Value; n != len(got.Hits) {
				t.Fatalf("%v: counted %d of %d", q, n, len(got.Hits))
			}
		}
		with := 0
		for _, d := range have {
			with += len(d.Fields) / 4
		}
		if n := len(keysOf(t, s, query.Exists{Field: "near"})); n != with {
			t.Fatalf("%d documents have vectors, not %d", n, with)
		}
		must(t, s.Close(), w.Close(), ix.Close(), one.Close())
	}
}

// A KNN scores within other queries as it does alone, also where searches leave out what
// cannot be among the best.
func TestKNNWithin(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	ix, err := index.New(index.Options{Schema: withVectors(4, index.Cosine)})
	must(t, err)
	w := writer(t, ix)
	for i := range 900 {
		must(t, w.Add(t.Context(), vectorDoc(i, randomVector(rnd, 4))))
		if i%200 == 199 {
			must(t, w.Commit(t.Context()))
		}
	}
	must(t, w.Commit(t.Context()))
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	scores := func(q query.Query) map[string]float64 {
		out := map[string]float64{}
		for _, h := range searched(t, s, q, index.SearchOptions{Limit: math.MaxInt}).Hits {
			out[h.Key] = h.Score
		}
		return out
	}
	for range 20 {
		knn := query.KNN{Field: "near", Vector: randomVector(rnd, 4), K: 40}
		word := query.Match{Text: fmt.Sprintf("w%d", rnd.IntN(7))}
		near, words := scores(knn), scores(word)
		either, both, not := scores(query.Or{word, query.Boost{Query: knn, By: 2}}), scores(query.And{word, knn}), scores(query.And{word, query.Not{Query: knn}})
		filtered := scores(query.And{word, query.Boost{Query: knn, By: 0}})
		for i := range 900 {
			key := fmt.Sprintf("v%d", i)
			n, isNear := near[key]
			m, matches := words[key]
			e, isEither := either[key]
			b, isBoth := both[key]
			f, isFiltered := filtered[key]
			_, isNot := not[key]
			if isEither != (isNear || matches) || isBoth != (isNear && matches) || isNot != (matches && !isNear) || isFiltered != isBoth {
				t.Fatalf("%s matches otherwise within another query", key)
			}
			if isEither && e != m+2*n || isBoth && b != m+n || isFiltered && f != m {
				t.Fatalf("%s scores %v, %v, %v for %v and %v", key, e, b, f, m, n)
			}
		}
		q := query.Or{word, query.Boost{Query: knn, By: 2}}
		all := searched(t, s, q, index.SearchOptions{Limit: math.MaxInt})
		best := searched(t, s, q, index.SearchOptions{Limit: 12, CountUpTo: -1})
		if fmt.Sprint(best.Hits) != fmt.Sprint(all.Hits[:12]) {
			t.Fatalf("the best are %v, not %v", best.Hits, all.Hits[:12])
		}
		page := searched(t, s, q, index.SearchOptions{Limit: 5})
		next := searched(t, s, q, index.SearchOptions{Limit: 7, After: page.Next})
		if fmt.Sprint(slices.Concat(page.Hits, next.Hits)) != fmt.Sprint(all.Hits[:12]) {
			t.Fatal("pages are not the whole")
		}
	}
}

// What is no vector of the field is refused with an error that says so, and nothing is lost.
func TestVectorErrors(t *testing.T) {
	t.Parallel()
	ix, err := index.New(index.Options{Schema: withVectors(3, index.Dot)})
	must(t, err)
	w := writer(t, ix)
	must(t, w.Add(t.Context(), vectorDoc(1, []float32{1, 2, 3})))
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range []any{[]float32{1, 2}, []float32{1, 2, 3, 4}, []float32{}, []float32{1, 2, nan}, []float32{1, 2, inf}, []float32{1, 2, 1e30}, []float64{1, 2, 3}, "1 2 3", 1.5} {
		d := vectorDoc(1, nil)
		d.Fields[2].Value = v
		err := w.Add(t.Context(), d)
		if of, ok := errors.AsType[*index.SchemaError](err); !ok || of.Field != "exact" {
			t.Errorf("%v: %v", v, err)
		}
	}
	d := vectorDoc(1, []float32{4, 5, 6})
	d.Fields = append(d.Fields, d.Fields[3])
	if _, ok := errors.AsType[*index.SchemaError](w.Add(t.Context(), d)); !ok {
		t.Error("two vectors of one field are taken")
	}
	if _, err := w.Set(t.Context(), "v1", index.Field{Name: "exact", Value: []float32{1, 2, 3}}); err == nil {
		t.Error("a vector is set")
	}
	none := vectorDoc(2, nil)
	none.Fields[2].Value, none.Fields[3].Value = nil, nil
	must(t, w.Add(t.Context(), none), w.Commit(t.Context()))
	s, err := ix.Snapshot()
	must(t, err)
	defer s.Close()
	if got := keysOf(t, s, query.KNN{Field: "exact", Vector: []float32{1, 1, 1}}); len(got) != 1 || got[0] != "v1" {
		t.Error(got)
	}
	for _, q := range []query.KNN{
		{Field: "exact", Vector: []float32{1, 2}}, {Field: "exact"}, {Field: "exact", Vector: []float32{1, 2, nan}},
		{Field: "exact", Vector: []float32{1, 2, 3}, K: -1}, {Field: "exact", Vector: []float32{1, 2, 3}, Candidates: -1},
	} {
		if _, err := s.Search(t.Context(), q, index.SearchOptions{}); err == nil {
			t.Errorf("%v is answered", q)
		} else if _, ok := errors.AsType[*query.Error](err); !ok {
			t.Errorf("%v: %v", q, err)
		}
	}
	for _, q := range []query.Query{
		query.KNN{Field: "body", Vector: []float32{1}}, query.KNN{Field: "other", Vector: []float32{1}},
		query.Match{Field: "near", Text: "1"}, query.Term{Field: "near", Text: "1"}, query.Fuzzy{Field: "near", Text: "one"},
		query.Range{Field: "near", From: "1"}, query.Prefix{Field: "near", Text: "1"}, query.Phrase{Field: "near", Text: "1 2"},
	} {
		res, err := s.Search(t.Context(), q, index.SearchOptions{})
		if err != nil || len(res.Hits) > 0 || len(res.Warnings) == 0 {
			t.Errorf("%v: %v, %v", q, res, err)
		}
	}
	if _, err := s.Search(t.Context(), query.All{}, index.SearchOptions{Sort: []index.SortBy{{Field: "near"}}}); err == nil {
		t.Error("documents are sorted by vectors")
	}
	for _, f := range []index.FieldType{
		{Name: "x", Kind: index.Vector}, {Name: "x", Kind: index.Vector, Vectors: index.VectorOptions{Dims: 5000}},
		{Name: "x", Kind: index.Keyword, Vectors: index.VectorOptions{Dims: 3}},
		{Name: "x", Kind: index.Vector, Vectors: index.VectorOptions{Dims: 3, M: 8}},
		{Name: "x", Kind: index.Vector, Vectors: index.VectorOptions{Dims: 3, Similarity: 7}},
	} {
		if _, err := index.New(index.Options{Schema: index.Schema{f}}); err == nil {
			t.Errorf("%+v is taken", f)
		}
	}
}

// An index of an earlier schema takes a field of vectors on; other options than it has are
// refused.
func TestVectorsAdded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := withVectors(2, index.Euclidean)
	ix := opens(t, dir, index.Options{Schema: all[:2]})
	w := writer(t, ix)
	plain := vectorDoc(1, nil)
	plain.Fields = plain.Fields[:2]
	must(t, w.Add(t.Context(), plain), w.Commit(t.Context()), w.Close(), ix.Close())
	ix = opens(t, dir, index.Options{Schema: all})
	if got := keysOf(t, ix, query.KNN{Field: "exact", Vector: []float32{1, 1}}); len(got) > 0 {
		t.Error(got)
	}
	w = writer(t, ix)
	must(t, w.Add(t.Context(), vectorDoc(2, []float32{1, 2})), w.Merge(t.Context()), w.Close())
	if got := keysOf(t, ix, query.KNN{Field: "near", Vector: []float32{1, 1}}); len(got) != 1 {
		t.Error(got)
	}
	must(t, ix.Close())
	other := slices.Clone(all)
	other[2].Vectors.Dims = 3
	if _, err := index.Open(dir, index.Options{Schema: other}); err == nil {
		t.Error("another number of dimensions is taken")
	}
	ix = opens(t, dir, index.Options{})
	if f, _ := ix.Schema().Field("near"); f.Vectors != all[3].Vectors {
		t.Errorf("%+v", f)
	}
}

// Vectors survive damage as other values do: those that can be read are in the new
// index, and what was lost is told of.
func TestSalvageVectors(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	dir := t.TempDir()
	ix := opens(t, dir, index.Options{Schema: withVectors(16, index.Cosine)})
	w := writer(t, ix)
	const n = 2500
	want := make([][]float32, n)
	for i := range want {
		want[i] = randomVector(rnd, 16)
		must(t, w.Add(t.Context(), vectorDoc(i, want[i])))
	}
	must(t, w.Commit(t.Context()))
	backup := filepath.Join(t.TempDir(), "backup")
	s, err := ix.Snapshot()
	must(t, err)
	must(t, s.Backup(t.Context(), backup), s.Close(), w.Merge(t.Context()), w.Close(), ix.Close())
	check := func(name, dir string, least int) {
		ix := opens(t, dir, index.Options{})
		s, err := ix.Snapshot()
		must(t, err)
		defer s.Close()
		must(t, s.Verify(t.Context()))
		found := 0
		for i, v := range want {
			d, ok, err := s.Document(fmt.Sprintf("v%d", i))
			must(t, err)
			for _, f := range d.Fields {
				if f.Name == "near" && ok {
					found++
					if !slices.Equal(f.Value.([]float32), v) {
						t.Fatalf("%s: document %d has another vector", name, i)
					}
				}
			}
		}
		if found < least {
			t.Errorf("%s: %d of %d vectors are left", name, found, n)
		}
		if got := keysOf(t, s, query.KNN{Field: "near", Vector: want[7], K: 5}); len(got) != 5 {
			t.Errorf("%s: found %v", name, got)
		}
	}
	check("backup", backup, n)
	names, err := filepath.Glob(filepath.Join(dir, "segment-*"))
	must(t, err)
	// Some pages in a row, too many to be repaired.
	name := names[len(names)-1]
	b, err := os.ReadFile(name)
	must(t, err)
	for i := len(b) / 2; i < len(b)/2+200_000 && i < len(b)-100_000; i++ {
		b[i] ^= 0x55
	}
	must(t, os.WriteFile(name, b, 0o666))
	to := filepath.Join(t.TempDir(), "saved")
	r, err := index.Salvage(t.Context(), dir, to, index.Options{})
	must(t, err)
	if len(r.Damage) == 0 || r.Docs+len(r.Lost)+r.Unknown != n {
		t.Errorf("%d documents, %d lost, %d unknown: %v", r.Docs, len(r.Lost), r.Unknown, r.Damage)
	}
	check("saved", to, r.Docs-len(r.Incomplete))
}

// vectorVictim adds documents with vectors for ever, in commits of which some merge, so
// that there are graphs. It says after each commit which one it was.
func vectorVictim(dir string) {
	fail := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	ix, err := index.Open(dir, index.Options{Schema: withVectors(6, index.Cosine)})
	fail(err)
	w, err := ix.Writer()
	fail(err)
	s, err := ix.Snapshot()
	fail(err)
	ctx := context.Background()
	for i := s.Docs() / killBatch; ; i++ {
		for j := range killBatch {
			n := i*killBatch + j
			fail(w.Add(ctx, vectorDoc(n, killVector(n))))
		}
		if i%3 == 2 {
			fail(w.Merge(ctx))
		} else {
			fail(w.Commit(ctx))
		}
		fmt.Println(i)
	}
}

const killBatch = 700

// killVector is the vector of a document of a victim.
func killVector(n int) []float32 {
	rnd := rand.New(rand.NewPCG(uint64(n), 9))
	v := make([]float32, 6)
	for i := range v {
		v[i] = float32(rnd.NormFloat64())
	}
	return v
}

// A process that is killed while it adds vectors, or builds a graph of them, leaves its
// last commit, or one that it had no time to tell of, and every vector in it is found.
func TestKilledVectors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	if n, err := strconv.Atoi(os.Getenv(kills)); err == nil {
		rounds = n
	}
	rnd := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	last := -1
	for round := range rounds {
		last = killOne(t, killVec, dir, last, time.Duration(rnd.IntN(1000))*time.Millisecond)
		ix, err := index.Open(dir, index.Options{})
		must(t, err)
		s, err := ix.Snapshot()
		must(t, err)
		must(t, s.Verify(t.Context()))
		commits := s.Docs() / killBatch
		if s.Docs()%killBatch != 0 || commits != last+1 && commits != last+2 {
			t.Fatalf("round %d: %d documents after commit %d", round, s.Docs(), last)
		}
		if n := len(keysOf(t, s, query.Exists{Field: "near"})); n != s.Docs() {
			t.Fatalf("round %d: %d of %d documents have vectors", round, n, s.Docs())
		}
		for range 20 {
			n := rnd.IntN(s.Docs())
			if got := keysOf(t, s, query.KNN{Field: "near", Vector: killVector(n), K: 3}); !slices.Contains(got, fmt.Sprintf("v%d", n)) {
				t.Fatalf("round %d: near document %d are %v", round, n, got)
			}
		}
		must(t, s.Close(), ix.Close())
		last = commits - 1
	}
}
