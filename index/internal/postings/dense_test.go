package postings_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index/internal/postings"
)

// Documents that stand close together are bits.
func TestDenseExample(t *testing.T) {
	t.Parallel()
	var list bytes.Buffer
	w := postings.NewWriter(&list, nil, make([]uint32, 300))
	for i := range uint32(128) {
		w.Add(2*i+i%2, 1, nil)
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if got, want := hex.EncodeToString(list.Bytes()[:34]), "44"+strings.Repeat("99", 32)+"00"; got != want {
		t.Errorf("list %s, want %s", got, want)
	}
}

// Windows of a list may be marked or walked, in any mixture.
func TestMarkAndAdvance(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(8, 9))
	const docs = 10_000
	for _, n := range []int{1, 2, 128, 300, 1300, 2500, 7000, 9990, docs} {
		post := randomList(rnd, docs, n)
		f := build(t, docs, make([]uint32, docs), []string{"a"}, [][]posting{post})
		e, _, err := f.dict.Find("a")
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			c := f.read.Open(e)
			var got, want []uint32
			for _, p := range post {
				want = append(want, p.doc)
			}
			for lo, hi := uint32(0), uint32(0); lo < docs; lo = hi {
				hi = min(docs, lo+64*uint32(1+rnd.IntN(20)))
				if rnd.IntN(2) == 0 {
					for doc := c.Advance(lo); doc < hi; doc = c.Advance(doc + 1) {
						got = append(got, doc)
					}
					continue
				}
				marks := make([]uint64, (hi-lo+63)/64)
				c.Mark(lo, hi, marks)
				for doc := lo; doc < hi; doc++ {
					if marks[(doc-lo)/64]>>(doc%64)&1 != 0 {
						got = append(got, doc)
					}
				}
			}
			if !slices.Equal(got, want) || c.Err() != nil {
				t.Fatalf("of %d documents %d are found, %v", len(want), len(got), c.Err())
			}
		}
	}
}

// Marks, in windows of any size, are what a walk finds; batches too.
func TestMark(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 9))
	const docs = 10_000
	var terms []string
	var post [][]posting
	for i, n := range []int{1, 5, 128, 300, 1300, 2500, 4000, 7000, 9990, docs} {
		terms, post = append(terms, string(rune('a'+i))), append(post, randomList(rnd, docs, n))
	}
	f := build(t, docs, make([]uint32, docs), terms, post)
	for i, term := range terms {
		e, _, err := f.dict.Find(term)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			c, b := f.read.Open(e), f.read.Open(e)
			var marked, batched []uint32
			for lo, hi := uint32(0), uint32(0); lo < docs; lo = hi {
				hi = min(docs, lo+64*uint32(1+rnd.IntN(60)))
				marks := make([]uint64, (hi-lo+63)/64)
				c.Mark(lo, hi, marks)
				for doc := lo; doc < hi; doc++ {
					if marks[(doc-lo)/64]>>(doc%64)&1 != 0 {
						marked = append(marked, doc)
					}
				}
				for d := b.Batch(lo, hi); len(d) > 0; d = b.Batch(d[len(d)-1]+1, hi) {
					batched = append(batched, d...)
				}
			}
			var want []uint32
			for _, p := range post[i] {
				want = append(want, p.doc)
			}
			if !slices.Equal(marked, want) || !slices.Equal(batched, want) {
				t.Fatalf("%d documents: %d are marked, %d in batches", len(want), len(marked), len(batched))
			}
		}
	}
}

// Marking lists in which every second, or every eighth, document stands.
func BenchmarkMark(b *testing.B) {
	const docs = 1 << 17
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, every := range []int{2, 8} {
		f := build(b, docs, make([]uint32, docs), []string{"a"}, [][]posting{randomList(rnd, docs, docs/every)})
		e, _, err := f.dict.Find("a")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("every=%d", every), func(b *testing.B) {
			marks := make([]uint64, docs/64)
			for b.Loop() {
				f.read.Open(e).Mark(0, docs, marks)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(e.Docs), "ns/doc")
		})
	}
}
