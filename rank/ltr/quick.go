package ltr

import "math"

// quick holds trees in the form in which they are walked soonest: one after another in one list, and four
// side by side, so that the processor has something to do while it waits for memory. A step is one comparison without a
// branch, since a processor cannot guess where documents go. That takes about half of the time of [tree.score].
type quick struct {
	steps  []step
	roots  []int32
	leaves []float64
}

// step is a split. Of each feature there are two values, which differ where it is missing: then the even
// one is less than all thresholds, and the odd one greater.
type step struct {
	threshold float64
	value     int32
	to        [2]int32 // at most the threshold, or greater: a step, or the complement of a leaf
}

// newQuick returns nil if one of the trees needs more than steps.
func newQuick(trees []tree) *quick {
	q := &quick{}
	for i := range trees {
		t := &trees[i]
		if t.linear != nil {
			return nil
		}
		first, leaf := int32(len(q.steps)), int32(len(q.leaves))
		at := func(child int32) int32 {
			if child < 0 {
				return child - leaf
			}
			return child + first
		}
		root := ^leaf
		if len(t.splits) > 0 {
			root = first
		}
		for _, s := range t.splits {
			missing := s.kind&missingLeft == 0
			switch {
			case s.kind&(category|missingZero) != 0, s.threshold != s.threshold, math.IsInf(s.threshold, 0):
				return nil
			case s.kind&missingNaN == 0: // 0 then
				missing = !(0 <= s.threshold)
			}
			value := s.feature * 2
			if missing {
				value++
			}
			q.steps = append(q.steps, step{s.threshold, value, [2]int32{at(s.left), at(s.right)}})
		}
		q.roots, q.leaves = append(q.roots, root), append(q.leaves, t.leaves...)
	}
	return q
}

// values appends the values of features to room.
func (q *quick) values(features, room []float64) []float64 {
	for _, v := range features {
		if v != v {
			room = append(room, math.Inf(-1), math.Inf(1))
		} else {
			room = append(room, v, v)
		}
	}
	return room
}

// next is the step after one.
func (q *quick) next(at int32, values []float64) int32 {
	s := &q.steps[at]
	right := 0
	if values[s.value] > s.threshold {
		right = 1
	}
	return s.to[right&1]
}

// each calls add with what each tree says of a document, in order.
func (q *quick) each(values []float64, add func(float64)) {
	roots := q.roots
	for ; len(roots) >= 4; roots = roots[4:] {
		a, b, c, d := roots[0], roots[1], roots[2], roots[3]
		for a >= 0 && b >= 0 && c >= 0 && d >= 0 {
			a, b, c, d = q.next(a, values), q.next(b, values), q.next(c, values), q.next(d, values)
		}
		add(q.leaves[^q.walk(a, values)])
		add(q.leaves[^q.walk(b, values)])
		add(q.leaves[^q.walk(c, values)])
		add(q.leaves[^q.walk(d, values)])
	}
	for _, root := range roots {
		add(q.leaves[^q.walk(root, values)])
	}
}

// walk goes on to a leaf.
func (q *quick) walk(at int32, values []float64) int32 {
	for at >= 0 {
		at = q.next(at, values)
	}
	return at
}
