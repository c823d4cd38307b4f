package collect

import (
	"cmp"
	"errors"
	"slices"

	"github.com/webquarry/quarry/index/internal/commit"
	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/segment"
)

// arranger keeps the best k matches of all segments in an order by columns,
// and counts.
type arranger struct {
	run      *exec.Run
	commit   *exec.Collection
	keys     []orderKey
	after    *item // only matches behind it are wanted
	collapse *collapsing
	counts   []*counting
	best     ladder
	total    int
	prune    bool // matches that cannot be among the best need not be counted
	upTo     int
	err      error
}

// item is a match with its place in the order.
type item struct {
	Found
	key   string // "": not read yet
	rungs []rung
	group int64
	alone bool // it is of no group
	at    int  // in the ladder
}

// arrange finds matches by columns.
func (p *search) arrange(root exec.Plan) (*Answer, error) {
	a := &arranger{run: p.Run, commit: p.Commit, upTo: p.CountUpTo, prune: p.CountUpTo > 0 && len(p.Facets) == 0}
	a.best = ladder{a: a, k: p.Offset + p.Limit}
	var err error
	if a.keys, err = p.order(p.Sort); err != nil {
		return nil, err
	}
	if a.after, err = p.readCursor(a.keys); err != nil {
		return nil, err
	}
	if a.collapse, err = p.collapsing(p.Collapse); err != nil {
		return nil, err
	}
	if a.counts, err = p.countings(p.Facets); err != nil {
		return nil, err
	}
	if err := a.matches(root); err != nil {
		return nil, err
	}
	all, err := a.best.sorted()
	if err != nil {
		return nil, err
	}
	if a.err != nil {
		return nil, a.err
	}
	out := &Answer{search: p, arranger: a, items: all[min(p.Offset, len(all)):], Total: Total{a.total, !p.Run.Pruned && !p.Run.Cut}}
	for _, it := range out.items {
		out.Page = append(out.Page, it.Found)
	}
	return out, nil
}

// sortValues are the values that place a match.
func (a *arranger) sortValues(it *item) ([]any, error) {
	values := make([]any, len(a.keys))
	for i := range a.keys {
		var err error
		if values[i], err = a.keys[i].value(it.rungs[i]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// matches takes up the matches of all segments.
func (a *arranger) matches(root exec.Plan) error {
	if a.collapse != nil && a.after != nil {
		// What stands before takes room in its group, and is counted by the other pass.
		counts := a.counts
		a.counts = nil
		err := a.each(root, (*arranging).before)
		if a.counts = counts; err != nil || a.run.Cut {
			return err
		}
		a.collapse.earlier = a.collapse.before
	}
	return a.each(root, (*arranging).collect)
}

func (a *arranger) each(root exec.Plan, f func(*arranging, exec.Iterator)) error {
	if parallel(a.run, a.commit) {
		return a.eachSideBySide(root, f)
	}
	for i := range a.commit.Views {
		if err := a.segment(root, i, f); err != nil || a.run.Cut {
			return err
		}
	}
	return nil
}

func (a *arranger) segment(root exec.Plan, view int, f func(*arranging, exec.Iterator)) error {
	v := a.commit.Views[view]
	places, err := v.Seg.Places()
	if err != nil {
		return v.Damage(err)
	}
	s := &arranging{arranger: a, view: view, of: v, places: places}
	for k := range a.keys {
		s.keys = append(s.keys, a.keys[k].open(a.run, view))
	}
	s.now = item{Found: Found{View: view}, rungs: make([]rung, len(s.keys))}
	if a.collapse != nil {
		s.group = a.collapse.open(a.run, view)
	}
	for _, c := range a.counts {
		c.open(a.run, view)
	}
	a.run.Least = 0
	f(s, root.Open(a.run, view))
	if err = a.run.Done(v); a.run.Enough(err) {
		return a.err
	}
	return errors.Join(err, a.err)
}

// arranging is the work on one segment.
type arranging struct {
	*arranger
	view   int
	of     *commit.View
	keys   []keyReader
	now    item // the current match
	group  groupReader
	places segment.Places
	tie    tie
	clear  uint32 // documents before need no look at their block while worst is the worst
	worst  *item
}

// tie says which documents of the segment come before an item that is equal to
// them by all keys: those whose keys are less.
type tie struct {
	with *item
	keys uint32 // that are less
}

// before gives room in its group to each match that is not behind after.
func (s *arranging) before(w exec.Iterator) {
	for doc := w.Advance(0); doc != exec.End && !s.run.Stop(); doc = w.Advance(doc + 1) {
		if s.of.Deleted.Has(doc) {
			continue
		}
		if s.place(doc, w); !s.behind(&s.now) {
			if group, ok := s.group.of(doc); ok {
				s.collapse.before[group]++
			}
		}
	}
}

// collect takes up the matches of the segment.
func (s *arranging) collect(w exec.Iterator) {
	gate := exec.NewGate(s.run, w)
	byScore := s.keys[0].column == nil
	if g, ok := w.(exec.Gated); ok && s.prune && byScore {
		g.Guard(gate)
	}
	for doc := w.Advance(0); doc != exec.End && !s.run.Stop(); doc = w.Advance(doc + 1) {
		if s.pruning() {
			next := doc
			if byScore {
				s.run.Least = s.best.items[0].Score
				next = gate.Pass(doc)
			} else {
				next = s.skip(doc)
			}
			if next == exec.End {
				return
			} else if next != doc {
				doc = next - 1
				continue
			}
		}
		if !s.of.Deleted.Has(doc) {
			s.take(doc, w)
		}
	}
}

// pruning reports whether matches may be left out that are not wanted.
func (s *arranging) pruning() bool {
	return s.prune && s.total >= s.upTo && s.best.k > 0 && s.best.full()
}

// skip returns doc if it may be among the best by the first key, else the next
// document that may.
func (s *arranging) skip(doc uint32) uint32 {
	worst := s.best.items[0]
	for doc != exec.End {
		if doc < s.clear && s.worst == worst {
			return doc
		}
		best, last := s.keys[0].best(doc)
		if compareRungs(best, worst.rungs[0]) <= 0 {
			s.clear, s.worst = last, worst
			return doc
		}
		s.run.Pruned = true
		if last >= exec.End-1 {
			return exec.End
		}
		doc = last + 1
		if doc >= s.of.Seg.Docs {
			return exec.End
		}
	}
	return doc
}

// take takes up a match.
func (s *arranging) take(doc uint32, w exec.Iterator) {
	s.total++
	for _, c := range s.counts {
		c.add(doc)
	}
	if s.best.k == 0 {
		return
	}
	// Most are worse than the worst by their first key.
	s.now.rungs[0] = s.keys[0].at(doc, w)
	if s.best.full() && compareRungs(s.now.rungs[0], s.best.items[0].rungs[0]) > 0 {
		return
	}
	s.place(doc, w)
	if s.best.full() && !s.better(s.best.items[0]) || !s.behind(&s.now) {
		return
	}
	it := s.now
	it.Score, it.rungs, it.alone = w.Score(), slices.Clone(it.rungs), true
	if s.run.Err != nil { // the search has ended while it was scored
		return
	}
	if s.collapse != nil {
		if group, ok := s.group.of(doc); ok {
			it.group, it.alone = group, false
		}
	}
	s.best.add(&it)
}

// better reports whether the current match comes before the worst.
func (s *arranging) better(worst *item) bool {
	for i, r := range s.now.rungs {
		if c := compareRungs(r, worst.rungs[i]); c != 0 {
			return c < 0
		}
	}
	if worst.View == s.view {
		return s.now.place < worst.place
	}
	if s.tie.with != worst {
		s.tie.with = worst
		var err error
		if s.tie.keys, err = s.of.FirstFrom(s.key(worst)); err != nil && s.err == nil {
			s.err = err
		}
	}
	return s.now.place < s.tie.keys
}

// place finds the place of the current match in the order.
func (s *arranging) place(doc uint32, w exec.Iterator) {
	s.now.Doc, s.now.place, s.now.key = doc, s.places.Of(doc), ""
	for i := range s.keys {
		s.now.rungs[i] = s.keys[i].at(doc, w)
	}
}

// behind reports whether a match is behind the cursor of the page before.
func (s *arranging) behind(it *item) bool { return s.after == nil || s.compare(it, s.after) > 0 }

// compare orders items: those equal by all keys by the keys of the documents.
func (a *arranger) compare(x, y *item) int {
	for i := range x.rungs {
		if c := compareRungs(x.rungs[i], y.rungs[i]); c != 0 {
			return c
		}
	}
	if x.View == y.View {
		return cmp.Compare(x.place, y.place)
	}
	return cmp.Compare(a.key(x), a.key(y))
}

func (a *arranger) key(it *item) string {
	if it.key == "" {
		var err error
		if it.key, err = keyOf(a.commit, it.Found); err != nil && a.err == nil {
			a.err = err
		}
	}
	return it.key
}
