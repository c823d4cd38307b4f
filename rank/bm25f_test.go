package rank_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/rank"
)

// combined is the score of tfs and lengths in the fields.
func combined(c rank.Combined, tfs, lengths []uint32) float64 {
	f := 0.0
	for i, part := range c.Frequency {
		f += part(tfs[i], lengths[i])
	}
	return c.Score(f)
}

func TestBM25F(t *testing.T) {
	t.Parallel()
	s := rank.Stats{Docs: 100, DocFreq: 10}
	idf := math.Log(1 + 90.5/10.5)
	fields := []rank.FieldStats{{"title", 3, 5}, {"body", 1, 100}}
	// title: 3·1/(1-.5+.5·10/5) = 2, body: 2/(1-.75+.75·200/100) = 8/7
	f := 2 + 8.0/7
	c := rank.BM25F{Fields: map[string]float64{"title": 0.5}}.Combine(s, fields)
	near(t, "title and body", combined(c, []uint32{1, 2}, []uint32{10, 200}), idf*f*2.2/(f+1.2), 1e-12)
	near(t, "body alone", combined(c, []uint32{0, 2}, []uint32{0, 200}), idf*(8.0/7)*2.2/(8.0/7+1.2), 1e-12)
	near(t, "nowhere", combined(c, []uint32{0, 0}, []uint32{10, 200}), 0, 0)
	near(t, "explained", c.Explain(f).Parts[1].Value*idf, combined(c, []uint32{1, 2}, []uint32{10, 200}), 1e-12)
	one := rank.BM25F{B: -1}.Combine(s, []rank.FieldStats{{"a", 1, 1}, {"b", 1, 1}, {"c", 1, 1}})
	alone := combined(one, []uint32{1, 0, 0}, []uint32{1, 0, 0})
	all := combined(one, []uint32{1, 1, 1}, []uint32{1, 1, 1})
	if !(all > alone && all < 3*alone) {
		t.Errorf("in one field %v, in three %v: it must saturate once", alone, all)
	}
	none := rank.BM25F{K1: -1, B: 1}.Combine(s, []rank.FieldStats{{"a", 0, 0}, {"b", 1, 3}})
	near(t, "without k1", combined(none, []uint32{5, 1}, []uint32{0, 0}), idf, 1e-12)
}

// Over one field it is BM25; no operation falls where it must rise.
func TestBM25FProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k1, b := rapid.Float64Range(-1, 5).Draw(t, "k1"), rapid.Float64Range(-1, 1).Draw(t, "b")
		s := rank.Stats{Docs: rapid.IntRange(0, 1000).Draw(t, "docs"), DocFreq: rapid.IntRange(0, 1000).Draw(t, "df"), AvgLen: rapid.Float64Range(0, 50).Draw(t, "avg")}
		weight := rapid.Float64Range(0, 10).Draw(t, "weight")
		tf, length := rapid.Uint32Range(0, 1<<20).Draw(t, "tf"), rapid.Uint32Range(0, 1<<20).Draw(t, "length")
		m := rank.BM25F{K1: k1, B: b}
		single := m.Combine(s, []rank.FieldStats{{"x", 1, s.AvgLen}})
		got, want := single.Score(single.Frequency[0](tf, length)), rank.BM25{K1: k1, B: b}.Term(s)(tf, length)
		if !(math.Abs(got-want) <= 1e-9*(1+want)) {
			t.Fatalf("one field scores %v, BM25 %v", got, want)
		}
		c := m.Combine(s, []rank.FieldStats{{"x", weight, s.AvgLen}, {"y", 1, 3}})
		at := func(tf, length uint32) float64 { return c.Frequency[0](tf, length) + c.Frequency[1](3, 4) }
		if f := at(tf, length); at(tf+1, length) < f || at(tf, length+1) > f || !(c.Score(f) >= 0) || c.Score(at(tf+1, length)) < c.Score(f) {
			t.Fatalf("falls at %d, %d", tf, length)
		}
		x, y := c.Frequency[0](tf, length), rapid.Float64Range(0, 1e6).Draw(t, "y")
		if whole, parts := c.Score(x+y), c.Score(x)+c.Score(y); whole > parts+0x1p-50*c.Score(math.Inf(1)) {
			t.Fatalf("of %v and %v: %v, apart %v", x, y, whole, parts)
		}
	})
}
