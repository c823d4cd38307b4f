package collect

import (
	"math"
	"slices"

	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/rank"
)

// summand is a word of an And or Or, or a branch of an Or.
type summand struct {
	cursor  *postings.Cursor
	lengths segment.Lengths
	score   rank.Score
	ratings *exec.Ratings // with the boosts above the word
	ceiling exec.Ceiling  // by window
	block   exec.Ceiling  // by document
	max     float64       // in the window
	cost    float64       // about how many documents it is in; of a maxScore
	tf      uint32        // in the document that was looked up last; 0: it is not there
	window  *listed       // of an Or
	idle    bool          // it adds nothing to the score
	needed  bool          // documents without it do not match
	rarest  bool          // it is of the group that may lead
	branch  *branch       // it is no word; nil: it is
	fields  *allFields    // of which it is one; nil: it is a word by itself
}

// size is about how many documents it is in.
func (s *summand) size() int {
	if s.branch != nil {
		return s.branch.Size()
	}
	return int(s.cursor.Len())
}

// last returns the last document that the bound of doc holds for.
func (s *summand) last(doc uint32) (last uint32) {
	if s.branch != nil {
		_, last = s.branch.Iterator.Bound(doc)
	} else {
		_, last = s.ceiling.Bound(doc)
	}
	return last
}

// next returns a document from lo on, which never falls, before which there is none
// with it.
func (s *summand) next(lo uint32) uint32 {
	switch c := s.branch; {
	case c == nil:
		return s.cursor.Advance(lo)
	case c.Open && c.At > lo:
		return c.At
	}
	return lo
}

// found reports whether it is in the document that was looked up.
func (s *summand) found() bool {
	if s.branch != nil {
		return s.branch.found
	}
	return s.tf > 0
}

// rating bounds what it adds to the score of the document that was looked up.
func (s *summand) rating(doc uint32) float64 {
	switch {
	case s.branch != nil:
		return s.branch.weight * s.branch.value(doc)
	case s.tf == 0 || s.idle:
		return 0
	}
	return s.ratings.At(s.tf, s.lengths.Codes()[doc])
}

// find sets tf for a document of the window.
func (s *summand) find(doc uint32) {
	if s.branch != nil {
		s.branch.find(doc)
		return
	}
	s.tf = s.window.tf(doc)
}

// over bounds what the documents from lo up to hi, hi not included, have of it.
func (s *summand) over(lo, hi uint32) float64 {
	switch {
	case s.branch != nil:
		return s.branch.over(lo, hi)
	case s.idle:
		return 0
	}
	return s.ceiling.Over(lo, hi)
}

// advance looks a document up; documents ascend.
func (s *summand) advance(doc uint32) bool {
	s.tf = 0
	if s.cursor.Advance(doc) != doc {
		return false
	}
	s.tf = s.cursor.TF()
	return true
}

// value is the score of the word in a document; 0 where it is not, which
// changes no sum.
func (s *summand) value(doc uint32) float64 {
	if s.tf == 0 {
		return 0
	}
	return s.score(s.tf, s.lengths.At(doc))
}

// formula computes the score of a document as an exhaustive search does, to the
// last bit, from the tfs of its summands.
type formula interface{ value(doc uint32) float64 }

type (
	sumFormula   []formula
	boostFormula struct {
		of formula
		by float64
	}
	constantFormula float64
)

func (f constantFormula) value(uint32) float64 { return float64(f) }

func (f sumFormula) value(doc uint32) float64 {
	sum := 0.0
	for _, of := range f {
		sum += of.value(doc)
	}
	return sum
}

func (f boostFormula) value(doc uint32) float64 { return float64(f.by * f.of.value(doc)) }

// A boost of a summand must not take it out of what [cutter] allows for.
const (
	mostBoosts = 4
	mostFactor = 1 << 64
	mostNodes  = 1 << 20
)

// gatherer takes a query of words, and what is walked besides, apart.
type gatherer struct {
	run      *exec.Run
	scratch  *scratch
	nodes    int
	words    []*summand
	optional bool // what it gathers only adds to the score
	scored   bool // some word counts
}

// apart gathers what is below an iterator, and returns it.
func (g *gatherer) apart(w exec.Iterator, weight float64, boosts int) (formula, []*summand) {
	g.words = g.words[len(g.words):] // what was gathered before stays as it is
	f := g.gather(w, weight, boosts)
	return f, slices.Clip(g.words)
}

// gather collects the words and branches below an iterator of which any will do.
func (g *gatherer) gather(w exec.Iterator, weight float64, boosts int) formula {
	g.nodes++
	switch w := w.(type) {
	case *exec.Lagging:
		return g.gather(w.Iterator, weight, boosts)
	case exec.NoneIterator:
		return sumFormula{}
	case *exec.AllIterator:
		if g.optional {
			return sumFormula{}
		}
	case *exec.OrIterator:
		sum := make(sumFormula, 0, len(w.Members))
		for _, of := range w.Members {
			sum = append(sum, g.gather(of, weight, boosts))
		}
		return sum
	case exec.BoostIterator:
		if gathered(w, boosts) {
			return boostFormula{g.gather(w.Iterator, weight*w.By, boosts+1), w.By}
		}
	case *exec.TermIterator:
		return g.word(w, weight)
	case *exec.CombinedIterator:
		words := len(g.words)
		if f := g.combined(w, weight); f != nil {
			return f
		}
		g.words = g.words[:words]
	}
	return g.branch(w, weight)
}

// gathered reports whether a boost, so many below others, is allowed for.
func gathered(w exec.BoostIterator, boosts int) bool {
	return boosts < mostBoosts && (w.By == 0 || w.By <= mostFactor && w.By >= 1.0/mostFactor)
}

func (g *gatherer) word(w *exec.TermIterator, weight float64) *summand {
	g.scored = g.scored || weight > 0
	s := g.summand(w.Cursor, w.Lengths, exec.NewRatings(w.Run, weight, w.Word))
	s.score = w.Word.Score
	g.words = append(g.words, s)
	return s
}

func (g *gatherer) summand(c *postings.Cursor, lengths segment.Lengths, r *exec.Ratings) *summand {
	top, s := exec.NewCeiling(c, r, lengths), g.scratch.summands.Next()
	*s = summand{cursor: c, lengths: lengths, ratings: r, ceiling: top, block: top}
	return s
}

// cutter knows which sums are too small.
//
// Sums of ratings are in another order than those that make a score, so they are
// rounded otherwise. Let u be 2^-53 and n the number of nodes of the query. What
// a word or branch adds to a score passes at most n additions and mostBoosts products, so
// that the score is at most (1+u)^(n+4) times the sum over the reals. What it adds
// to a sum here passes at most n additions, two products, and those that made its
// weight, so that this is at least (1-u)^(n+7) times a sum over the reals that is
// not less, or it overflows to infinity, which cuts nothing. With n up to 2^20, the
// quotient is less than 1 + (4n+40)u, and slack is 1 + (32n+512)u, rounded twice;
// cut is the least score that is wanted over slack, by three more operations, and one
// where it is lessened by what other words have. A bound of a word over several fields
// passes two more for each field, see [allFields], for which there is room in slack. A
// product may instead be so small that it is wrong by 2^-1075; the boosts above it, each
// at most mostFactor, make at most 2^-819 of that, for each node: less than tiny.
type cutter struct {
	run   *exec.Run
	slack float64 // a factor
	of    float64 // what cut was made from
	cut   float64 // a sum that is less is not wanted; documents may be left out for it
	added float64 // what columns add at most in the window
}

const tiny = 1e-200

func newCutter(r *exec.Run, nodes int) cutter {
	return cutter{run: r, slack: 1 + float64(nodes+16)*0x1p-48}
}

// renew takes account of better matches.
func (c *cutter) renew() {
	if least := c.run.Least; least != c.of {
		c.of, c.cut = least, (least-tiny)/c.slack
		if c.added > 0 {
			c.cut -= c.added + (least+c.added)*0x1p-40
		}
	}
}

// window takes account of what columns add to documents from lo up to, not with,
// hi. Their additions, and those here, are rounded by less than 2^-40 of what is
// added up.
func (c *cutter) window(s *exec.StaticIterator, lo, hi uint32) {
	if s != nil {
		c.added, c.of = s.Over(lo, hi), math.NaN()
	}
	c.renew()
}
