package graph

import (
	"context"
	"math"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
)

// Harmonic is the harmonic centrality of each node: the sum, over all others that can reach it, of
// 1 / the number of edges of the shortest way (Boldi and Vigna, Axioms for Centrality, 2014). Weights are not looked
// at. It does a breadth-first search from each node: seconds for ten thousand nodes, hours for a million, for which
// there is [HyperBall].
func Harmonic(ctx context.Context, g *Graph) ([]float64, error) {
	n := g.Nodes()
	// A search along the edges that enter a node finds those that can reach it. Each is one node's, whole, so
	// that sums are made in one order.
	out := make([]float64, n)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		group.Go(func() {
			seen := make([]uint32, n) // the search that has seen a node, from 1
			var now, then []uint32
			for ctx.Err() == nil {
				node := int(next.Add(1)) - 1
				if node >= n {
					return
				}
				mark := uint32(node) + 1
				seen[node] = mark
				now = append(now[:0], uint32(node))
				for far := 1; len(now) > 0; far++ {
					then = then[:0]
					for _, v := range now {
						for _, from := range g.LinksTo(v) {
							if seen[from] != mark {
								seen[from] = mark
								then = append(then, from)
							}
						}
					}
					out[node] += float64(len(then)) / float64(far)
					now, then = then, now
					if ctx.Err() != nil {
						return
					}
				}
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return out, nil
}

// HyperBall estimates harmonic centrality (Boldi and Vigna, In-Core Computation of Geometric Centralities with HyperBall,
// 2013): it counts the nodes within each distance by HyperLogLog counters.
type HyperBall struct {
	// Log2Registers is the logarithm of the registers of a counter, a byte each, from 4 to 16; 0: 8. The relative
	// standard error of a count is 1.04/√registers: 6.5 % with 256, which take 2 × 256 bytes a node.
	Log2Registers int
	// MaxDistance is where to stop; 0: when nothing changes.
	MaxDistance int
	Seed        uint64 // of the hash
}

// Of estimates the harmonic centrality of each node. It takes as many passes over the edges as the longest of the
// shortest ways has edges.
func (h HyperBall) Of(ctx context.Context, g *Graph) ([]float64, error) {
	log := min(max(h.Log2Registers, 0), 16)
	if log == 0 {
		log = 8
	}
	log = max(log, 4)
	n, m := g.Nodes(), 1<<log
	now, then := make([]byte, n*m), make([]byte, n*m)
	sizes, out := make([]float64, n), make([]float64, n)
	for node := range n {
		x := mix(uint64(node) + h.Seed*0x9e3779b97f4a7c15 + 1)
		now[node*m+int(x&uint64(m-1))] = byte(1 + bits.LeadingZeros64(x|uint64(m-1)))
		sizes[node] = 1
	}
	// Who has changed in the last round; only those change others.
	changed := make([]bool, n)
	for i := range changed {
		changed[i] = true
	}
	next := make([]bool, n)
	for far := 1; h.MaxDistance <= 0 || far <= h.MaxDistance; far++ {
		moved, _, err := rows(ctx, n, func(lo, hi uint32) (moved, none float64) {
			for node := lo; node < hi; node++ {
				mine := then[int(node)*m : (int(node)+1)*m]
				copy(mine, now[int(node)*m:])
				grown := false
				for _, from := range g.LinksTo(node) {
					if !changed[from] {
						continue
					}
					for i, r := range now[int(from)*m : (int(from)+1)*m] {
						if r > mine[i] {
							mine[i], grown = r, true
						}
					}
				}
				if next[node] = grown; !grown {
					continue
				}
				moved++
				size := estimate(mine)
				out[node] += max(0, size-sizes[node]) / float64(far)
				sizes[node] = max(size, sizes[node])
			}
			return moved, 0
		})
		if err != nil {
			return nil, err
		}
		if moved == 0 {
			break
		}
		now, then, changed, next = then, now, next, changed
	}
	return out, nil
}

// estimate is how many different things a HyperLogLog counter has seen (Flajolet and others, 2007), with linear counting
// of few.
func estimate(registers []byte) float64 {
	m := float64(len(registers))
	sum, zeros := 0.0, 0
	for _, r := range registers {
		sum += math.Ldexp(1, -int(r))
		if r == 0 {
			zeros++
		}
	}
	alpha := 0.7213 / (1 + 1.079/m)
	switch len(registers) {
	case 16:
		alpha = 0.673
	case 32:
		alpha = 0.697
	case 64:
		alpha = 0.709
	}
	e := alpha * m * m / sum
	if e <= 2.5*m && zeros > 0 {
		return m * math.Log(m/float64(zeros))
	}
	return e
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
