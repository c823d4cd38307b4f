package exec

// A pruned search leaves out documents that cannot be among the best k. It is
// exact: what it returns is what an exhaustive search returns, to the last bit.
//
// Every iterator bounds the scores of a run of documents. It computes the bound by
// the very operations that make the score, in the same order, from bounds of
// the words (see [rank.Score]: the score at the impacts of a block is not less
// than that of any document of it). A sum or a product of numbers that are not
// negative never falls when one of them rises, and neither does rounding; so a
// bound is not less than any score it stands for, without any allowance;
// conversions keep compilers from fusing operations here and not there. Where
// the order differs, in maxScore and allOf of package collect, there is an allowance: see
// cutter there.
//
// A document is left out only if its bound is less than what it needs to enter
// (see topK.least in package collect).

// Gate keeps documents from an iterator that cannot be among the best.
type Gate struct {
	Run   *Run
	Of    extent
	Least *float64                 // what documents need to score
	Until uint32                   // later ones all pass
	Each  func(doc uint32) float64 // what a document needs by itself; nil: least
	Open  bool
	max   float64 // what documents up to last score at most
	last  uint32
}

// NewGate keeps documents from an iterator that finds the best.
func NewGate(r *Run, of Iterator) *Gate { return &Gate{Run: r, Of: of, Least: &r.Least, Until: End} }

// Pass returns doc if it may be among the best, else the next document that
// may.
func (g *Gate) Pass(doc uint32) uint32 {
	for doc < g.Until && *g.Least > 0 {
		if !g.Open || doc > g.last {
			g.max, g.last = g.Of.Bound(doc)
			g.Open = true
		}
		alone := !(g.max < *g.Least)
		if alone && (g.Each == nil || !(g.max < g.Each(doc))) {
			return doc
		}
		g.Run.Pruned = true
		if alone {
			return doc + 1
		}
		if g.last >= End-1 || g.Run.Stop() {
			return End
		}
		doc = min(g.last+1, g.Until)
	}
	return doc
}

// needs is what a document needs to score; 0: anything.
func (g *Gate) needs(doc uint32) float64 {
	switch {
	case g == nil || doc >= g.Until:
		return 0
	case g.Each != nil:
		return g.Each(doc)
	}
	return *g.Least
}

// Gated is an iterator that asks a gate before it does work. It may then leave out
// matches that the gate would.
type Gated interface{ Guard(*Gate) }

// Guard implements [Gated].
func (w *AndIterator) Guard(g *Gate) { w.gate = g }

// Guard implements [Gated].
func (w *PhraseIterator) Guard(g *Gate) { w.gate = g }

// Bound implements [Iterator].
func (w *AllIterator) Bound(uint32) (float64, uint32) { return 0, End }

// Bound implements [Iterator].
func (NoneIterator) Bound(uint32) (float64, uint32) { return 0, End }

// Bound implements [Iterator].
func (w *NotIterator) Bound(uint32) (float64, uint32) { return 0, End }

// Bound implements [Iterator].
func (w BoostIterator) Bound(from uint32) (float64, uint32) {
	most, last := w.Iterator.Bound(from)
	return float64(w.By * most), last
}

// Bound implements [Iterator].
func (w *AndIterator) Bound(from uint32) (float64, uint32) {
	sum, until := 0.0, uint32(End)
	for _, m := range w.Members {
		most, last := m.Bound(from)
		sum += most
		until = min(until, last)
	}
	return sum, until
}

// Bound implements [Iterator].
func (w *OrIterator) Bound(from uint32) (float64, uint32) {
	sum, until := 0.0, uint32(End)
	for _, m := range w.Members {
		most, last := m.Bound(from)
		sum += most
		until = min(until, last)
	}
	return sum, until
}
