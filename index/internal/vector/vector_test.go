package vector

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/pagefile"
)

// clustered makes vectors as models do: around centres, in fewer directions than numbers.
func clustered(seed uint64, n, dims int) [][]float32 {
	rnd := rand.New(rand.NewPCG(seed, 1))
	of := rand.New(rand.NewPCG(99, uint64(dims))) // the space is the same for all seeds
	const inner, centres = 24, 64
	basis, middle := make([][]float64, inner), make([][]float64, centres)
	for i := range basis {
		basis[i] = normal(of, dims)
	}
	for i := range middle {
		middle[i] = normal(of, inner)
	}
	out := make([][]float32, n)
	for i := range out {
		at, off := middle[rnd.IntN(centres)], normal(rnd, inner)
		v := make([]float32, dims)
		for j := range basis {
			x := at[j] + 0.7*off[j]
			for k, y := range basis[j] {
				v[k] += float32(x * y)
			}
		}
		for k := range v {
			v[k] += float32(0.3 * rnd.NormFloat64())
		}
		out[i] = v
	}
	return out
}

func normal(rnd *rand.Rand, n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rnd.NormFloat64()
	}
	return v
}

func never() error { return nil }

// given yields vectors for every step-th document.
func given(all [][]float32, step int) Vectors {
	return func(yield func(uint32, []byte) bool) {
		for i, v := range all {
			if v != nil && !yield(uint32(i*step), AppendFloats(nil, v)) {
				return
			}
		}
	}
}

func written(t testing.TB, o Options, docs int, vectors Vectors, from *Source) []byte {
	t.Helper()
	var out bytes.Buffer
	w := pagefile.NewWriter(&out, 1)
	if err := cmp.Or(Write(w, 3, o, docs, vectors, from, never), w.Finish()); err != nil {
		t.Fatal(err)
	}
	return append(out.Bytes(), make([]byte, pagefile.Padding)...)[:out.Len()]
}

func opened(t testing.TB, b []byte, docs int) *Reader {
	t.Helper()
	f, err := pagefile.Open(b)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Open(f, 3, uint32(docs))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// scored by the definition, in another order and with more digits.
func reference(by Similarity, a, b []float32) float64 {
	var dot, aa, bb, dd float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb, dd = dot+x*y, aa+x*x, bb+y*y, dd+(x-y)*(x-y)
	}
	switch {
	case by == Dot && dot < 0:
		return 1 / (1 - dot)
	case by == Dot:
		return 1 + dot
	case by == Euclidean:
		return 1 / (1 + dd)
	case aa == 0 || bb == 0:
		return 0.5
	}
	return (1 + dot/math.Sqrt(aa*bb)) / 2
}

// An exact search finds what a look at all vectors finds, for every similarity, number of
// dimensions, filter and place of the vectors.
func TestExact(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 1))
	for round := range 60 {
		by, dims, n, step := Similarity(round%3), 1+rnd.IntN(70), rnd.IntN(300), 1+rnd.IntN(3)
		all := make([][]float32, n)
		for i := range all {
			if all[i] = make([]float32, dims); rnd.IntN(20) == 0 {
				continue // zeros
			}
			for j := range all[i] {
				all[i][j] = float32(rnd.IntN(9) - 4) // so that scores are equal now and then
			}
		}
		docs := n*step + rnd.IntN(2)
		r := opened(t, written(t, Options{Dims: dims, Similarity: by}, docs, given(all, step), nil), docs)
		if err := r.Verify(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := Search{Vector: make([]float32, dims), K: 1 + rnd.IntN(40), Check: never}
		for j := range s.Vector {
			s.Vector[j] = float32(rnd.NormFloat64())
		}
		if s.Deleted = bitset.New(uint32(docs) + 1); rnd.IntN(2) == 0 {
			s.Filter = bitset.New(uint32(docs) + 1)
		}
		share := rnd.Float64()
		for doc := range uint32(docs) {
			if s.Filter != nil && rnd.Float64() < share {
				s.Filter.Add(doc)
			}
			if rnd.IntN(10) == 0 {
				s.Deleted.Add(doc)
			}
		}
		hits, err := r.Nearest(s)
		if err != nil {
			t.Fatal(err)
		}
		var want []Hit
		for i, v := range all {
			doc := uint32(i * step)
			got, err := r.At(doc)
			if err != nil || !slices.Equal(got, v) || !r.Has(doc) {
				t.Fatalf("document %d has %v, not %v: %v", doc, got, v, err)
			}
			if s.allowed(doc) {
				want = append(want, Hit{doc, newScorer(by, s.Vector).score(AppendFloats(nil, v))})
			}
			if ref, got := reference(by, s.Vector, v), newScorer(by, s.Vector).score(AppendFloats(nil, v)); math.Abs(ref-got) > 1e-5*(1+ref) || got < 0 {
				t.Fatalf("%v: %v scores %v, not %v", by, v, got, ref)
			}
		}
		slices.SortStableFunc(want, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
		if want = want[:min(len(want), s.K)]; !slices.Equal(hits, want) {
			t.Fatalf("round %d: %v, not %v", round, hits, want)
		}
	}
}

// recall is how many of the nearest are found.
func recall(t testing.TB, r *Reader, queries [][]float32, s Search) float64 {
	t.Helper()
	found, all := 0, 0
	for _, v := range queries {
		s.Vector, s.Check = v, never
		s.Exact = true
		want, err := r.Nearest(s)
		if err != nil {
			t.Fatal(err)
		}
		s.Exact = false
		got, err := r.Nearest(s)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("%d hits, not %d", len(got), len(want))
		}
		for _, h := range got {
			if slices.Contains(want, h) { // with the same score
				found++
			}
		}
		all += len(want)
	}
	return float64(found) / float64(max(all, 1))
}

// A search of the graph finds nearly all, with filters of any size and documents deleted.
func TestApproximate(t *testing.T) {
	t.Parallel()
	n := 12000
	if testing.Short() {
		n = 3000
	}
	for _, by := range []Similarity{Cosine, Dot, Euclidean} {
		all := clustered(1, n, 40)
		r := opened(t, written(t, Options{Dims: 40, Similarity: by, Approximate: true}, n, given(all, 1), nil), n)
		if !r.Graph() {
			t.Fatal("no graph")
		}
		if err := r.Verify(t.Context()); err != nil {
			t.Fatal(err)
		}
		queries := clustered(2, 50, 40)
		deleted := bitset.New(uint32(n))
		for doc := range uint32(n / 10) {
			deleted.Add(doc * 7)
		}
		for _, percent := range []int{0, 1, 10, 50, 95} {
			s := Search{K: 10, Candidates: 100, Deleted: deleted}
			if percent > 0 {
				s.Filter = bitset.New(uint32(n))
				for doc := range uint32(n) {
					if int(doc*2654435761>>16)%100 < percent {
						s.Filter.Add(doc)
					}
				}
			}
			if got := recall(t, r, queries, s); got < 0.97 {
				t.Errorf("%v, filter of %d %%: recall %.3f", by, percent, got)
			}
		}
	}
}

// The same vectors give the same bytes.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	o := Options{Dims: 16, Approximate: true, M: 8, EfConstruction: 40}
	all := clustered(1, leastGraph+100, 16)
	body := func() []byte {
		b := written(t, o, len(all), given(all, 1), nil)
		return b[:len(b)/2] // the end has a random ID
	}
	if !bytes.Equal(body(), body()) {
		t.Error("two graphs of the same vectors differ")
	}
}

// A graph that was merged finds what one that was built anew does.
func TestMerged(t *testing.T) {
	t.Parallel()
	o := Options{Dims: 24, Similarity: Euclidean, Approximate: true}
	const n = 4000
	all := clustered(3, n, 24)
	// Two of three documents come from one source, interleaved with the others.
	first := make([][]float32, 0, n)
	to := []uint32{}
	for i, v := range all {
		if i%3 != 0 {
			first, to = append(first, v), append(to, uint32(i))
		}
	}
	source := opened(t, written(t, o, len(first), given(first, 1), nil), len(first))
	for name, from := range map[string]*Source{"taken over": {source, to}, "built anew": nil} {
		r := opened(t, written(t, o, n, given(all, 1), from), n)
		if err := r.Verify(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := recall(t, r, clustered(4, 50, 24), Search{K: 10, Candidates: 100}); got < 0.97 {
			t.Errorf("%s: recall %.3f", name, got)
		}
	}
	// With a document deleted it is built anew.
	to[5] = Gone
	without := slices.Clone(all)
	without[7] = nil
	r := opened(t, written(t, o, n, given(without, 1), &Source{source, to}), n)
	if err := r.Verify(t.Context()); err != nil || r.Len() != n-1 {
		t.Error(r.Len(), err)
	}
}

// Codes say nearly how near vectors are.
func TestCodes(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		dims := 1 + rnd.IntN(200)
		a, b := make([]float32, dims), make([]float32, dims)
		for i := range a {
			a[i], b[i] = float32(rnd.NormFloat64()*3), float32(rnd.NormFloat64()/2)
		}
		if rnd.IntN(9) == 0 {
			clear(a)
		}
		o := Options{Dims: dims, Similarity: Dot}
		ra, rb := appendCodes(nil, Dot, a), appendCodes(nil, Dot, b)
		var c code
		c.set(o, ra)
		sum, coarse := 0.0, 0.0
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
			coarse += float64(int(ra[codesHead+i])-codeZero) * float64(int(rb[codesHead+i])-codeZero)
		}
		got := float64(c.near(rb))
		if exact := coarse * float64(number(ra[4:])) * float64(number(rb[4:])); math.Abs(got-exact) > 1e-4*(1+math.Abs(exact)) {
			t.Fatalf("%d codes multiply to %v, not %v", dims, got, exact)
		}
		length := math.Sqrt(float64(squares(a)) * float64(squares(b)))
		if math.Abs(got-sum) > 0.04*length {
			t.Fatalf("codes say %v, which is %v", got, sum)
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	all := clustered(1, leastGraph, 8)
	o := Options{Dims: 8, Approximate: true}
	stop := errors.New("stop")
	steps := 0
	err := Write(pagefile.NewWriter(new(bytes.Buffer), 1), 3, o, len(all), given(all, 1), nil, func() error {
		if steps++; steps > leastGraph+100 {
			return stop
		}
		return nil
	})
	if err != stop {
		t.Error(err)
	}
	r := opened(t, written(t, o, len(all), given(all, 1), nil), len(all))
	for _, exact := range []bool{false, true} {
		if _, err := r.Nearest(Search{Vector: all[0], K: 3, Candidates: 1500, Exact: exact, Check: func() error { return stop }}); err != stop {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Verify(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
