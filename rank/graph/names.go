package graph

import (
	"context"
	"fmt"
	"iter"
	"slices"
)

// Names gives numbers to names, such as URLs, in the order in which they come: 0, 1, 2, ... The zero value has none. Not for use side by side.
type Names struct {
	numbers map[string]uint32
	names   []string
}

// Number returns the number of a name, a new one if it has none.
func (n *Names) Number(name string) uint32 {
	if i, ok := n.numbers[name]; ok {
		return i
	}
	if n.numbers == nil {
		n.numbers = map[string]uint32{}
	}
	i := uint32(len(n.names))
	n.numbers[name] = i
	n.names = append(n.names, name)
	return i
}

// Find returns the number of a name, if it has one.
func (n *Names) Find(name string) (number uint32, ok bool) {
	number, ok = n.numbers[name]
	return number, ok
}

// Name returns the name of a number that was given.
func (n *Names) Name(number uint32) string { return n.names[number] }

// Len is how many names there are.
func (n *Names) Len() int { return len(n.names) }

// Edge returns the edge between two names.
func (n *Names) Edge(from, to string) Edge {
	return Edge{From: n.Number(from), To: n.Number(to), Weight: 1}
}

// Groups returns the number of the group of each name, such as the host of a URL, and the names of the groups.
func (n *Names) Groups(of func(name string) string) (group []uint32, groups *Names) {
	groups = new(Names)
	group = make([]uint32, 0, n.Len())
	for _, name := range n.names {
		group = append(group, groups.Number(of(name)))
	}
	return group, groups
}

// Grouped returns the graph of groups of nodes, as of the hosts of pages, given the group of each node: an edge from one group to another has as
// weight how many edges lead from nodes of it to those of the other, or the sum of their weights. Edges within a group are left out. It builds as [Build]
// does, in the budget and folder of opt.
func (g *Graph) Grouped(ctx context.Context, group []uint32, opt BuildOptions) (*Graph, error) {
	if len(group) != g.Nodes() {
		return nil, fmt.Errorf("graph: groups for %d nodes of %d", len(group), g.Nodes())
	}
	if len(group) > 0 {
		opt.Nodes = max(opt.Nodes, int(slices.Max(group))+1)
	}
	opt.Weighted, opt.Loops = true, false
	return Build(ctx, g.between(group), opt)
}

// between yields the edges between groups.
func (g *Graph) between(group []uint32) iter.Seq2[Edge, error] {
	return func(yield func(Edge, error) bool) {
		for e := range g.All() {
			e.From, e.To = group[e.From], group[e.To]
			if e.From != e.To && !yield(e, nil) {
				return
			}
		}
	}
}

// All yields all edges, by the node that they enter.
func (g *Graph) All() iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		for to := range uint32(g.Nodes()) {
			weights := g.Weights(to)
			for i, from := range g.LinksTo(to) {
				e := Edge{From: from, To: to, Weight: 1}
				if weights != nil {
					e.Weight = weights[i]
				}
				if !yield(e) {
					return
				}
			}
		}
	}
}
