package exec

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/webquarry/quarry/index/internal/bitset"
	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/index/internal/vector"
	"github.com/webquarry/quarry/index/query"
)

// What a KNN takes when no number is given.
const (
	presetNearest    = 10
	presetCandidates = 100
)

// neighbour is a document that a KNN has found.
type neighbour struct {
	vector.Hit
	view int
	key  string
}

// nearest plans a KNN. The documents are found here, since which of a segment are among
// them depends on the others.
func (p *Planner) nearest(q query.KNN) (Plan, error) {
	t, ok := p.Schema.Find(q.Field)
	switch {
	case !ok:
		p.warnField(q.Field, false)
		return nonePlan{}, nil
	case t.Kind != schema.Vector:
		p.Warn(query.WarnUnfitField, q.Field, "field %s has no vectors: it is %v", q.Field, t.Kind)
		return nonePlan{}, nil
	}
	if msg := t.Vectors.CheckVector(q.Vector); msg != "" {
		return nil, &query.Error{Pos: -1, Msg: fmt.Sprintf("field %s: %s", q.Field, msg)}
	}
	var filter Plan
	if q.Filter != nil {
		var err error
		if filter, err = p.unscored(q.Filter); err != nil {
			return nil, err
		}
	}
	out := &nearestPlan{by: t, found: make([][]vector.Hit, len(p.Commit.Views))}
	if p.unopened > 0 || p.told != nil {
		return out, nil // nobody looks for its matches
	}
	s := vector.Search{Vector: q.Vector, K: cmp.Or(q.K, presetNearest), Exact: q.Exact, Check: p.Run.checkVectors}
	s.K = min(s.K, max(p.Commit.Docs, 1))
	s.Candidates = max(cmp.Or(q.Candidates, presetCandidates), s.K)
	if q.Candidates == 0 {
		s.Candidates = max(s.Candidates, min(2*s.K, math.MaxInt32))
	}
	all, err := p.neighbours(t, s, filter)
	if err != nil {
		return nil, err
	}
	for _, n := range all {
		out.found[n.view] = append(out.found[n.view], n.Hit)
	}
	for _, of := range out.found {
		slices.SortFunc(of, func(a, b vector.Hit) int { return cmp.Compare(a.Doc, b.Doc) })
	}
	return out, nil
}

// neighbours finds the nearest documents of all segments.
func (p *Planner) neighbours(t schema.Field, s vector.Search, filter Plan) (all []neighbour, err error) {
	number := p.Commit.Schema.Number(t.Name)
	for i, v := range p.Commit.Views {
		if number < 0 {
			break // the field was added by the options of this index, and is in no commit
		}
		of, err := v.Seg.Vectors(number)
		if err != nil {
			return nil, fault.Damage(v.Name(), err)
		}
		if of == nil {
			continue
		}
		s.Deleted, s.Filter = v.Deleted, nil
		if filter != nil {
			if s.Filter, err = p.Run.marked(filter, i, v); err != nil {
				return nil, err
			}
			s.Filter = live(s.Filter, v.Deleted, v.Seg.Docs)
		}
		places, err := v.Seg.Places()
		if err != nil {
			return nil, fault.Damage(v.Name(), err)
		}
		s.Place = func(doc uint32) int { return int(places.Of(doc)) }
		hits, err := of.Nearest(s)
		if err != nil {
			return nil, cmp.Or(p.Run.Err, fault.Damage(v.Name(), err))
		}
		for _, h := range hits {
			all = append(all, neighbour{Hit: h, view: i})
		}
	}
	return p.best(all, s.K)
}

// best keeps the k best of several segments.
func (p *Planner) best(all []neighbour, k int) ([]neighbour, error) {
	if len(all) <= k {
		return all, nil
	}
	slices.SortFunc(all, func(a, b neighbour) int { return cmp.Compare(b.Score, a.Score) })
	// Those that are as good as the last go by their keys.
	from, to := k-1, k
	for from > 0 && all[from-1].Score == all[k-1].Score {
		from--
	}
	for to < len(all) && all[to].Score == all[k-1].Score {
		to++
	}
	if to > k {
		for i := from; i < to; i++ {
			v := p.Commit.Views[all[i].view]
			var err error
			if all[i].key, err = v.Seg.Key(all[i].Doc); err != nil {
				return nil, fault.Damage(v.Name(), err)
			}
		}
		slices.SortFunc(all[from:to], func(a, b neighbour) int { return cmp.Compare(a.key, b.key) })
	}
	return all[:k], nil
}

// live takes deleted documents out of a filter.
func live(filter, deleted *bitset.Set, docs uint32) *bitset.Set {
	if deleted.Len() == 0 {
		return filter
	}
	bits := make([]uint64, (docs+63)/64)
	filter.Mark(bits, 0)
	deleted.Remove(bits, 0)
	return bitset.Of(bits)
}

// checkVectors counts the vectors that were compared between two calls, and says why the
// search must end.
func (r *Run) checkVectors() error {
	if r.Spend(checkEvery) {
		return r.Err
	}
	return nil
}

// nearestPlan is the documents that a KNN has found, by view.
type nearestPlan struct {
	by    schema.Field
	found [][]vector.Hit
}

func (p *nearestPlan) Open(_ *Run, view int) Iterator {
	w := &nearestIterator{found: p.found[view]}
	for _, h := range w.found {
		w.most = max(w.most, h.Score)
	}
	w.text = fmt.Sprintf("how near the vector %s is, by %v", p.by.Name, p.by.Vectors.Similarity)
	return w
}

// nearestIterator goes over documents with scores.
type nearestIterator struct {
	found []vector.Hit
	at    int
	most  float64
	text  string
}

// Advance implements [Iterator].
func (w *nearestIterator) Advance(target uint32) uint32 {
	rest := w.found[w.at:]
	w.at += sort.Search(len(rest), func(i int) bool { return rest[i].Doc >= target })
	if w.at == len(w.found) {
		return End
	}
	return w.found[w.at].Doc
}

// Score implements [Iterator].
func (w *nearestIterator) Score() float64 { return w.found[w.at].Score }

// Size implements [Iterator].
func (w *nearestIterator) Size() int { return len(w.found) }

// Bound implements [Iterator].
func (w *nearestIterator) Bound(uint32) (float64, uint32) { return w.most, End }

// vectors plans an Exists of a field of vectors.
func (p *Planner) vectors(t schema.Field) (Plan, error) {
	out := vectorsPlan{make([]*vector.Reader, len(p.Commit.Views))}
	number := p.Commit.Schema.Number(t.Name)
	for i, v := range p.Commit.Views {
		if number < 0 {
			break // as above
		}
		var err error
		if out.of[i], err = v.Seg.Vectors(number); err != nil {
			return nil, fault.Damage(v.Name(), err)
		}
	}
	return out, nil
}

// vectorsPlan is the documents with a vector, by view.
type vectorsPlan struct{ of []*vector.Reader }

func (p vectorsPlan) Open(_ *Run, view int) Iterator { return vectorsIterator{p.of[view]} }

// vectorsIterator goes over the documents with a vector; score 0.
type vectorsIterator struct{ of *vector.Reader }

// Advance implements [Iterator].
func (w vectorsIterator) Advance(target uint32) uint32 {
	if doc, ok := w.of.Next(target); ok {
		return doc
	}
	return End
}

// Score implements [Iterator].
func (vectorsIterator) Score() float64 { return 0 }

// Size implements [Iterator].
func (w vectorsIterator) Size() int { return w.of.Len() }

// Bound implements [Iterator].
func (vectorsIterator) Bound(uint32) (float64, uint32) { return 0, End }
