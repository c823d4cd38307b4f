package index

import (
	"cmp"
	"slices"
)

// found is a match.
type found struct {
	score float64
	doc   uint32
	view  int
}

// topK keeps the best k matches of one segment: greater scores first, of equal
// scores the smaller document, which has the smaller key. It grows with what
// it is given, not with k.
type topK struct {
	k    int
	heap []found // the worst on top
}

// worse reports whether a comes after b.
func worse(a, b found) bool {
	return a.score < b.score || a.score == b.score && a.doc > b.doc
}

// add takes a match that comes after all that were added.
func (t *topK) add(f found) {
	if len(t.heap) < t.k {
		t.heap = append(t.heap, f)
		t.rise(len(t.heap) - 1)
		return
	}
	if t.k == 0 || f.score <= t.heap[0].score {
		return
	}
	t.heap[0] = f
	t.sink()
}

func (t *topK) rise(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !worse(t.heap[i], t.heap[parent]) {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *topK) sink() {
	i := 0
	for {
		last := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if worse(t.heap[child], t.heap[last]) {
				last = child
			}
		}
		if last == i {
			return
		}
		t.heap[i], t.heap[last] = t.heap[last], t.heap[i]
		i = last
	}
}

// ranked sorts the best matches of all segments, and returns those from offset
// on.
func (c *commit) ranked(all []found, offset, limit int) ([]found, error) {
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.view, b.view), cmp.Compare(a.doc, b.doc))
	})
	// Equal scores of one segment are in the order of keys now; those of
	// several segments need their keys.
	for i := 0; i < len(all); {
		same := i + 1
		for same < len(all) && all[same].score == all[i].score {
			same++
		}
		if all[same-1].view != all[i].view {
			if err := c.sortByKey(all[i:same]); err != nil {
				return nil, err
			}
		}
		i = same
	}
	all = all[min(offset, len(all)):]
	return all[:min(limit, len(all))], nil
}

func (c *commit) sortByKey(all []found) (err error) {
	type keyed struct {
		found
		key string
	}
	sorted := make([]keyed, len(all))
	for i, f := range all {
		sorted[i].found = f
		if sorted[i].key, err = c.key(f); err != nil {
			return err
		}
	}
	slices.SortFunc(sorted, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	for i, k := range sorted {
		all[i] = k.found
	}
	return nil
}

// key returns the key of a match.
func (c *commit) key(f found) (string, error) {
	v := c.views[f.view]
	key, err := v.seg.Key(f.doc)
	if err != nil {
		return "", damage(v.name(), err)
	}
	return key, nil
}
