package graph_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/webquarry/quarry/rank/graph"
)

// stream yields edges.
func stream(edges []graph.Edge) iter.Seq2[graph.Edge, error] {
	return func(yield func(graph.Edge, error) bool) {
		for _, e := range edges {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func build(t testing.TB, opt graph.BuildOptions, edges ...graph.Edge) *graph.Graph {
	t.Helper()
	g, err := graph.Build(t.Context(), stream(edges), opt)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// pairs makes edges of from, to, from, to.
func pairs(of ...uint32) (edges []graph.Edge) {
	for i := 0; i < len(of); i += 2 {
		edges = append(edges, graph.Edge{From: of[i], To: of[i+1], Weight: 1})
	}
	return edges
}

func random(r *rand.Rand, nodes, edges int) (out []graph.Edge) {
	for range edges {
		out = append(out, graph.Edge{From: uint32(r.IntN(nodes)), To: uint32(r.IntN(nodes)), Weight: float32(1+r.IntN(8)) / 4})
	}
	return out
}

// matrix has what weighs from one node to another.
func matrix(nodes int, edges []graph.Edge, opt graph.BuildOptions) [][]float64 {
	m := make([][]float64, nodes)
	for i := range m {
		m[i] = make([]float64, nodes)
	}
	for _, e := range edges {
		switch {
		case e.From == e.To && !opt.Loops:
		case opt.Weighted:
			m[e.From][e.To] += float64(e.Weight)
		default:
			m[e.From][e.To] = 1
		}
	}
	return m
}

func sameAsMatrix(t *rapid.T, g *graph.Graph, m [][]float64) {
	t.Helper()
	edges := 0
	for from, row := range m {
		out := 0
		for to, w := range row {
			at, ok := slices.BinarySearch(g.LinksTo(uint32(to)), uint32(from))
			if ok != (w > 0) || ok && g.Weighted() && g.Weights(uint32(to))[at] != float32(w) {
				t.Fatalf("%d → %d: found %v, weight %v", from, to, ok, w)
			}
			if w > 0 {
				out++
			}
		}
		if g.OutDegree(uint32(from)) != out {
			t.Fatalf("%d has %d edges, want %d", from, g.OutDegree(uint32(from)), out)
		}
		edges += out
	}
	if g.Nodes() != len(m) || g.Edges() != edges {
		t.Fatalf("%d nodes, %d edges, want %d and %d", g.Nodes(), g.Edges(), len(m), edges)
	}
}

// Whatever the order, the budget and the repetitions, the graph is that of the edges; so is the reversed one.
func TestBuild(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		nodes := rapid.IntRange(1, 40).Draw(rt, "nodes")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		edges := random(r, nodes, rapid.SampledFrom([]int{0, 1, 30, 300, 20_000}).Draw(rt, "edges"))
		opt := graph.BuildOptions{Nodes: nodes, Weighted: rapid.Bool().Draw(rt, "weighted"), Loops: rapid.Bool().Draw(rt, "loops"), MemoryBudget: 1, Dir: dir}
		g := build(t, opt, edges...)
		m := matrix(nodes, edges, opt)
		sameAsMatrix(rt, g, m)
		turned := make([][]float64, nodes)
		for i := range turned {
			for j := range turned {
				turned[i] = append(turned[i], m[j][i])
			}
		}
		sameAsMatrix(rt, g.Reversed(), turned)
	})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// Large keys sort as small ones do.
func TestBuildSorts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	edges := random(r, 200_000, 300_000)
	small := build(t, graph.BuildOptions{Nodes: 200_000, MemoryBudget: 1 << 20, Dir: t.TempDir()}, edges...)
	r.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	large := build(t, graph.BuildOptions{Nodes: 200_000}, edges...)
	if small.Edges() != large.Edges() {
		t.Fatalf("%d and %d edges", small.Edges(), large.Edges())
	}
	for node := range uint32(200_000) {
		if !slices.Equal(small.LinksTo(node), large.LinksTo(node)) || !slices.IsSorted(small.LinksTo(node)) {
			t.Fatalf("node %d: %v and %v", node, small.LinksTo(node), large.LinksTo(node))
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	cause := errors.New("enough")
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	many := random(rand.New(rand.NewPCG(1, 1)), 10, 10_000)
	for name, c := range map[string]struct {
		ctx   context.Context
		edges iter.Seq2[graph.Edge, error]
		opt   graph.BuildOptions
		is    error
	}{
		"stream":      {t.Context(), func(yield func(graph.Edge, error) bool) { yield(graph.Edge{}, broken) }, graph.BuildOptions{}, broken},
		"context":     {ended, stream(many), graph.BuildOptions{}, cause},
		"node":        {t.Context(), stream(pairs(1, math.MaxUint32)), graph.BuildOptions{}, nil},
		"nodes":       {t.Context(), stream(nil), graph.BuildOptions{Nodes: -1}, nil},
		"many nodes":  {t.Context(), stream(nil), graph.BuildOptions{Nodes: math.MaxUint32 + 1}, nil},
		"weight":      {t.Context(), stream([]graph.Edge{{From: 1, To: 2, Weight: float32(math.NaN())}}), graph.BuildOptions{Weighted: true}, nil},
		"no weight":   {t.Context(), stream([]graph.Edge{{From: 1, To: 2}}), graph.BuildOptions{Weighted: true}, nil},
		"no folder":   {t.Context(), stream(many), graph.BuildOptions{Dir: "/nowhere/at/all", MemoryBudget: 1}, nil},
		"many weight": {t.Context(), stream([]graph.Edge{{From: 1, To: 2, Weight: float32(math.Inf(1))}}), graph.BuildOptions{Weighted: true}, nil},
	} {
		if g, err := graph.Build(c.ctx, c.edges, c.opt); err == nil || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v, %v", name, g, err)
		}
	}
	if g := build(t, graph.BuildOptions{}); g.Nodes() != 0 {
		t.Errorf("%d nodes", g.Nodes())
	}
}

// dense is PageRank by a full matrix: the steps are taken until nothing changes.
func dense(m [][]float64, damping float64, teleport, sinkTo []float64) []float64 {
	n := len(m)
	scaled := func(weights []float64) []float64 {
		out, sum := make([]float64, n), 0.0
		for i := range out {
			out[i] = 1
			if weights != nil {
				out[i] = weights[i]
			}
			sum += out[i]
		}
		for i := range out {
			out[i] /= sum
		}
		return out
	}
	teleport = scaled(teleport)
	if sinkTo == nil {
		sinkTo = teleport
	} else {
		sinkTo = scaled(sinkTo)
	}
	x := scaled(nil)
	for range 4000 {
		next := make([]float64, n)
		for from, row := range m {
			sum := 0.0
			for _, w := range row {
				sum += w
			}
			for to, w := range row {
				if sum == 0 {
					next[to] += damping * x[from] * sinkTo[to]
				} else {
					next[to] += damping * x[from] * w / sum
				}
			}
		}
		for to := range next {
			next[to] += (1 - damping) * teleport[to]
		}
		x = next
	}
	return x
}

func apart(a, b []float64) (sum float64) {
	for i := range a {
		sum += math.Abs(a[i] - b[i])
	}
	return sum
}

func TestPageRankIsDense(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		nodes := rapid.IntRange(1, 12).Draw(rt, "nodes")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		edges := random(r, nodes, rapid.IntRange(0, 40).Draw(rt, "edges"))
		opt := graph.BuildOptions{Nodes: nodes, Weighted: rapid.Bool().Draw(rt, "weighted"), Loops: rapid.Bool().Draw(rt, "loops")}
		g := build(t, opt, edges...)
		m := matrix(nodes, edges, opt)
		weights := func(name string) []float64 {
			if rapid.Bool().Draw(rt, name) {
				return nil
			}
			out := make([]float64, nodes)
			for i := range out {
				out[i] = r.Float64() * float64(r.IntN(3))
			}
			out[r.IntN(nodes)] = 1
			return out
		}
		p := graph.PageRank{Damping: rapid.SampledFrom([]float64{0, 0.5, 0.99, -1}).Draw(rt, "damping"), Teleport: weights("teleport"), SinkTo: weights("sinks"), Start: weights("start"), MaxIterations: 1e6}
		p.ReverseSinks = rapid.Bool().Draw(rt, "reverse")
		if p.ReverseSinks {
			back := matrix(nodes, edges, opt)
			for from, row := range m {
				if slices.Max(row) == 0 {
					for other := range m {
						back[from][other] += m[other][from]
					}
				}
			}
			m = back
		}
		got, err := p.Of(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		damping := map[float64]float64{0: 0.85, 0.5: 0.5, 0.99: 0.99, -1: 0}[p.Damping]
		want := dense(m, damping, p.Teleport, p.SinkTo)
		if d := apart(got.Of, want); d > 1.1e-9 || got.Error > 1e-9 {
			rt.Fatalf("apart by %v, bound %v\n got %v\nwant %v", d, got.Error, got.Of, want)
		}
		p.Tolerance, p.MaxIterations = 0, 3
		if few, err := p.Of(t.Context(), g); err != nil || apart(few.Of, want) > few.Error+1e-12 {
			rt.Fatalf("after 3 iterations apart by %v, the bound is %v, %v", apart(few.Of, want), few.Error, err)
		}
	})
}

// Published ranks: Langville and Meyer, A Survey of Eigenvector Methods of Web Information Retrieval, and the tests of networkx.
func TestPageRankPublished(t *testing.T) {
	t.Parallel()
	survey := pairs(0, 1, 0, 2, 2, 0, 2, 1, 2, 4, 3, 4, 3, 5, 4, 3, 4, 5, 5, 3)
	var complete []graph.Edge
	for i := range uint32(4) {
		for j := range uint32(4) {
			complete = append(complete, graph.Edge{From: i, To: j})
		}
	}
	for name, c := range map[string]struct {
		edges  []graph.Edge
		of     graph.PageRank
		want   []float64
		within float64
	}{
		"survey":       {survey, graph.PageRank{Damping: 0.9}, []float64{0.03721197, 0.05395735, 0.04150565, 0.37508082, 0.20599833, 0.28624589}, 1e-8},
		"sinks":        {survey, graph.PageRank{SinkTo: []float64{2, 3, 0, 0, 0, 0}}, []float64{0.10844518, 0.18618601, 0.0710892, 0.2683668, 0.15919783, 0.20671497}, 1e-6},
		"personalised": {complete, graph.PageRank{Teleport: []float64{1, 1, 4, 4}}, []float64{0.23246732615667579, 0.23246732615667579, 0.267532673843324, 0.2675326738433241}, 1e-6},
		"by hand":      {complete, graph.PageRank{Teleport: []float64{1, 1, 4, 4}}, []float64{17.9 / 77, 17.9 / 77, 20.6 / 77, 20.6 / 77}, 1e-9}, // x = 0.85·(1-x)/3 + 0.15·t
		"cycle":        {pairs(0, 1, 1, 2, 2, 0), graph.PageRank{}, []float64{1.0 / 3, 1.0 / 3, 1.0 / 3}, 1e-12},
		"chain":        {pairs(0, 1), graph.PageRank{}, []float64{1 / 2.85, 1.85 / 2.85}, 1e-9}, // x = (1-d)/2 + d·y/2, y = x + d·x
		"reversed":     {pairs(0, 1), graph.PageRank{ReverseSinks: true}, []float64{0.5, 0.5}, 1e-12},
	} {
		got, err := c.of.Of(t.Context(), build(t, graph.BuildOptions{}, c.edges...))
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.want {
			if math.Abs(got.Of[i]-c.want[i]) > c.within {
				t.Errorf("%s: node %d has %.10f, want %.10f", name, i, got.Of[i], c.want[i])
			}
		}
	}
}

// TestSameBits runs on one to eight processors, and so not beside other tests.
func TestSameBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for _, weighted := range []bool{false, true} {
		g := build(t, graph.BuildOptions{Nodes: 14_000, Weighted: weighted}, random(r, 14_000, 40_000)...)
		before := runtime.GOMAXPROCS(0)
		defer runtime.GOMAXPROCS(before)
		var ranks, authorities, ball, harmonic []float64
		for processors := 1; processors <= 8; processors++ {
			runtime.GOMAXPROCS(processors)
			p, err := graph.PageRank{MaxIterations: 30}.Of(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			h, err := graph.HITS{MaxIterations: 10}.Of(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			b, err := graph.HyperBall{Log2Registers: 4, MaxDistance: 5}.Of(t.Context(), g)
			if err != nil {
				t.Fatal(err)
			}
			small := build(t, graph.BuildOptions{}, random(rand.New(rand.NewPCG(8, 8)), 300, 900)...)
			exact, err := graph.Harmonic(t.Context(), small)
			if err != nil {
				t.Fatal(err)
			}
			if processors == 1 {
				ranks, authorities, ball, harmonic = p.Of, h.Authorities, b, exact
			}
			if !slices.Equal(p.Of, ranks) || !slices.Equal(h.Authorities, authorities) || !slices.Equal(b, ball) || !slices.Equal(exact, harmonic) {
				t.Fatalf("%d processors: other bits", processors)
			}
		}
	}
}

// Old ranks save iterations, also for a graph that has grown.
func TestRestart(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 4))
	edges := random(r, 2000, 12_000)
	old, err := graph.PageRank{}.Of(t.Context(), build(t, graph.BuildOptions{Nodes: 2000}, edges...))
	if err != nil {
		t.Fatal(err)
	}
	grown := build(t, graph.BuildOptions{Nodes: 2010}, append(edges, random(r, 2010, 20)...)...)
	cold, err := graph.PageRank{}.Of(t.Context(), grown)
	if err != nil {
		t.Fatal(err)
	}
	warm, err := graph.PageRank{Start: old.Of}.Of(t.Context(), grown)
	if err != nil {
		t.Fatal(err)
	}
	if warm.Iterations >= cold.Iterations || apart(warm.Of, cold.Of) > 2e-9 {
		t.Errorf("%d iterations, without %d; apart by %v", warm.Iterations, cold.Iterations, apart(warm.Of, cold.Of))
	}
}

func TestPageRankRefuses(t *testing.T) {
	t.Parallel()
	g := build(t, graph.BuildOptions{}, pairs(0, 1, 1, 2)...)
	for name, p := range map[string]graph.PageRank{
		"damping":  {Damping: 1},
		"no":       {Damping: math.NaN()},
		"few":      {Teleport: []float64{1}},
		"negative": {Teleport: []float64{1, -1, 1}},
		"nothing":  {SinkTo: []float64{0, 0, 0}},
		"endless":  {Start: []float64{1, math.Inf(1), 1}},
	} {
		if out, err := p.Of(t.Context(), g); err == nil {
			t.Errorf("%s: %v", name, out)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (graph.PageRank{}).Of(ended, g); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if out, err := (graph.PageRank{}).Of(t.Context(), build(t, graph.BuildOptions{})); err != nil || len(out.Of) != 0 {
		t.Errorf("of nothing: %v, %v", out, err)
	}
	one, err := graph.PageRank{}.Of(t.Context(), build(t, graph.BuildOptions{Nodes: 1}))
	if err != nil || one.Of[0] != 1 {
		t.Errorf("of one: %v, %v", one, err)
	}
	tiny, err := graph.PageRank{Teleport: []float64{math.SmallestNonzeroFloat64, 0, math.MaxFloat64}}.Of(t.Context(), g)
	if err != nil || math.IsNaN(tiny.Of[0]) || math.Abs(tiny.Of[0]+tiny.Of[1]+tiny.Of[2]-1) > 1e-12 {
		t.Errorf("extreme weights: %v, %v", tiny, err)
	}
}

func TestTrustRank(t *testing.T) {
	t.Parallel()
	g := build(t, graph.BuildOptions{}, pairs(0, 1, 1, 2, 3, 2, 3, 4)...)
	p, err := graph.TrustRank(g.Nodes(), map[uint32]float64{0: 1})
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Of(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if got.Of[3] != 0 || got.Of[4] != 0 || !(got.Of[0] > got.Of[1] && got.Of[1] > got.Of[2] && got.Of[2] > 0) {
		t.Errorf("%v", got.Of)
	}
	if _, err := graph.TrustRank(5, map[uint32]float64{5: 1}); err == nil {
		t.Error("a node that is not there is trusted")
	}
}

// distances by Floyd and Warshall.
func harmonicDense(m [][]float64) []float64 {
	n := len(m)
	d := make([][]float64, n)
	for i := range d {
		d[i] = make([]float64, n)
		for j := range d[i] {
			d[i][j] = math.Inf(1)
			if m[i][j] > 0 {
				d[i][j] = 1
			}
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				d[i][j] = min(d[i][j], d[i][k]+d[k][j])
			}
		}
	}
	out := make([]float64, n)
	for i := range n {
		for j := range n {
			if i != j {
				out[j] += 1 / d[i][j]
			}
		}
	}
	return out
}

func TestHarmonic(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		nodes := rapid.IntRange(1, 25).Draw(rt, "nodes")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
		edges := random(r, nodes, rapid.IntRange(0, 60).Draw(rt, "edges"))
		g := build(t, graph.BuildOptions{Nodes: nodes}, edges...)
		want := harmonicDense(matrix(nodes, edges, graph.BuildOptions{}))
		got, err := graph.Harmonic(t.Context(), g)
		if err != nil || apart(got, want) > 1e-9 {
			rt.Fatalf("%v, %v, want %v", got, err, want)
		}
		// So few nodes are counted all but exactly by many registers.
		ball, err := graph.HyperBall{Log2Registers: 14, Seed: 1}.Of(t.Context(), g)
		if err != nil || apart(ball, want) > 0.02*float64(nodes) {
			rt.Fatalf("HyperBall: %v, %v, want %v", ball, err, want)
		}
	})
}

// The estimate keeps its promise: within some standard errors.
func TestHyperBallEstimates(t *testing.T) {
	t.Parallel()
	g := build(t, graph.BuildOptions{Nodes: 1500}, random(rand.New(rand.NewPCG(5, 5)), 1500, 4500)...)
	exact, err := graph.Harmonic(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	got, err := graph.HyperBall{}.Of(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	squares, n := 0.0, 0.0
	for i := range exact {
		if exact[i] > 100 {
			squares += (got[i]/exact[i] - 1) * (got[i]/exact[i] - 1)
			n++
		}
	}
	if off := math.Sqrt(squares / n); n < 500 || off > 0.1 {
		t.Errorf("of %v nodes, off by %.3f: want 0.065", n, off)
	}
	near, err := graph.HyperBall{MaxDistance: 1}.Of(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	for node, degree := range g.InDegrees() {
		if math.Abs(near[node]-degree) > 1.1+0.2*degree {
			t.Fatalf("within one step of %d are %.1f, want %v", node, near[node], degree)
		}
	}
}

func TestHITS(t *testing.T) {
	t.Parallel()
	// From the tests of networkx.
	g := build(t, graph.BuildOptions{}, pairs(0, 2, 0, 4, 1, 0, 2, 4, 4, 3, 4, 2, 5, 4)...)
	got, err := graph.HITS{}.Of(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if a := apart(got.Authorities, []float64{0, 0, 0.366025, 0.133975, 0.5, 0}); a > 1e-5 {
		t.Errorf("authorities %v", got.Authorities)
	}
	if a := apart(got.Hubs, []float64{0.366025, 0, 0.211325, 0, 0.211325, 0.211325}); a > 1e-5 {
		t.Errorf("hubs %v", got.Hubs)
	}
	// With weights that are all alike nothing changes.
	var heavy []graph.Edge
	for e := range g.All() {
		e.Weight = 3
		heavy = append(heavy, e)
	}
	again, err := graph.HITS{}.Of(t.Context(), build(t, graph.BuildOptions{Weighted: true}, heavy...))
	if err != nil || apart(again.Authorities, got.Authorities) > 1e-9 {
		t.Errorf("%v, %v", again, err)
	}
	none, err := graph.HITS{}.Of(t.Context(), build(t, graph.BuildOptions{Nodes: 3}))
	if err != nil || none.Authorities[0] != 0 || none.Change != 0 {
		t.Errorf("without edges: %+v, %v", none, err)
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	var names graph.Names
	var edges []graph.Edge
	for _, link := range [][2]string{{"a/1", "a/2"}, {"a/1", "b/1"}, {"a/2", "b/1"}, {"a/2", "b/2"}, {"b/1", "c/1"}, {"b/1", "a/1"}, {"b/1", "a/1"}} {
		edges = append(edges, names.Edge(link[0], link[1]))
	}
	pages := build(t, graph.BuildOptions{Nodes: names.Len()}, edges...)
	group, hosts := names.Groups(func(name string) string { return name[:1] })
	g, err := pages.Grouped(t.Context(), group, graph.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for e := range g.All() {
		got = append(got, fmt.Sprint(hosts.Name(e.From), hosts.Name(e.To), e.Weight))
	}
	slices.Sort(got)
	if want := []string{"ab3", "ba1", "bc1"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if _, ok := names.Find("d/1"); ok || names.Name(0) != "a/1" || names.Number("a/2") != 1 {
		t.Error("names")
	}
	if _, err := pages.Grouped(t.Context(), group[1:], graph.BuildOptions{}); err == nil {
		t.Error("a node has no group")
	}
}

func TestScales(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ got, want []float64 }{
		"normalised":     {graph.Normalised([]float64{2, 4, 3}), []float64{0, 1, 0.5}},
		"all alike":      {graph.Normalised([]float64{2, 2}), []float64{0, 0}},
		"logarithms":     {graph.LogScaled([]float64{0, 1, 10, 1000}), []float64{0, 0, 1.0 / 3, 1}},
		"one logarithm":  {graph.LogScaled([]float64{0, 5}), []float64{0, 0}},
		"capped":         {graph.Capped([]float64{1, 5, 3}, 3), []float64{1, 3, 3}},
		"percentiles":    {graph.Percentiles([]float64{5, 1, 5, 9, 0}), []float64{0.625, 0.25, 0.625, 1, 0}},
		"one percentile": {graph.Percentiles([]float64{5}), []float64{0}},
	} {
		if len(c.got) != len(c.want) || apart(c.got, c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	for _, f := range []func([]float64) []float64{graph.Normalised, graph.LogScaled, graph.Percentiles} {
		if got := f(nil); len(got) != 0 {
			t.Errorf("of nothing: %v", got)
		}
	}
}

// Crawled in the order of their cash, pages come to have their PageRank, and no cash is lost.
func TestOPIC(t *testing.T) {
	t.Parallel()
	const nodes = 60
	edges := random(rand.New(rand.NewPCG(6, 6)), nodes, 200)
	g := build(t, graph.BuildOptions{Nodes: nodes}, edges...)
	links := make([][]uint32, nodes)
	for e := range g.All() {
		links[e.From] = append(links[e.From], e.To)
	}
	var o graph.OPIC[uint32]
	for node := range uint32(nodes) {
		o.Add(node)
	}
	for range 40_000 {
		best := uint32(0)
		for node := range uint32(nodes) {
			if o.Cash(node) > o.Cash(best) {
				best = node
			}
		}
		o.Crawled(best, links[best]...)
	}
	want, err := graph.PageRank{}.Of(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	sum, cash := 0.0, 0.0
	got := make([]float64, nodes)
	for node := range uint32(nodes) {
		got[node] = o.Importance(node)
		sum += got[node]
		cash += o.Cash(node)
	}
	if d := apart(got, want.Of); d > 0.01 || math.Abs(sum-1) > 1e-9 || cash > nodes+1e-6 || cash < nodes*0.9 {
		t.Errorf("apart by %v, sum %v, cash %v\n got %.4f\nwant %.4f", d, sum, cash, got, want.Of)
	}
	if o.Len() != nodes || o.Cash(99) != 0 || o.Importance(99) != 0 {
		t.Errorf("%d pages", o.Len())
	}
	var empty graph.OPIC[string]
	if empty.Importance("x") != 0 {
		t.Error("of nothing")
	}
	empty.Crawled("x", "x", "y", "y") // whose cash is 0
	if empty.Importance("x") != 0 || empty.Len() != 2 {
		t.Error("a page without cash")
	}
}
