package vector

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/webquarry/quarry/index/internal/bitset"
)

// Search is what is looked for.
type Search struct {
	Vector     []float32
	K          int
	Candidates int              // of the graph; at least K
	Exact      bool             // not over the graph
	Filter     *bitset.Set      // documents that may be found; nil: all
	Deleted    *bitset.Set      // documents that may not
	Place      func(uint32) int // by which documents of equal scores are ordered; nil: by their number
	Check      func() error     // called for every few vectors; its error ends the search
}

// Hit is a document that was found.
type Hit struct {
	Doc   uint32
	Score float64
}

// checkEvery is how many vectors are compared between two calls of Check.
const checkEvery = 256

// allowed reports whether a document may be found.
func (s *Search) allowed(doc uint32) bool {
	return (s.Filter == nil || s.Filter.Has(doc)) && !s.Deleted.Has(doc)
}

// Nearest finds the K documents nearest to a vector, the nearest first, with exact
// scores. Without a graph, and where a filter lets so few through that comparing them all
// costs no more than a walk over the graph, these are all there are; else some may be
// missing. A nil Reader has none.
func (r *Reader) Nearest(s Search) ([]Hit, error) {
	if r == nil || r.n == 0 || s.K <= 0 {
		return nil, nil
	}
	if s.Place == nil {
		s.Place = func(doc uint32) int { return int(doc) }
	}
	if r.graph == nil || s.Exact {
		return r.exact(s)
	}
	ef := max(s.Candidates, s.K)
	may := int(r.n) // about how many may be found
	if s.Filter != nil {
		may = min(may, s.Filter.Len())
	}
	// A walk compares some M vectors for each candidate, and n/may times as many to meet
	// that many that may be found. It takes a quarter of the time for each, since it reads
	// codes and not floats.
	if steps := float64(ef) * float64(r.m()) * float64(r.n) / 4; float64(may)*float64(may) <= steps || ef >= may {
		return r.exact(s)
	}
	hits, complete, err := r.approximate(s, ef, may)
	if err != nil || complete {
		return hits, err
	}
	return r.exact(s)
}

// exact compares all vectors that may be found.
func (r *Reader) exact(s Search) ([]Hit, error) {
	by, top := newScorer(r.Similarity, s.Vector), newTop(s)
	steps := 0
	compare := func(id, doc uint32) error {
		if steps++; steps%checkEvery == 0 {
			if err := s.Check(); err != nil {
				return err
			}
		}
		row, err := r.floatsOf(id)
		if err != nil {
			return err
		}
		top.add(Hit{doc, by.score(row)})
		return nil
	}
	if s.Filter != nil && s.Filter.Len() < int(r.n)/4 {
		for doc, ok := s.Filter.Next(0); ok; doc, ok = s.Filter.Next(doc + 1) {
			if id, has := r.find(doc); has && !s.Deleted.Has(doc) {
				if err := compare(id, doc); err != nil {
					return nil, err
				}
			}
		}
		return top.sorted(), nil
	}
	for id := range r.n {
		if doc := r.doc(id); s.allowed(doc) {
			if err := compare(id, doc); err != nil {
				return nil, err
			}
		}
	}
	return top.sorted(), nil
}

// walking is a search of a graph under way.
type walking struct {
	*graphFile
	target code
	steps  int
	check  func() error
	walk   walk
	row    []byte
}

var walkings = sync.Pool{New: func() any { return new(walking) }}

// near implements graph.
func (w *walking) near(id uint32) (float32, error) {
	if w.steps++; w.steps%checkEvery == 0 {
		if err := w.check(); err != nil {
			return 0, err
		}
	}
	row, err := w.graphFile.row(id)
	if err != nil {
		return 0, err
	}
	return w.target.near(row), nil
}

// approximate searches the graph, and scores the candidates by their floats. It is not
// complete when it would cost more than to compare the vectors that may be found.
func (r *Reader) approximate(s Search, ef, may int) (hits []Hit, complete bool, err error) {
	w := walkings.Get().(*walking)
	defer walkings.Put(w)
	w.graphFile, w.steps, w.check = r.graph, 0, s.Check
	w.row = appendCodes(w.row[:0], r.Similarity, s.Vector)
	w.target.set(r.Options, w.row)
	near, err := w.near(r.graph.entry)
	if err != nil {
		return nil, false, err
	}
	at := scored{near, r.graph.entry}
	for level := r.graph.top(); level > 0; level-- {
		if at, err = w.walk.descend(w, level, at); err != nil {
			return nil, false, err
		}
	}
	var accept func(uint32) bool
	if s.Filter != nil || s.Deleted.Len() > 0 {
		accept = func(id uint32) bool { return s.allowed(r.doc(id)) }
	}
	w.walk.begin(int(r.n))
	complete, err = w.walk.search(w, 0, []scored{at}, ef, may, accept)
	if err != nil || !complete || len(w.walk.best) < s.K {
		return nil, false, err
	}
	by, top := newScorer(r.Similarity, s.Vector), newTop(s)
	for _, c := range w.walk.best {
		row, err := r.floatsOf(c.id)
		if err != nil {
			return nil, false, err
		}
		top.add(Hit{r.doc(c.id), by.score(row)})
	}
	return top.sorted(), true, nil
}

// top keeps the best K.
type top struct {
	k     int
	place func(uint32) int
	all   []Hit // a heap: the worst on top
}

func newTop(s Search) *top { return &top{k: s.K, place: s.Place} }

func (t *top) compare(a, b Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(t.place(a.Doc), t.place(b.Doc)))
}

func (t *top) worse(a, b Hit) bool { return t.compare(a, b) > 0 }

func (t *top) add(h Hit) {
	if math.IsNaN(h.Score) { // only of damaged numbers
		return
	}
	if len(t.all) == t.k {
		if h.Score < t.all[0].Score || !t.worse(t.all[0], h) {
			return
		}
		pop(&t.all, t.worse)
	}
	push(&t.all, h, t.worse)
}

func (t *top) sorted() []Hit {
	slices.SortFunc(t.all, t.compare)
	return t.all
}
