package graph

import "slices"

// Graph is a directed graph of up to 2^32-1 nodes. It holds for each node the nodes that link to it, in
// ascending order, as one long list (compressed sparse rows): 4 bytes an edge, 4 more with weights, 12 a node. It
// does not change, and may be used side by side.
type Graph struct {
	start   []uint64  // where the row of each node begins in from, and the end of all
	from    []uint32  // nodes that link to a node, row by row
	weights []float32 // of the edges; nil: all are 1
	degrees []uint32  // edges that leave each node
}

// Nodes is the number of nodes.
func (g *Graph) Nodes() int { return len(g.degrees) }

// Edges is the number of edges.
func (g *Graph) Edges() int { return len(g.from) }

// Weighted reports whether edges have weights.
func (g *Graph) Weighted() bool { return g.weights != nil }

// LinksTo returns the nodes that link to a node, ascending. The caller must not change them.
func (g *Graph) LinksTo(node uint32) []uint32 { return g.from[g.start[node]:g.start[node+1]] }

// Weights returns the weights of the edges of [Graph.LinksTo]; nil: all are 1. The caller must not change them.
func (g *Graph) Weights(node uint32) []float32 {
	if g.weights == nil {
		return nil
	}
	return g.weights[g.start[node]:g.start[node+1]]
}

// OutDegree is the number of edges that leave a node.
func (g *Graph) OutDegree(node uint32) int { return int(g.degrees[node]) }

// InDegree is the number of edges that enter a node.
func (g *Graph) InDegree(node uint32) int { return int(g.start[node+1] - g.start[node]) }

// InDegrees returns the number of edges that enter each node, or the sum of their weights.
func (g *Graph) InDegrees() []float64 {
	out := make([]float64, g.Nodes())
	for node := range out {
		out[node] = float64(g.InDegree(uint32(node)))
		if g.weights != nil {
			out[node] = 0
			for _, w := range g.Weights(uint32(node)) {
				out[node] += float64(w)
			}
		}
	}
	return out
}

// strengths returns the sum of the weights of the edges that leave each node.
func (g *Graph) strengths() []float64 {
	out := make([]float64, g.Nodes())
	for i, from := range g.from {
		if g.weights == nil {
			out[from]++
		} else {
			out[from] += float64(g.weights[i])
		}
	}
	return out
}

// Reversed returns the graph with all edges turned around. It takes as much memory as g.
func (g *Graph) Reversed() *Graph {
	n := g.Nodes()
	out := &Graph{start: make([]uint64, n+1), from: make([]uint32, len(g.from)), degrees: make([]uint32, n)}
	if g.weights != nil {
		out.weights = make([]float32, len(g.from))
	}
	for node, degree := range g.degrees {
		out.start[node+1] = out.start[node] + uint64(degree)
		out.degrees[node] = uint32(g.InDegree(uint32(node)))
	}
	next := slices.Clone(out.start)
	for to := range uint32(n) {
		for i := g.start[to]; i < g.start[to+1]; i++ {
			at := next[g.from[i]]
			next[g.from[i]]++
			out.from[at] = to
			if g.weights != nil {
				out.weights[at] = g.weights[i]
			}
		}
	}
	return out
}

// withReversedSinks returns the graph in which each node without a link links back to those
// that link to it.
func (g *Graph) withReversedSinks() *Graph {
	n := g.Nodes()
	more := make([]uint64, n+1) // edges that each node gets
	for to := range uint32(n) {
		if g.degrees[to] == 0 {
			for _, from := range g.LinksTo(to) {
				more[from]++
			}
		}
	}
	out := &Graph{start: make([]uint64, n+1), degrees: slices.Clone(g.degrees)}
	for node := range n {
		out.start[node+1] = out.start[node] + (g.start[node+1] - g.start[node]) + more[node]
	}
	out.from = make([]uint32, out.start[n])
	if g.weights != nil {
		out.weights = make([]float32, out.start[n])
	}
	next := slices.Clone(out.start)
	add := func(to, from uint32, i uint64) {
		at := next[to]
		next[to]++
		out.from[at] = from
		if g.weights != nil {
			out.weights[at] = g.weights[i]
		}
	}
	for to := range uint32(n) {
		for i := g.start[to]; i < g.start[to+1]; i++ {
			add(to, g.from[i], i)
			if g.degrees[to] == 0 {
				add(g.from[i], to, i)
				out.degrees[to]++
			}
		}
	}
	return out
}
