package index

import (
	"cmp"
	"math"
)

// found is a match.
type found struct {
	score float64
	doc   uint32
	place uint32 // of its key in the view
	view  int
}

// topK keeps the best k matches of one segment: greater scores first, of equal
// scores the smaller key. It grows with what
// it is given, not with k. Few are kept as a heap; of many, up to 2k are gathered
// before the worse half is dropped, which costs the same for any k.
type topK struct {
	run   *run
	k     int
	byKey bool    // what is added comes in the order of keys
	all   []found // of few, the worst is the first
	bar   float64 // of many, where there are k: what is not greater is not wanted
}

// fewBest is how many are kept as a heap.
const fewBest = 64

// worse reports whether a comes after b.
func worse(a, b found) bool {
	return a.score < b.score || a.score == b.score && a.place > b.place
}

// add takes a match.
func (t *topK) add(f found) {
	switch {
	case t.k > fewBest:
		t.gather(f)
	case len(t.all) < t.k:
		if t.all == nil {
			t.all = make([]found, 0, min(t.k, 16))
		}
		t.all = append(t.all, f)
		t.rise(len(t.all) - 1)
	case t.k > 0 && worse(t.all[0], f):
		t.all[0] = f
		t.sink()
	}
}

func (t *topK) gather(f found) {
	if len(t.all) >= t.k && (f.score < t.bar || f.score == t.bar && t.byKey) {
		return
	}
	t.all = append(t.all, f)
	if len(t.all) == t.k || len(t.all)-t.k == t.k {
		t.reduce()
	}
}

// reduce keeps the best of those gathered.
func (t *topK) reduce() {
	if len(t.all) > t.k {
		t.selectBest()
		t.all = t.all[:t.k]
	}
	t.bar = math.Inf(1)
	for _, f := range t.all {
		t.bar = min(t.bar, f.score)
	}
}

// least returns the least score that a further match has to have; 0: any will do.
func (t *topK) least() float64 {
	score := t.bar
	switch {
	case t.k == 0 || len(t.all) < t.k:
		return 0
	case t.k <= fewBest:
		score = t.all[0].score
	}
	if t.byKey {
		return math.Nextafter(score, math.Inf(1))
	}
	return score
}

// best returns the best k, in no order.
func (t *topK) best() []found {
	if len(t.all) > t.k {
		t.reduce()
	}
	return t.all
}

// selectBest moves the best k of more to the front: Hoare's selection (1961). It ends
// with the search.
func (t *topK) selectBest() {
	all, k := t.all, t.k
	for lo, hi := 0, len(all)-1; lo < hi; {
		pivot, i, j := all[lo+(hi-lo)/2], lo, hi
		for i <= j && !t.run.stop() {
			for worse(pivot, all[i]) {
				i++
			}
			for worse(all[j], pivot) {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i++
				j--
			}
		}
		switch {
		case t.run.err != nil:
			return
		case k-1 <= j:
			hi = j
		case k-1 >= i:
			lo = i
		default:
			return
		}
	}
}

func (t *topK) rise(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !worse(t.all[i], t.all[parent]) {
			return
		}
		t.all[i], t.all[parent] = t.all[parent], t.all[i]
		i = parent
	}
}

func (t *topK) sink() {
	i := 0
	for {
		last := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.all); child++ {
			if worse(t.all[child], t.all[last]) {
				last = child
			}
		}
		if last == i {
			return
		}
		t.all[i], t.all[last] = t.all[last], t.all[i]
		i = last
	}
}

// ranked sorts the best matches of all segments, and returns those from offset
// on.
func (c *commit) ranked(r *run, all []found, offset, limit int) ([]found, error) {
	err := sortHits(r, all, func(a, b found) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return cmp.Or(cmp.Compare(a.view, b.view), cmp.Compare(a.place, b.place))
	})
	if err != nil {
		return nil, err
	}
	// Equal scores of one segment are in the order of keys now; those of
	// several segments need their keys.
	for i := 0; i < len(all); {
		same := i + 1
		for same < len(all) && all[same].score == all[i].score {
			same++
		}
		if all[same-1].view != all[i].view {
			if err := c.sortByKey(r, all[i:same]); err != nil {
				return nil, err
			}
		}
		i = same
	}
	all = all[min(offset, len(all)):]
	return all[:min(limit, len(all))], nil
}

func (c *commit) sortByKey(r *run, all []found) (err error) {
	type keyed struct {
		found
		key string
	}
	sorted := make([]keyed, len(all))
	for i, f := range all {
		if r.spend(lookUp) && !r.enough(r.err) {
			return r.err
		}
		sorted[i].found = f
		if sorted[i].key, err = c.key(f); err != nil {
			return err
		}
	}
	if err := sortHits(r, sorted, func(a, b keyed) int { return cmp.Compare(a.key, b.key) }); err != nil {
		return err
	}
	for i, k := range sorted {
		all[i] = k.found
	}
	return nil
}

// appendKey appends the key of a match to dst.
func (c *commit) appendKey(dst []byte, f found) ([]byte, error) {
	v := c.views[f.view]
	dst, err := v.seg.AppendKey(dst, f.doc)
	if err != nil {
		return dst, damage(v.name(), err)
	}
	return dst, nil
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
