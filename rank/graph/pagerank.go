package graph

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// PageRank is the probability of being at a node after many steps, each of which follows, with the
// probability Damping, one of the edges that leave a node, and else goes anywhere
// (Brin and Page, 1998). The zero value is the usual one.
type PageRank struct {
	// Damping is how likely an edge is followed, less than 1; 0: 0.85; negative: a true 0.
	Damping float64
	// Teleport is how likely each node is gone to without an edge, in any unit: the nodes of a topic or of a
	// person, or such that are trusted. nil: all alike.
	Teleport []float64
	// SinkTo is how likely each node is gone to from one that no edge leaves, in any unit; nil: as Teleport.
	SinkTo []float64
	// ReverseSinks lets nodes that no edge leaves link back to those that link to them. Only those without any
	// edge are left to SinkTo then. It takes a copy of the graph.
	ReverseSinks bool
	// Start are the ranks of an earlier graph, of which this one's first nodes are: with them it is done
	// sooner. Nodes that it does not have begin with the mean. nil: all begin alike.
	Start []float64
	// Tolerance is the most by which all ranks together may differ from the true ones, as a sum of absolute
	// differences; 0: 1e-9. About 1e-13 is what can be reached.
	Tolerance float64
	// MaxIterations is when to stop in any case; 0: 1000.
	MaxIterations int
}

// Ranks is a number for each node, and how exact they are.
type Ranks struct {
	Of         []float64 // by node
	Iterations int
	// Error bounds the sum of the absolute differences from the true ranks, but for rounding. It is
	// more than the tolerance only where MaxIterations has ended it.
	Error float64
}

const (
	presetDamping    = 0.85
	presetTolerance  = 1e-9
	presetIterations = 1000
)

// TrustRank is the PageRank that begins at trusted nodes, alike or each with a weight (Gyöngyi and others, Combating Web
// Spam with TrustRank, VLDB 2004): nodes that these do not reach have none. Over the reversed graph, from
// nodes that are known as spam, it is how much a node leads to them. Nodes outside the graph are an error of [PageRank.Of].
func TrustRank(nodes int, trusted map[uint32]float64) (PageRank, error) {
	p := PageRank{Teleport: make([]float64, nodes)}
	for node, weight := range trusted {
		if int64(node) >= int64(nodes) {
			return p, fmt.Errorf("graph: trusted node %d: there are %d", node, nodes)
		}
		p.Teleport[node] = weight
	}
	return p, nil
}

// Of computes the PageRank of all nodes; they sum up to 1. An iteration is one pass over the
// edges, at 5 to 10 ns an edge on each processor, and gains a factor of Damping in exactness: 130 of them for the default.
// When ctx ends it returns the cause.
func (p PageRank) Of(ctx context.Context, g *Graph) (*Ranks, error) {
	n := g.Nodes()
	teleport, err := shares("Teleport", p.Teleport, n)
	if err != nil {
		return nil, err
	}
	sinkTo := teleport
	if p.SinkTo != nil {
		if sinkTo, err = shares("SinkTo", p.SinkTo, n); err != nil {
			return nil, err
		}
	}
	damping, tolerance, most := p.Damping, p.Tolerance, p.MaxIterations
	switch {
	case damping == 0:
		damping = presetDamping
	case damping < 0:
		damping = 0
	case !(damping < 1):
		return nil, fmt.Errorf("graph: damping %v is not less than 1", damping)
	}
	if tolerance <= 0 {
		tolerance = presetTolerance
	}
	if most <= 0 {
		most = presetIterations
	}
	x, err := startOf(p.Start, n)
	if err != nil || n == 0 {
		return &Ranks{Of: x}, err
	}
	if p.ReverseSinks {
		g = g.withReversedSinks()
	}
	it := &iteration{g: g, damping: damping, teleport: teleport, sinkTo: sinkTo, x: x, given: make([]float64, n), next: make([]float64, n)}
	if g.weights != nil {
		it.strengths = g.strengths()
	}
	if err := it.begin(ctx); err != nil {
		return nil, err
	}
	out := &Ranks{Error: math.Inf(1)}
	for out.Error > tolerance && out.Iterations < most {
		change, err := it.step(ctx)
		if err != nil {
			return nil, err
		}
		out.Iterations++
		// Each step brings two vectors nearer by the factor of damping, so that the rest of the way is at
		// most a geometric series.
		out.Error = change * damping / (1 - damping)
	}
	out.Of = it.x
	return out, nil
}

// shares scales weights to a sum of 1; nil for all alike.
func shares(what string, weights []float64, n int) ([]float64, error) {
	if weights == nil {
		return nil, nil
	}
	if len(weights) != n {
		return nil, fmt.Errorf("graph: %s has %d numbers for %d nodes", what, len(weights), n)
	}
	most := 0.0
	for node, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			return nil, fmt.Errorf("graph: %s of node %d is %v: want a number from 0 up", what, node, w)
		}
		most = max(most, w)
	}
	if most == 0 && n > 0 {
		return nil, fmt.Errorf("graph: %s is 0 for all nodes", what)
	}
	out := make([]float64, n)
	sum := 0.0
	for i, w := range weights {
		out[i] = w / most
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out, nil
}

// startOf makes the ranks to begin with.
func startOf(old []float64, n int) ([]float64, error) {
	if old == nil || n == 0 {
		out := make([]float64, n)
		for i := range out {
			out[i] = 1 / float64(n)
		}
		return out, nil
	}
	out := slices.Clone(old[:min(len(old), n)])
	known, mean := len(out), 0.0
	for _, v := range out {
		mean += v / float64(known)
	}
	for len(out) < n {
		out = append(out, mean)
	}
	return shares("Start", out, n)
}

// iteration is PageRank under way.
type iteration struct {
	g                *Graph
	damping          float64
	teleport, sinkTo []float64 // nil: all alike
	strengths        []float64 // nil: the degrees
	x                []float64 // ranks
	lost             float64   // what nodes without edges have
	given, next      []float64 // what each node gives along an edge of weight 1, now and in the next step
}

// begin sets what nodes give in the first step.
func (it *iteration) begin(ctx context.Context) error {
	lost, _, err := rows(ctx, len(it.x), func(lo, hi uint32) (lost, none float64) {
		for i := lo; i < hi; i++ {
			lost += it.give(i, it.x[i], it.given)
		}
		return lost, 0
	})
	it.lost = lost
	return err
}

// give sets what a node of rank r gives along its edges, and returns what it has where there are none.
func (it *iteration) give(node uint32, r float64, given []float64) (lost float64) {
	switch degree := it.g.degrees[node]; {
	case degree == 0:
		return r
	case it.strengths != nil:
		given[node] = r / it.strengths[node]
	default:
		given[node] = r / float64(degree)
	}
	return 0
}

// step makes the next ranks, in one pass over the edges, and returns by how much they differ from the last. Rounding does not
// add up: what it adds to all ranks, or takes away, falls by damping in each step as any other difference does.
func (it *iteration) step(ctx context.Context) (change float64, err error) {
	even, lost := 1/float64(len(it.x)), it.lost
	change, it.lost, err = rows(ctx, len(it.x), func(lo, hi uint32) (change, left float64) {
		for to := lo; to < hi; to++ {
			jump := even
			if it.teleport != nil {
				jump = it.teleport[to]
			}
			sink := jump
			if it.sinkTo != nil {
				sink = it.sinkTo[to]
			}
			r := float64(it.damping*(it.pull(to)+float64(lost*sink))) + float64((1-it.damping)*jump)
			change += math.Abs(r - it.x[to])
			it.x[to] = r
			left += it.give(to, r, it.next)
		}
		return change, left
	})
	it.given, it.next = it.next, it.given
	return change, err
}

// pull adds up what a node is given.
func (it *iteration) pull(to uint32) float64 {
	from, given := it.g.LinksTo(to), it.given
	if weights := it.g.Weights(to); weights != nil {
		sum := 0.0
		for i, node := range from {
			sum += float64(given[node] * float64(weights[i]))
		}
		return sum
	}
	sum := 0.0
	for _, node := range from {
		sum += given[node]
	}
	return sum
}
