package graph_test

import (
	"iter"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/webquarry/quarry/rank/graph"
)

// web yields the edges of a generated web: pages of a host lie side by side, three of four links stay on
// the host, and others go to some pages far more often than to most.
func web(nodes, edges int) iter.Seq2[graph.Edge, error] {
	return func(yield func(graph.Edge, error) bool) {
		r := rand.New(rand.NewPCG(1, 2))
		for range edges {
			from := r.IntN(nodes)
			host := from &^ 1023
			to := min(host+r.IntN(1024), nodes-1)
			if r.IntN(4) == 0 {
				x := r.Float64()
				to = int(x * x * x * float64(nodes))
			}
			if !yield(graph.Edge{From: uint32(from), To: uint32(to), Weight: 1}, nil) {
				return
			}
		}
	}
}

// BenchmarkPageRank is of 200,000 nodes and 4 million edges. QUARRY_GRAPH_NODES=5000000 makes it a web of
// 5 million and 100 million.
func BenchmarkPageRank(b *testing.B) {
	nodes := 200_000
	if n, err := strconv.Atoi(os.Getenv("QUARRY_GRAPH_NODES")); err == nil {
		nodes = n
	}
	g, err := graph.Build(b.Context(), web(nodes, 20*nodes), graph.BuildOptions{Nodes: nodes, Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	const iterations = 10
	b.ResetTimer()
	for b.Loop() {
		if _, err := (graph.PageRank{MaxIterations: iterations}).Of(b.Context(), g); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(g.Edges()), "edges")
	b.ReportMetric(float64(g.Edges())*iterations*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
}

func BenchmarkBuild(b *testing.B) {
	const nodes = 200_000
	for b.Loop() {
		if _, err := graph.Build(b.Context(), web(nodes, 20*nodes), graph.BuildOptions{Dir: b.TempDir(), MemoryBudget: 8 << 20}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(20*nodes*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
}
