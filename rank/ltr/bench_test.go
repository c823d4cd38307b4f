package ltr

import (
	"math"
	"math/rand/v2"
	"testing"
)

// bigModel is a model of random balanced trees over so many features.
func bigModel(trees, leaves, features int) *Model {
	r := rand.New(rand.NewPCG(1, 2))
	m := &Model{Features: make([]string, features)}
	for range trees {
		var t tree
		slots := []*int32{} // of children that are still leaves
		grow := func() {
			t.splits = append(t.splits, split{threshold: r.NormFloat64(), feature: int32(r.IntN(features)), kind: missingNaN})
		}
		t.splits = make([]split, 0, leaves)
		grow()
		slots = append(slots, &t.splits[0].left, &t.splits[0].right)
		for len(t.splits) < leaves-1 {
			i := r.IntN(len(slots))
			*slots[i] = int32(len(t.splits))
			grow()
			s := &t.splits[len(t.splits)-1]
			slots[i] = &s.left
			slots = append(slots, &s.right)
		}
		for i, slot := range slots {
			*slot = ^int32(i)
			t.leaves = append(t.leaves, r.NormFloat64())
		}
		if why := t.check(features); why != "" {
			panic(why)
		}
		m.trees = append(m.trees, t)
	}
	return m
}

// BenchmarkScore scores one document by 100 trees of 31 leaves.
func BenchmarkScore(b *testing.B) {
	m := bigModel(100, 31, 40)
	r := rand.New(rand.NewPCG(3, 4))
	docs := make([][]float64, 1000)
	for i := range docs {
		docs[i] = make([]float64, 40)
		for j := range docs[i] {
			if docs[i][j] = r.NormFloat64(); r.IntN(20) == 0 {
				docs[i][j] = math.NaN()
			}
		}
	}
	for _, kind := range []string{"LightGBM", "XGBoost", "plain"} {
		m.float32s = kind == "XGBoost"
		if m.quick = newQuick(m.trees); kind == "plain" {
			m.quick = nil
		}
		b.Run(kind, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				m.Score(docs[i%len(docs)])
			}
		})
	}
}
