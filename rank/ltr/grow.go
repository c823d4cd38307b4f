package ltr

import (
	"runtime"
	"sync"
)

// cell is what a histogram knows of the documents of a bin.
type cell struct {
	gradient, hessian float64
	docs              int
}

func (c *cell) add(o cell) {
	c.gradient += o.gradient
	c.hessian += o.hessian
	c.docs += o.docs
}

func (c cell) minus(o cell) cell {
	return cell{c.gradient - o.gradient, c.hessian - o.hessian, c.docs - o.docs}
}

// grower grows trees, the leaf first that gains most.
type grower struct {
	columns  []*binned
	leaves   int
	minDocs  int
	l2       float64
	gradient []float64
	hessian  []float64
}

// minHessian is the least sum of second derivatives in a leaf.
const minHessian = 1e-3

// grown is a leaf that may still be split.
type grown struct {
	docs  []int32
	total cell
	cells [][]cell // by feature and bin; nil: the feature is not looked at
	best  cut
	leaf  int // its number
	// parent is the split that it hangs on, and left the side; parent -1: it is the root.
	parent int
	left   bool
}

// cut is a way to split a leaf.
type cut struct {
	gain        float64
	feature     int
	bin         int  // the last that goes left
	missingLeft bool // where NaN goes
	left        cell
}

// value is what a leaf adds.
func (g *grower) value(c cell) float64 {
	if d := c.hessian + g.l2; d > 0 {
		return -c.gradient / d
	}
	return 0
}

// gain is what a leaf is worth.
func (g *grower) gain(c cell) float64 {
	if d := c.hessian + g.l2; d > 0 {
		return c.gradient * c.gradient / d
	}
	return 0
}

// grow makes a tree for the documents, by the features that are used. Leaves are multiplied by rate.
func (g *grower) grow(docs []int32, used []bool, rate float64) tree {
	root := &grown{docs: docs, parent: -1}
	root.cells = g.histograms(docs, used)
	for _, d := range docs {
		root.total.add(cell{g.gradient[d], g.hessian[d], 1})
	}
	g.seek(root)
	leaves := []*grown{root}
	var t tree
	for len(leaves) < g.leaves {
		var of *grown
		for _, l := range leaves {
			if l.best.gain > 0 && (of == nil || l.best.gain > of.best.gain) {
				of = l
			}
		}
		if of == nil {
			break
		}
		leaves = append(leaves, g.split(&t, of, len(leaves), used))
	}
	t.leaves, t.weights = make([]float64, len(leaves)), make([]float64, len(leaves))
	for _, l := range leaves {
		t.leaves[l.leaf] = g.value(l.total) * rate
		t.weights[l.leaf] = float64(l.total.docs)
	}
	return t
}

// split splits a leaf, which becomes its left child, and returns the right one.
func (g *grower) split(t *tree, of *grown, leaf int, used []bool) *grown {
	best, column := of.best, g.columns[of.best.feature]
	at := len(t.splits)
	s := split{threshold: column.above[best.bin], feature: int32(best.feature), left: ^int32(of.leaf), right: ^int32(leaf), kind: missingNaN}
	if best.missingLeft {
		s.kind |= missingLeft
	}
	t.splits = append(t.splits, s)
	if of.parent >= 0 {
		if of.left {
			t.splits[of.parent].left = int32(at)
		} else {
			t.splits[of.parent].right = int32(at)
		}
	}
	left, right := make([]int32, 0, best.left.docs), make([]int32, 0, len(of.docs)-best.left.docs)
	for _, d := range of.docs {
		bin := int(column.bins[d])
		if column.missing > 0 && bin == column.missing && best.missingLeft || bin <= best.bin {
			left = append(left, d)
		} else {
			right = append(right, d)
		}
	}
	other := &grown{docs: right, total: of.total.minus(best.left), leaf: leaf, parent: at}
	of.docs, of.total, of.parent, of.left = left, best.left, at, true
	small, large := of, other
	if len(left) > len(right) {
		small, large = other, of
	}
	all := of.cells
	small.cells = g.histograms(small.docs, used)
	for f, cells := range small.cells {
		for b, c := range cells {
			all[f][b] = all[f][b].minus(c)
		}
	}
	large.cells = all
	g.seek(of)
	g.seek(other)
	return other
}

// histograms counts the documents of a leaf by bins. Each feature is counted by one goroutine, in the order of the documents, so
// that the sums are the same however many there are.
func (g *grower) histograms(docs []int32, used []bool) [][]cell {
	all := make([][]cell, len(g.columns))
	g.eachFeature(len(docs), func(f int) {
		if !used[f] {
			return
		}
		column := g.columns[f]
		cells := make([]cell, column.count()+1)
		for _, d := range docs {
			c := &cells[column.bins[d]]
			c.gradient += g.gradient[d]
			c.hessian += g.hessian[d]
			c.docs++
		}
		all[f] = cells
	})
	return all
}

// eachFeature calls do for all features, side by side if there is enough to do.
func (g *grower) eachFeature(docs int, do func(feature int)) {
	workers := min(runtime.GOMAXPROCS(0), len(g.columns))
	if docs*len(g.columns) < 1<<15 {
		workers = 1
	}
	if workers < 2 {
		for f := range g.columns {
			do(f)
		}
		return
	}
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for f := w; f < len(g.columns); f += workers {
				do(f)
			}
		})
	}
	wait.Wait()
}

// seek finds the best split of a leaf.
func (g *grower) seek(l *grown) {
	l.best = cut{}
	if l.total.docs < 2*g.minDocs {
		return
	}
	whole := g.gain(l.total)
	for f, cells := range l.cells {
		if cells == nil {
			continue
		}
		column := g.columns[f]
		missing := cell{}
		if column.missing > 0 {
			missing = cells[column.missing]
		}
		sum := cell{}
		for bin := range column.above {
			sum.add(cells[bin])
			with := sum
			with.add(missing)
			g.try(l, whole, cut{feature: f, bin: bin, left: with, missingLeft: true})
			if missing.docs > 0 {
				g.try(l, whole, cut{feature: f, bin: bin, left: sum})
			}
		}
	}
}

// try keeps a split if it is better than the best so far.
func (g *grower) try(l *grown, whole float64, c cut) {
	right := l.total.minus(c.left)
	if c.left.docs < g.minDocs || right.docs < g.minDocs || c.left.hessian < minHessian || right.hessian < minHessian {
		return
	}
	const least = 1e-10 // below that it is rounding
	c.gain = g.gain(c.left) + g.gain(right) - whole
	if c.gain > least && c.gain > l.best.gain {
		l.best = c
	}
}
