package collect

import (
	"cmp"
	"context"
	"math"

	"github.com/webquarry/quarry/index/internal/exec"
	"github.com/webquarry/quarry/index/internal/fault"
)

// Found is a match.
type Found struct {
	Score float64
	Doc   uint32
	place uint32 // of its key in the view
	View  int
}

// topK keeps the best k matches of one segment: greater scores first, of equal
// scores the smaller key. It grows with what it is given, not with k. Few are kept as a
// heap; of many, up to 2k are gathered before the worse half is dropped, which costs the
// same for any k.
type topK struct {
	run   *exec.Run
	k     int
	byKey bool    // what is added comes in the order of keys
	all   []Found // of few, the worst is the first
	bar   float64 // of many, where there are k: what is not greater is not wanted
}

// fewBest is how many are kept as a heap.
const fewBest = 64

// worse reports whether a comes after b.
func worse(a, b Found) bool {
	return a.Score < b.Score || a.Score == b.Score && a.place > b.place
}

// add takes a match.
func (t *topK) add(f Found) {
	switch {
	case t.k > fewBest:
		t.gather(f)
	case len(t.all) < t.k:
		if t.all == nil {
			t.all = make([]Found, 0, min(t.k, 16))
		}
		t.all = append(t.all, f)
		t.rise(len(t.all) - 1)
	case t.k > 0 && worse(t.all[0], f):
		t.all[0] = f
		t.sink()
	}
}

func (t *topK) gather(f Found) {
	if len(t.all) >= t.k && (f.Score < t.bar || f.Score == t.bar && t.byKey) {
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
		t.bar = min(t.bar, f.Score)
	}
}

// least returns the least score that a further match has to have; 0: any will do.
func (t *topK) least() float64 {
	score := t.bar
	switch {
	case t.k == 0 || len(t.all) < t.k:
		return 0
	case t.k <= fewBest:
		score = t.all[0].Score
	}
	if t.byKey {
		return math.Nextafter(score, math.Inf(1))
	}
	return score
}

// best returns the best k, in no order.
func (t *topK) best() []Found {
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
		for i <= j && !t.run.Stop() {
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
		case t.run.Err != nil:
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

// ReadEvery is how many hits are read between looks at the context. So many are
// read even after the time of a search that is to answer in part, which is quick.
const ReadEvery = 128

// ranked sorts the best matches of all segments, and returns those from offset
// on.
func ranked(r *exec.Run, c *exec.Collection, all []Found, offset, limit int) ([]Found, error) {
	err := exec.SortHits(r, all, func(a, b Found) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return cmp.Or(cmp.Compare(a.View, b.View), cmp.Compare(a.place, b.place))
	})
	if err != nil {
		return nil, err
	}
	// Equal scores of one segment are in the order of keys now; those of
	// several segments need their keys.
	for i := 0; i < len(all); {
		same := i + 1
		for same < len(all) && all[same].Score == all[i].Score {
			same++
		}
		if all[same-1].View != all[i].View {
			if err := sortByKey(r, c, all[i:same]); err != nil {
				return nil, err
			}
		}
		i = same
	}
	all = all[min(offset, len(all)):]
	return all[:min(limit, len(all))], nil
}

func sortByKey(r *exec.Run, c *exec.Collection, all []Found) (err error) {
	type keyed struct {
		Found
		key string
	}
	sorted := make([]keyed, len(all))
	for i, f := range all {
		if r.Spend(exec.LookUp) && !r.Enough(r.Err) {
			return r.Err
		}
		sorted[i].Found = f
		if sorted[i].key, err = keyOf(c, f); err != nil {
			return err
		}
	}
	if err := exec.SortHits(r, sorted, func(a, b keyed) int { return cmp.Compare(a.key, b.key) }); err != nil {
		return err
	}
	for i, k := range sorted {
		all[i] = k.Found
	}
	return nil
}

// keyOf returns the key of a match.
func keyOf(c *exec.Collection, f Found) (string, error) {
	v := c.Views[f.View]
	key, err := v.Seg.Key(f.Doc)
	if err != nil {
		return "", fault.Damage(v.Name(), err)
	}
	return key, nil
}

// Keys reads the keys of matches. Where the context ends a search that is to answer in
// part, these are those of the first.
func Keys(r *exec.Run, c *exec.Collection, page []Found) ([]string, error) {
	in := takeScratch(c)
	defer giveScratch(c, in)
	in.keys, in.ends = in.keys[:0], in.ends[:0]
	for i, f := range page {
		if i%ReadEvery == 0 && r.Ctx.Err() != nil {
			if !r.Partial {
				return nil, context.Cause(r.Ctx)
			}
			if i > 0 {
				r.Cut = true
				break
			}
		}
		v := c.Views[f.View]
		var err error
		if in.keys, err = v.Seg.AppendKey(in.keys, f.Doc); err != nil {
			return nil, fault.Damage(v.Name(), err)
		}
		in.ends = append(in.ends, len(in.keys))
	}
	all, from := string(in.keys), 0 // one string for all: it costs less, and hits are mostly dropped together
	keys := make([]string, len(in.ends))
	for i, end := range in.ends {
		keys[i], from = all[from:end], end
	}
	return keys, nil
}
