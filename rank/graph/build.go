package graph

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
)

// Edge is a link from one node to another.
type Edge struct {
	From, To uint32
	Weight   float32 // in a graph with weights; greater than 0. Else it is not looked at
}

// BuildOptions say how a graph is made. The zero value makes one without weights.
type BuildOptions struct {
	// Nodes is how many nodes there are at least, also without edges; beyond that there are as many as
	// the edges name. The greatest number of a node is 2^32-2, so that there are 2^32-1 nodes at most.
	Nodes int
	// Weighted keeps the weights of edges. The weight of several from one node to another is their sum.
	Weighted bool
	// Loops keeps edges from a node to itself.
	Loops bool
	// MemoryBudget is about how many bytes edges take before they are sorted and written to
	// a file; 0: 256 MiB. The graph itself comes besides: see [Graph].
	MemoryBudget int64
	// Dir is the folder of such files, which are removed; "": that of the system.
	Dir string
}

const (
	presetBudget = 256 << 20
	leastBudget  = 1 << 16
	maxNode      = math.MaxUint32 - 1
)

// Build makes a graph of edges in any order. An edge that comes again counts once, or adds to the weight. Edges that
// do not fit into the budget wait, sorted, in temporary files of about five bytes an edge, nine with weights. An error that
// the edges yield ends it.
func Build(ctx context.Context, edges iter.Seq2[Edge, error], opt BuildOptions) (g *Graph, err error) {
	if opt.Nodes < 0 || opt.Nodes > maxNode+1 {
		return nil, fmt.Errorf("graph: %d nodes: want 0 to %d", opt.Nodes, maxNode+1)
	}
	s := newSorter(opt)
	defer func() { err = errors.Join(err, s.close()) }()
	nodes, n := opt.Nodes, 0
	for e, err := range edges {
		if err != nil {
			return nil, err
		}
		if n++; n%4096 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if e.From > maxNode || e.To > maxNode {
			return nil, fmt.Errorf("graph: edge %d → %d: a node is at most %d", e.From, e.To, maxNode)
		}
		if opt.Weighted && (!(e.Weight > 0) || e.Weight > math.MaxFloat32) {
			return nil, fmt.Errorf("graph: edge %d → %d: weight %v is not greater than 0 and finite", e.From, e.To, e.Weight)
		}
		nodes = max(nodes, int(e.From)+1, int(e.To)+1)
		if e.From == e.To && !opt.Loops {
			continue
		}
		if err := s.add(e); err != nil {
			return nil, err
		}
	}
	return s.graph(ctx, nodes)
}

// graph makes the graph of all edges.
func (s *sorter) graph(ctx context.Context, nodes int) (*Graph, error) {
	g := &Graph{start: make([]uint64, nodes+1), degrees: make([]uint32, nodes)}
	g.from = make([]uint32, 0, s.added)
	if s.opt.Weighted {
		g.weights = make([]float32, 0, s.added)
	}
	row, last, first := 0, uint64(0), true
	for r, err := range s.sorted() {
		if err != nil {
			return nil, err
		}
		if !first && r.key == last {
			if s.opt.Weighted {
				w := &g.weights[len(g.weights)-1]
				*w = min(*w+r.weight, math.MaxFloat32)
			}
			continue
		}
		if len(g.from)%4096 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		last, first = r.key, false
		for to := int(r.key >> 32); row < to; row++ {
			g.start[row+1] = uint64(len(g.from))
		}
		g.from = append(g.from, uint32(r.key))
		g.degrees[uint32(r.key)]++
		if s.opt.Weighted {
			g.weights = append(g.weights, r.weight)
		}
	}
	for ; row < nodes; row++ {
		g.start[row+1] = uint64(len(g.from))
	}
	if cap(g.from)-len(g.from) > cap(g.from)/4 {
		g.from, g.weights = slices.Clip(slices.Clone(g.from)), slices.Clone(g.weights)
	}
	return g, nil
}
