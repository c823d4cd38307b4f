package ltr

import (
	"math"
	"slices"
)

// split is an inner node of a tree. A value that is at most the threshold goes left.
type split struct {
	threshold   float64
	feature     int32
	left, right int32 // an inner node, or the complement of a leaf
	kind        kind
}

// kind says how a split treats values.
type kind uint8

const (
	missingLeft  kind = 1 << iota // what is missing goes left
	missingZero                   // 0 is missing, and NaN is 0
	missingNaN                    // NaN is missing; without this and missingZero it is 0
	category                      // the threshold is the number of a set of categories
	setGoesRight                  // the categories of the set go right and not left
)

// maxZero is the greatest number that is 0 to LightGBM.
const maxZero = 1e-35

// next returns where a value goes. It is the whole rule; leaf has the usual case inlined.
func (s *split) next(v float64, sets [][]uint32) int32 {
	if s.kind&category != 0 {
		return s.nextByCategory(v, sets)
	}
	missing := false
	if v != v {
		if missing = s.kind&missingNaN != 0; !missing {
			v = 0
		}
	}
	if s.kind&missingZero != 0 && math.Abs(v) <= maxZero {
		missing = true
	}
	if missing && s.kind&missingLeft != 0 || !missing && v <= s.threshold {
		return s.left
	}
	return s.right
}

func (s *split) nextByCategory(v float64, sets [][]uint32) int32 {
	var in bool
	switch {
	case s.kind&setGoesRight != 0: // XGBoost
		if v != v {
			if s.kind&missingLeft != 0 {
				return s.left
			}
			return s.right
		}
		in = !(v >= 0 && hasCategory(sets[int(s.threshold)], v))
	default: // LightGBM: what is missing is in no set
		in = v > -1 && hasCategory(sets[int(s.threshold)], v)
	}
	if in {
		return s.left
	}
	return s.right
}

// hasCategory reports whether the number without its fraction is in the set.
func hasCategory(set []uint32, v float64) bool {
	if v >= float64(len(set)*32) {
		return false
	}
	n := uint(v)
	return set[n/32]>>(n%32)&1 != 0
}

// linear is the function that a leaf of a linear tree has.
type linear struct {
	constant     float64
	features     []int32
	coefficients []float64
}

// tree is a regression tree. A tree without splits has one leaf.
type tree struct {
	splits []split
	leaves []float64
	sets   [][]uint32 // of categories, as bits
	linear []linear   // nil, or one for each leaf

	weights []float64 // how many documents of the training came to each leaf; nil: not known
}

// leaf returns the number of the leaf that a document comes to.
func (t *tree) leaf(features []float64) int {
	if len(t.splits) == 0 {
		return 0
	}
	at := int32(0)
	for at >= 0 {
		s := &t.splits[at]
		v := features[s.feature]
		if s.kind&(missingZero|category) != 0 || v != v {
			at = s.next(v, t.sets)
		} else if v <= s.threshold {
			at = s.left
		} else {
			at = s.right
		}
	}
	return int(^at)
}

// score returns what the tree adds for a document.
func (t *tree) score(features []float64) float64 {
	leaf := t.leaf(features)
	if t.linear == nil {
		return t.leaves[leaf]
	}
	of := t.linear[leaf]
	sum := of.constant
	for i, f := range of.features {
		v := features[f]
		if v != v {
			return t.leaves[leaf]
		}
		sum += of.coefficients[i] * v
	}
	return sum
}

// check reports what makes it no tree: a child that is not there, or that has two parents
// or none. After it no walk leaves the tree or goes on for ever.
func (t *tree) check(features int) string {
	if len(t.leaves) != len(t.splits)+1 {
		return "a tree does not have one leaf more than splits"
	}
	splits, leaves := make([]bool, len(t.splits)), make([]bool, len(t.leaves))
	for i, s := range t.splits {
		if s.feature < 0 || int(s.feature) >= features {
			return "a split is by a feature that the model does not have"
		}
		if s.kind&category != 0 && !(s.threshold >= 0 && s.threshold < float64(len(t.sets)) && s.threshold == math.Trunc(s.threshold)) {
			return "a split is by a set of categories that is not there"
		}
		for _, child := range []int32{s.left, s.right} {
			seen, n := splits, int(child)
			if child < 0 {
				seen, n = leaves, int(^child)
			}
			if n >= len(seen) || seen[n] || child >= 0 && n <= i {
				return "a split has a child that is not there, or that is another's or above it"
			}
			seen[n] = true
		}
	}
	for _, l := range t.linear {
		if slices.ContainsFunc(l.features, func(f int32) bool { return f < 0 || int(f) >= features }) {
			return "a leaf is a function of a feature that the model does not have"
		}
	}
	return ""
}

// means returns the mean of the leaves below each split, by their weights.
func (t *tree) means() []float64 {
	means, total := make([]float64, len(t.splits)), make([]float64, len(t.splits))
	for i := len(t.splits) - 1; i >= 0; i-- {
		for _, child := range []int32{t.splits[i].left, t.splits[i].right} {
			mean, weight := 0.0, 1.0
			switch {
			case child >= 0:
				mean, weight = means[child], total[child]
			default:
				mean = t.leaves[^child]
				if t.weights != nil {
					weight = t.weights[^child]
				}
			}
			if weight > 0 {
				means[i] += (mean - means[i]) * weight / (total[i] + weight)
				total[i] += weight
			}
		}
	}
	return means
}
