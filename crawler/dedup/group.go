package dedup

import (
	"iter"
	"slices"
)

// Group tells of a page what [Index.Add] would: its group, and what it is like.
// ok is false for a URL that was not added.
func (x *Index) Group(url string) (m Match, ok bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed != nil {
		return Match{}, false, x.failed
	}
	at, r, ok, err := x.latest(url)
	if err != nil || !ok {
		return Match{}, false, err
	}
	if m, err = x.describe(at, r); err == nil {
		err = x.makeRoom()
	}
	if err != nil {
		return Match{}, false, x.fail(err)
	}
	return m, true, nil
}

// A Group is the URLs of pages that say the same, the one that leads it first
// and the others as they came.
type Group []string

// Groups goes through the groups of two pages and more, one after the other. It
// holds the Index while it looks for the next group, not while yield runs; what
// is added meanwhile may be missed. It ends with an error, if any.
func (x *Index) Groups() iter.Seq2[Group, error] {
	return func(yield func(Group, error) bool) {
		leaders, err := x.leaders()
		if err != nil {
			yield(nil, err)
			return
		}
		defer x.doneReading()
		parts := x.parts()
		for {
			leader, ok, err := leaders()
			if err != nil {
				yield(nil, err)
				return
			}
			if !ok {
				return
			}
			g, err := x.members(leader, parts)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(g) > 1 && !yield(g, nil) {
				return
			}
		}
	}
}

// leaders gives the leaders of groups of more than one, in the order in which
// they came.
func (x *Index) leaders() (func() (uint64, bool, error), error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed != nil {
		return nil, x.failed
	}
	x.recent[byGroup].settle()
	snapshot := table{sorted: slices.Clone(x.recent[byGroup].sorted)}
	sources := []source{snapshot.all()}
	for _, r := range x.runs {
		sources = append(sources, r.all(byGroup))
	}
	var into []pair
	for _, to := range x.merges.to {
		into = append(into, pair{x.root(to), 0})
	}
	slices.SortFunc(into, byKey)
	merge := table{sorted: into}
	all := merged(append(sources, merge.all()))
	x.readers++
	var last uint64
	return func() (uint64, bool, error) {
		x.mu.Lock()
		defer x.mu.Unlock()
		for x.failed == nil {
			p, ok, err := all()
			if err != nil || !ok {
				return 0, false, err
			}
			if _, part := x.merges.to[p.key]; p.key != last && !part {
				last = p.key
				return p.key, true, nil
			}
		}
		return 0, false, x.failed
	}, nil
}

func (x *Index) doneReading() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.readers = max(x.readers-1, 0)
	x.closeRetired()
	x.idle.Broadcast()
}

// parts are the leaders whose groups became part of another's, by that one.
func (x *Index) parts() map[uint64][]uint64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	parts := make(map[uint64][]uint64)
	for from := range x.merges.to {
		to := x.root(from)
		parts[to] = append(parts[to], from)
	}
	return parts
}

// members returns the pages of a group that still are what made them part of it.
func (x *Index) members(leader uint64, parts map[uint64][]uint64) (g Group, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.failed != nil {
		return nil, x.failed
	}
	ids := []uint64{leader}
	for _, l := range append([]uint64{leader}, parts[leader]...) {
		if l != leader {
			ids = append(ids, l)
		}
		if err := x.scan(byGroup, l, l, func(p pair) bool { ids = append(ids, p.value); return true }); err != nil {
			return nil, err
		}
	}
	slices.Sort(ids)
	first := ""
	for _, id := range slices.Compact(ids) {
		r, err := x.pages.at(id)
		if err != nil {
			return nil, err
		}
		at, _, there, err := x.latest(r.url)
		if err != nil {
			return nil, err
		}
		if at != id || !there {
			continue
		}
		if first == "" {
			_, lead, err := x.lead(id, r)
			if err != nil {
				return nil, x.fail(err)
			}
			first = lead.url
		}
		g = append(g, r.url)
	}
	if at := slices.Index(g, first); at > 0 {
		g = slices.Insert(slices.Delete(g, at, at+1), 0, first)
	}
	return g, x.fail(x.makeRoom())
}
