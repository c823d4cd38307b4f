package bitset_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/webquarry/quarry/index/internal/bitset"
)

func TestExample(t *testing.T) {
	t.Parallel()
	s := bitset.New(100)
	s.Add(10)
	s.Add(3)
	if got := s.Append(nil); !bytes.Equal(got, []byte{0, 3, 7}) {
		t.Errorf("% x", got)
	}
	if s.Add(3) || s.Len() != 2 || s.Has(4) || !s.Has(10) || s.Has(1<<31) {
		t.Error("wrong content")
	}
}

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		n := uint32(1 + rnd.IntN(500))
		s := bitset.New(n)
		for range rnd.IntN(600) {
			s.Add(uint32(rnd.IntN(int(n))))
		}
		b := s.Append([]byte("x"))[1:]
		got, err := bitset.Parse(b, n)
		if err != nil || got.Len() != s.Len() || !slices.Equal(slices.Collect(got.All()), slices.Collect(s.All())) {
			t.Fatalf("n %d: %v, %d of %d", n, err, got.Len(), s.Len())
		}
		c := s.Clone(n)
		if free := slices.Index(slices.Collect(s.All()), 0); free < 0 && c.Add(0) && s.Has(0) {
			t.Fatal("a clone shares its numbers")
		}
	}
	var none *bitset.Set
	if none.Has(0) || none.Len() != 0 || !bytes.Equal(none.Append(nil), []byte{0}) || none.Clone(5).Len() != 0 {
		t.Error("nil is not empty")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte{0, 3, 7}, uint32(100))
	f.Add([]byte{1, 1, 0, 0, 0, 0, 0, 0, 0}, uint32(3))
	f.Fuzz(func(t *testing.T, b []byte, n uint32) {
		n %= 10_000
		s, err := bitset.Parse(b, n)
		if err != nil {
			return
		}
		if k := len(slices.Collect(s.All())); k != s.Len() {
			t.Fatalf("%d numbers, Len %d", k, s.Len())
		}
		for i := range s.All() {
			if i >= n {
				t.Fatalf("%d in a set below %d", i, n)
			}
		}
	})
}

func TestAgainstMap(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		n := 1 + r.Uint32N(500)
		a, b := bitset.New(n), bitset.New(n)
		in, other := map[uint32]bool{}, map[uint32]bool{}
		for range r.IntN(40) {
			i, j := r.Uint32N(n), r.Uint32N(n)
			a.AddAll([]uint32{i, j, i})
			b.Add(j)
			in[i], in[j], other[j] = true, true, true
		}
		common, from := 0, r.Uint32N(n)/64*64
		marked, removed := make([]uint64, 3), []uint64{^uint64(0), ^uint64(0), ^uint64(0)}
		a.Mark(marked, from)
		a.Remove(removed, from)
		for i := range n {
			if in[i] && other[i] {
				common++
			}
			if at := i - from; i >= from && at < 192 && (in[i] != (marked[at/64]>>(at%64)&1 != 0) || in[i] == (removed[at/64]>>(at%64)&1 != 0)) {
				t.Fatalf("%d: marked or removed wrongly from %d", i, from)
			}
			next, ok := a.Next(i)
			want := i
			for want < n && !in[want] {
				want++
			}
			if ok != (want < n) || ok && next != want {
				t.Fatalf("Next(%d) = %d, %v, not %d", i, next, ok, want)
			}
		}
		if a.Len() != len(in) || a.Overlap(b) != common {
			t.Fatalf("%d numbers, %d in common, not %d, %d", a.Len(), a.Overlap(b), len(in), common)
		}
	}
}
