package exec

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/webquarry/quarry/index/internal/postings"
	"github.com/webquarry/quarry/rank"
)

// Ratings bounds what a document scores for a word, times a weight, by its tf
// and the code of its length (see [postings.LenCode]). A score costs divisions;
// here they are made once for many documents.
//
// A length is rounded down before it is scored, and the score is rounded up, so
// that a rating is never less than weight times the score.
type Ratings struct {
	Table  *ratingTable
	Scale  float64
	score  rank.Score
	weight float64
	own    bool // the table is made value by value as it is used, and scale is 1
}

// ratingTable has a row for each tf, and one for all beyond RatedTF. Rows are
// made when they are needed.
type ratingTable struct {
	Rows  [RatedTF + 2]atomic.Pointer[ratingRow]
	score rank.Score // of a shape
}

// ratingRow has a rating for each code. 0: not known yet.
type ratingRow [256]float32

// RatedTF is what the impacts of blocks tell apart. With greater steps the many
// documents that a frequent word stands in more than a few times would look
// alike, and most of their blocks would be read in vain.
const RatedTF = 255

// NewRatings rates words of one field that have the same tf.
func NewRatings(r *Run, weight float64, words ...*word) *Ratings {
	idf, first := 0.0, words[0]
	if first.shape == nil {
		return &Ratings{Table: new(ratingTable), Scale: 1, score: sumOf(words), weight: weight, own: true}
	}
	for _, w := range words {
		idf += w.idf
	}
	out := r.space().ratings.Next()
	*out = Ratings{Table: first.shape, Scale: idf * weight}
	return out
}

func sumOf(words []*word) rank.Score {
	if len(words) == 1 {
		return words[0].Score
	}
	return func(tf, length uint32) float64 {
		sum := 0.0
		for _, w := range words {
			sum += w.Score(tf, length)
		}
		return sum
	}
}

// At bounds the score of a document.
func (r *Ratings) At(tf uint32, code byte) float64 {
	if row := r.Table.Rows[min(tf, RatedTF+1)].Load(); row != nil && row[code] != 0 {
		return r.Scale * float64(row[code])
	}
	return r.Rate(tf, code)
}

// Picked lists documents of a block by their places in it.
type Picked [postings.BlockLen]uint8

// Among lists which documents of a block are rated bar at least. None with a tf
// less than least is, so that most are done with by that. The loops have no branch
// that depends on a rating, since there is no guessing it.
func (p *Picked) Among(docs, tfs []uint32, codes []byte, r *Ratings, least uint32, bar float64) []uint8 {
	n := uint(0)
	for i, tf := range tfs {
		p[n%uint(len(p))] = uint8(i)
		if tf >= least {
			n++
		}
	}
	all := p[:n]
	n = 0
	for _, i := range all {
		tf, code, known := tfs[i], codes[docs[i]], float32(0)
		if row := r.Table.Rows[min(tf, RatedTF+1)].Load(); row != nil { // as in Ratings.At
			known = row[code]
		}
		rating := r.Scale * float64(known)
		if known == 0 {
			rating = r.Rate(tf, code)
		}
		p[n%uint(len(p))] = i
		if !(rating < bar) {
			n++
		}
	}
	return all[:n]
}

// Least returns a tf that a document of a block with these impacts needs to be
// rated bar: those with less, down to the next pair, are no shorter than a pair
// says.
func (r *Ratings) Least(pairs []byte, bar float64) uint32 {
	less := uint32(0)
	for i := len(pairs) - 2; i >= 0; i -= 2 {
		if pairs[i] == 0 {
			continue
		}
		most := postings.ReadImpact(pairs[i], 0).TF
		if r.At(most, pairs[i+1]) < bar {
			less = most
			continue
		}
		lo, hi := less+1, min(most, RatedTF+1)
		for lo < hi {
			if mid := (lo + hi) / 2; r.At(mid, pairs[i+1]) < bar {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		return lo
	}
	return less
}

// Rate makes a rating.
func (r *Ratings) Rate(tf uint32, code byte) float64 {
	if !r.own {
		return r.Scale * float64(r.Table.shape(tf)[code])
	}
	length := postings.CodeLen(code)
	if tf > RatedTF {
		return r.weight * r.score(tf, length)
	}
	row := r.Table.Rows[tf].Load()
	if row == nil {
		row = new(ratingRow)
		r.Table.Rows[tf].Store(row)
	}
	row[code] = max(roundUp(r.weight*r.score(tf, length)), math.SmallestNonzeroFloat32)
	return float64(row[code])
}

// roundUp returns a number of 32 bits that is not less.
func roundUp(x float64) float32 {
	v := float32(x)
	if float64(v) < x {
		v = math.Nextafter32(v, float32(math.Inf(1)))
	}
	return v
}

// most bounds the documents of a block by its impacts.
func (r *Ratings) most(pairs []byte) float64 {
	known, other := float32(0), 0.0
	for i := 0; i+1 < len(pairs) && pairs[i] != 0; i += 2 {
		tf := postings.ReadImpact(pairs[i], 0).TF
		row := r.Table.Rows[min(tf, RatedTF+1)].Load() // as in Ratings.At
		if row != nil && row[pairs[i+1]] != 0 {
			known = max(known, row[pairs[i+1]])
		} else {
			other = max(other, r.Rate(tf, pairs[i+1]))
		}
	}
	return max(other, r.Scale*float64(known))
}

// shapes keeps tables that all words of a field share: what BM25 makes of tf and
// length is the same for all but for their idf. It serves the searches of a
// commit.
type shapes struct {
	mu     sync.Mutex
	tables map[shapeKey]*ratingTable
}

type shapeKey struct {
	scorer rank.BM25
	avgLen float64
}

// mostShapes is how many tables are kept, of at most 260 kB.
const mostShapes = 64

func (s *shapes) get(m rank.BM25, avgLen float64) *ratingTable {
	m.IDF = rank.LogRatio
	key := shapeKey{m, avgLen}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, ok := s.tables[key]; ok {
		return t
	}
	t := newShape(m.Term(rank.Stats{Docs: 2, DocFreq: 1, AvgLen: avgLen})) // log2(2/1) is 1
	if s.tables == nil || len(s.tables) >= mostShapes {
		s.tables = map[shapeKey]*ratingTable{}
	}
	s.tables[key] = t
	return t
}

// newShape makes a table that, times the idf of a term, bounds its scores.
func newShape(score rank.Score) *ratingTable { return &ratingTable{score: score} }

// shape makes a row of a shape.
//
// A score is computed as M - M/(1+x) with M = idf·K, and one with idf 1 as
// K - K/(1+x) with the same x; let u be 2^-53. Both are rounded by at most 2u times
// M or K, so that where the latter is at least K/2^20 the former is greater than
// idf times it by a factor of less than 1 + 2^-30, also after the rounding of M and
// of the product. The table has what is greater by two steps of 32 bits, a factor of
// at least 1 + 2^-24, and where the score is less, K/2^18.
func (t *ratingTable) shape(tf uint32) *ratingRow {
	floor := t.score(math.MaxUint32, 0) / (1 << 18)
	at := min(tf, RatedTF+1)
	if at > RatedTF {
		tf = math.MaxUint32
	}
	row := new(ratingRow)
	for code := range row {
		v := roundUp(max(floor, t.score(tf, postings.CodeLen(byte(code)))))
		for range 2 {
			v = math.Nextafter32(v, math.MaxFloat32)
		}
		row[code] = v
	}
	t.Rows[at].Store(row)
	return row
}
