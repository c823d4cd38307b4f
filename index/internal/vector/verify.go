package vector

import "context"

// each returns what ends work with a context, and looks at it now and then.
func each(ctx context.Context) func() error {
	steps := 0
	return func() error {
		if steps++; steps%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return nil
	}
}

// Verify reads all vectors and the graph, and reports the first thing that does not
// fit. The pages under them are checked by the file.
func (r *Reader) Verify(ctx context.Context) error {
	if r == nil {
		return nil
	}
	v := make([]float32, r.Dims)
	var codes []byte
	check := each(ctx)
	for id := range r.n {
		if err := check(); err != nil {
			return err
		}
		row, err := r.floatsOf(id)
		if err != nil {
			return err
		}
		for i := range v {
			v[i] = number(row[4+4*i:])
		}
		if r.CheckVector(v) != "" || squares(v) != number(row) {
			return r.floats.Damage(uint64(id)*uint64(len(row)), "a vector that makes no sense")
		}
		if r.graph == nil {
			continue
		}
		have, err := r.graph.row(id)
		if err != nil {
			return err
		}
		if codes = appendCodes(codes[:0], r.Similarity, v); string(codes) != string(have) {
			return r.graph.codes.Damage(uint64(id)*uint64(len(have)), "codes of another vector")
		}
	}
	if r.graph == nil {
		return nil
	}
	return r.graph.verify(check)
}

// verify holds that a walk, and a graph that takes this one over, find what they look for.
func (g *graphFile) verify(check func() error) error {
	for level := 0; level <= g.top(); level++ {
		nodes := g.nodes(level)
		for i := range g.count(level) {
			if err := check(); err != nil {
				return err
			}
			id := uint32(i)
			if level > 0 {
				if id = nodes[i]; id >= g.n || i > 0 && nodes[i-1] >= id {
					return g.where.Damage(0, "vectors of a level are out of order")
				}
			}
			links, err := g.links(level, id)
			if err != nil {
				return err
			}
			for ; len(links) >= 4; links = links[4:] {
				if level == 0 {
					continue
				}
				if _, ok := g.upper[level-1].find(linkAt(links)); !ok {
					return g.where.Damage(0, "a neighbour is not at the level of the graph")
				}
			}
		}
	}
	return nil
}
