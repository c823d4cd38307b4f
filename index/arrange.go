package index

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/webquarry/quarry/index/internal/segment"
	"github.com/webquarry/quarry/index/query"
)

// arranged reports whether the matches must be ordered or counted by columns.
func (o SearchOptions) arranged() bool {
	return len(o.Sort) > 0 || o.Collapse.Field != "" || len(o.Facets) > 0
}

// arranger keeps the best k matches of all segments in an order by columns,
// and counts.
type arranger struct {
	run      *run
	commit   *commit
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
	found
	key   string // "": not read yet
	rungs []rung
	group int64
	alone bool // it is of no group
	at    int  // in the ladder
}

// arrange answers a search by columns.
func (s *Snapshot) arrange(p *planner, root plan, q query.Query, opt SearchOptions, start time.Time) (*Results, error) {
	offset, limit := opt.page()
	a := &arranger{run: p.run, commit: s.commit, upTo: opt.countUpTo(), prune: opt.countUpTo() > 0 && len(opt.Facets) == 0}
	a.best = ladder{a: a, k: add(offset, limit)}
	var err error
	if a.keys, err = p.order(opt.Sort); err != nil {
		return nil, err
	}
	if a.after, err = p.readCursor(q, opt, a.keys); err != nil {
		return nil, err
	}
	if a.collapse, err = p.collapsing(opt.Collapse); err != nil {
		return nil, err
	}
	if a.counts, err = p.countings(opt.Facets); err != nil {
		return nil, err
	}
	if err := a.matches(root); err != nil {
		return nil, err
	}
	all, err := a.best.sorted()
	if err != nil {
		return nil, err
	}
	res := &Results{Total: Count{a.total, !p.run.pruned && !p.run.cut}}
	if a.err != nil {
		return nil, a.err
	}
	all = all[min(offset, len(all)):]
	page := make([]found, 0, len(all))
	for _, it := range all {
		page = append(page, it.found)
	}
	if res.Hits, err = s.show(p, page, q, opt); err != nil {
		return nil, err
	}
	if len(opt.Sort) > 0 {
		for i := range res.Hits {
			if res.Hits[i].Sort, err = a.sortValues(all[i]); err != nil {
				return nil, err
			}
		}
	}
	res.Partial, res.Warnings = p.run.cut, p.warnings
	if limit > 0 && len(res.Hits) == limit {
		last := all[limit-1]
		last.key = res.Hits[limit-1].Key
		if res.Next, err = p.writeCursor(q, opt, a.keys, last); err != nil {
			return nil, err
		}
	}
	if res.Facets, err = results(p.run, a.counts); err != nil {
		return nil, err
	}
	res.Took = time.Since(start)
	return res, nil
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
func (a *arranger) matches(root plan) error {
	if a.collapse != nil && a.after != nil {
		// What stands before takes room in its group, and is counted by the other pass.
		counts := a.counts
		a.counts = nil
		err := a.each(root, (*arranging).before)
		if a.counts = counts; err != nil || a.run.cut {
			return err
		}
		a.collapse.earlier = a.collapse.before
	}
	return a.each(root, (*arranging).collect)
}

func (a *arranger) each(root plan, f func(*arranging, walk)) error {
	if a.commit.parallel(a.run) {
		return a.eachSideBySide(root, f)
	}
	for i := range a.commit.views {
		if err := a.segment(root, i, f); err != nil || a.run.cut {
			return err
		}
	}
	return nil
}

func (a *arranger) segment(root plan, view int, f func(*arranging, walk)) error {
	v := a.commit.views[view]
	places, err := v.seg.Places()
	if err != nil {
		return v.damage(err)
	}
	s := &arranging{arranger: a, view: view, of: v, places: places}
	for k := range a.keys {
		s.keys = append(s.keys, a.keys[k].open(a.run, view))
	}
	s.now = item{found: found{view: view}, rungs: make([]rung, len(s.keys))}
	if a.collapse != nil {
		s.group = a.collapse.open(a.run, view)
	}
	for _, c := range a.counts {
		c.open(a.run, view)
	}
	a.run.least = 0
	f(s, root.open(a.run, view))
	if err = a.run.done(v); a.run.enough(err) {
		return a.err
	}
	return errors.Join(err, a.err)
}

// arranging is the work on one segment.
type arranging struct {
	*arranger
	view   int
	of     *view
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
func (s *arranging) before(w walk) {
	for doc := w.advance(0); doc != end && !s.run.stop(); doc = w.advance(doc + 1) {
		if s.of.deleted.Has(doc) {
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
func (s *arranging) collect(w walk) {
	gate := newGate(s.run, w)
	byScore := s.keys[0].column == nil
	if g, ok := w.(gated); ok && s.prune && byScore {
		g.guard(gate)
	}
	for doc := w.advance(0); doc != end && !s.run.stop(); doc = w.advance(doc + 1) {
		if s.pruning() {
			next := doc
			if byScore {
				s.run.least = s.best.items[0].score
				next = gate.pass(doc)
			} else {
				next = s.skip(doc)
			}
			if next == end {
				return
			} else if next != doc {
				doc = next - 1
				continue
			}
		}
		if !s.of.deleted.Has(doc) {
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
	for doc != end {
		if doc < s.clear && s.worst == worst {
			return doc
		}
		best, last := s.keys[0].best(doc)
		if compareRungs(best, worst.rungs[0]) <= 0 {
			s.clear, s.worst = last, worst
			return doc
		}
		s.run.pruned = true
		if last >= end-1 {
			return end
		}
		doc = last + 1
		if doc >= s.of.seg.Docs {
			return end
		}
	}
	return doc
}

// take takes up a match.
func (s *arranging) take(doc uint32, w walk) {
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
	it.score, it.rungs, it.alone = w.score(), slices.Clone(it.rungs), true
	if s.run.err != nil { // the search has ended while it was scored
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
	if worst.view == s.view {
		return s.now.place < worst.place
	}
	if s.tie.with != worst {
		s.tie.with = worst
		var err error
		if s.tie.keys, err = s.of.firstFrom(s.key(worst)); err != nil && s.err == nil {
			s.err = err
		}
	}
	return s.now.place < s.tie.keys
}

// place finds the place of the current match in the order.
func (s *arranging) place(doc uint32, w walk) {
	s.now.doc, s.now.place, s.now.key = doc, s.places.Of(doc), ""
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
	if x.view == y.view {
		return cmp.Compare(x.place, y.place)
	}
	return cmp.Compare(a.key(x), a.key(y))
}

func (a *arranger) key(it *item) string {
	if it.key == "" {
		var err error
		if it.key, err = a.commit.key(it.found); err != nil && a.err == nil {
			a.err = err
		}
	}
	return it.key
}
