package invert_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/webquarry/quarry/index/internal/invert"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/index/internal/stored"
)

// made returns documents of a thousand tokens each, of a vocabulary like that of
// a text.
func made(n int) []invert.Doc {
	rnd := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rnd, 1.1, 8, 1_000_000)
	docs := make([]invert.Doc, n)
	for i := range docs {
		tokens := make([]invert.Token, 1000)
		for j := range tokens {
			tokens[j] = invert.Token{Term: fmt.Sprintf("word%d", zipf.Uint64()), Pos: uint32(j)}
		}
		docs[i] = invert.Doc{Key: fmt.Sprintf("doc%d", rnd.IntN(1<<40)), Fields: []invert.FieldTokens{{Name: "text", Positions: true, Tokens: tokens}}}
	}
	return docs
}

func fill(docs []invert.Doc) *invert.Buffer {
	b := new(invert.Buffer)
	for _, d := range docs {
		place := b.Begin(d.Key)
		b.Fill(place, d, math.MaxInt64)
		b.Keep(place)
	}
	return b
}

func flush(b *testing.B, buf *invert.Buffer) {
	w, err := segment.Create(store.NewMemory(), "segment-1", 1, stored.NewCodec())
	if err != nil {
		b.Fatal(err)
	}
	f := buf.Freeze(segment.Order{})
	if err := f.WriteTo(b.Context(), w); err != nil {
		b.Fatal(err)
	}
	if _, err := w.Finish(); err != nil {
		b.Fatal(err)
	}
	buf.Thaw()
}

// A token at a time: gathering it, and bringing it into a segment.
func BenchmarkInvert(b *testing.B) {
	docs := made(5000)
	each := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(docs)*1000), "ns/token")
	}
	b.Run("fill", func(b *testing.B) {
		for b.Loop() {
			fill(docs).Freeze(segment.Order{}).Release()
		}
		each(b)
	})
	b.Run("flush", func(b *testing.B) {
		buf := fill(docs)
		for b.Loop() {
			flush(b, buf)
		}
		each(b)
	})
}
