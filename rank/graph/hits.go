package graph

import (
	"context"
	"math"
)

// HITS finds hubs and authorities: a node is a good authority when good hubs link to it, and a good hub when it links to good
// authorities (Kleinberg, 1999). It is for the graph around the answers to a query rather than for all of the web.
type HITS struct {
	Tolerance     float64 // the most by which an iteration may still change the authorities, as a sum of absolute differences; 0: 1e-9
	MaxIterations int     // 0: 1000
}

// Authorities are what HITS finds; both sum up to 1, unless there are no edges: then all are 0.
type Authorities struct {
	Authorities, Hubs []float64 // by node
	Iterations        int
	Change            float64 // of the authorities in the last iteration: more than the tolerance where it did not converge
}

// Of computes hubs and authorities. It holds the graph a second time, reversed. When ctx ends it returns the cause.
func (h HITS) Of(ctx context.Context, g *Graph) (*Authorities, error) {
	tolerance, most := h.Tolerance, h.MaxIterations
	if tolerance <= 0 {
		tolerance = presetTolerance
	}
	if most <= 0 {
		most = presetIterations
	}
	n := g.Nodes()
	out := &Authorities{Authorities: make([]float64, n), Hubs: make([]float64, n), Change: math.Inf(1)}
	if g.Edges() == 0 {
		out.Change = 0
		return out, nil
	}
	back := g.Reversed()
	for i := range out.Hubs {
		out.Hubs[i] = 1 / float64(n)
	}
	last := make([]float64, n)
	for out.Change > tolerance && out.Iterations < most {
		last, out.Authorities = out.Authorities, last
		if err := gathered(ctx, g, out.Authorities, out.Hubs); err != nil {
			return nil, err
		}
		if err := gathered(ctx, back, out.Hubs, out.Authorities); err != nil {
			return nil, err
		}
		var err error
		out.Change, _, err = rows(ctx, n, func(lo, hi uint32) (sum, none float64) {
			for i := lo; i < hi; i++ {
				sum += math.Abs(out.Authorities[i] - last[i])
			}
			return sum, 0
		})
		if err != nil {
			return nil, err
		}
		out.Iterations++
	}
	return out, nil
}

// gathered sets for each node the sum of what those that link to it have, scaled to a sum of 1.
func gathered(ctx context.Context, g *Graph, to, from []float64) error {
	total, _, err := rows(ctx, len(to), func(lo, hi uint32) (sum, none float64) {
		for node := lo; node < hi; node++ {
			to[node] = 0
			weights := g.Weights(node)
			for i, other := range g.LinksTo(node) {
				w := 1.0
				if weights != nil {
					w = float64(weights[i])
				}
				to[node] += float64(from[other] * w)
			}
			sum += to[node]
		}
		return sum, 0
	})
	if err != nil || total == 0 {
		return err
	}
	_, _, err = rows(ctx, len(to), func(lo, hi uint32) (a, b float64) {
		for i := lo; i < hi; i++ {
			to[i] /= total
		}
		return 0, 0
	})
	return err
}
