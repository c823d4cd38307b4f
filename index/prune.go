package index

// A pruned search leaves out documents that cannot be among the best k. It is
// exact: what it returns is what an exhaustive search returns, to the last bit.
//
// Every walk bounds the scores of a run of documents. It computes the bound by
// the very operations that make the score, in the same order, from bounds of
// the words (see [rank.Score]: the score at the impacts of a block is not less
// than that of any document of it). A sum or a product of numbers that are not
// negative never falls when one of them rises, and neither does rounding; so a
// bound is not less than any score it stands for, without any allowance;
// conversions keep compilers from fusing operations here and not there. Where
// the order differs, in [maxScore] and [allOf], there is an allowance (see [cutter]).
//
// A document is left out only if its bound is less than what it needs to enter
// (see topK.least).

// gate keeps documents from a walk that cannot be among the best.
type gate struct {
	run   *run
	of    extent
	least *float64                 // what documents need to score
	until uint32                   // later ones all pass
	each  func(doc uint32) float64 // what a document needs by itself; nil: least
	open  bool
	max   float64 // what documents up to last score at most
	last  uint32
}

// newGate keeps documents from a walk that finds the best.
func newGate(r *run, of walk) *gate { return &gate{run: r, of: of, least: &r.least, until: end} }

// pass returns doc if it may be among the best, else the next document that
// may.
func (g *gate) pass(doc uint32) uint32 {
	for doc < g.until && *g.least > 0 {
		if !g.open || doc > g.last {
			g.max, g.last = g.of.bound(doc)
			g.open = true
		}
		alone := !(g.max < *g.least)
		if alone && (g.each == nil || !(g.max < g.each(doc))) {
			return doc
		}
		g.run.pruned = true
		if alone {
			return doc + 1
		}
		if g.last >= end-1 || g.run.stop() {
			return end
		}
		doc = min(g.last+1, g.until)
	}
	return doc
}

// needs is what a document needs to score; 0: anything.
func (g *gate) needs(doc uint32) float64 {
	switch {
	case g == nil || doc >= g.until:
		return 0
	case g.each != nil:
		return g.each(doc)
	}
	return *g.least
}

// gated is a walk that asks a gate before it does work. It may then leave out
// matches that the gate would.
type gated interface{ guard(*gate) }

func (w *andWalk) guard(g *gate)    { w.gate = g }
func (w *phraseWalk) guard(g *gate) { w.gate = g }

func (w *allWalk) bound(uint32) (float64, uint32) { return 0, end }
func (noneWalk) bound(uint32) (float64, uint32)   { return 0, end }
func (w *notWalk) bound(uint32) (float64, uint32) { return 0, end }

func (w boostWalk) bound(from uint32) (float64, uint32) {
	most, last := w.walk.bound(from)
	return float64(w.by * most), last
}

func (w *andWalk) bound(from uint32) (float64, uint32) {
	sum, until := 0.0, uint32(end)
	for _, m := range w.members {
		most, last := m.bound(from)
		sum += most
		until = min(until, last)
	}
	return sum, until
}

func (w *orWalk) bound(from uint32) (float64, uint32) {
	sum, until := 0.0, uint32(end)
	for _, m := range w.members {
		most, last := m.bound(from)
		sum += most
		until = min(until, last)
	}
	return sum, until
}
