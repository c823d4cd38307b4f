package tally

import (
	"math/rand/v2"
	"testing"
)

// What each of a million numbers costs, of which so many differ, beside a map.
func BenchmarkSet(b *testing.B) {
	for _, c := range []struct {
		name    string
		numbers int64
	}{{"few", 1000}, {"many", 1 << 20}} {
		r := rand.New(rand.NewPCG(1, 1))
		all := make([]int64, 1<<20)
		for i := range all {
			all[i] = r.Int64N(c.numbers)
		}
		b.Run(c.name+"/set", func(b *testing.B) {
			for b.Loop() {
				var s set
				for _, v := range all {
					s.add(v)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/number")
		})
		b.Run(c.name+"/map", func(b *testing.B) {
			for b.Loop() {
				s := map[int64]struct{}{}
				for _, v := range all {
					s[v] = struct{}{}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/number")
		})
	}
}
