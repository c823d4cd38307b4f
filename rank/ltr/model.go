package ltr

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/webquarry/quarry/rank"
)

// Model is a sum of regression trees. It does not change and may be used by several
// goroutines at once.
type Model struct {
	// Features are the names of the features, in the order in which they are given.
	Features []string

	trees     []tree
	quick     *quick // the trees once more, nil: they need all that trees can do
	base      float64
	float32s  bool   // features and sums are numbers of 32 bits, as in XGBoost
	forest    bool   // predictions are means, and not sums, of the trees
	objective string // as LightGBM writes it
	transform func(float64) float64
}

// maxFeatures is how many features a model may have.
const maxFeatures = 1 << 20

// Trees returns the number of trees.
func (m *Model) Trees() int { return len(m.trees) }

// Objective returns what the model was trained for, as the program that trained it calls
// it, such as "lambdarank" or "rank:ndcg"; "": not known.
func (m *Model) Objective() string { return m.objective }

// Score returns the score of a document: greater is better. Features stand in the order of m.Features; NaN, and
// what lacks at the end, is missing. It costs some ten nanoseconds a tree.
//
// It is the raw score of LightGBM and the margin of XGBoost. See also [Model.Predict].
func (m *Model) Score(features []float64) float64 {
	var room [64]float64
	features = m.fit(features, room[:0])
	sum := m.base
	add := func(v float64) { sum += v }
	if m.float32s {
		add = func(v float64) { sum = float64(float32(sum) + float32(v)) }
	}
	if m.quick != nil {
		var room [256]float64
		m.quick.each(m.quick.values(features[:len(m.Features)], room[:0]), add)
		return sum
	}
	for i := range m.trees {
		add(m.trees[i].score(features))
	}
	return sum
}

// fit returns the features as the trees want them, in room if they change.
func (m *Model) fit(features, room []float64) []float64 {
	if len(features) >= len(m.Features) && !m.float32s {
		return features
	}
	room = append(room, features[:min(len(features), len(m.Features))]...)
	if m.float32s {
		for i, v := range room {
			room[i] = float64(float32(v))
		}
	}
	for len(room) < len(m.Features) {
		room = append(room, math.NaN())
	}
	return room
}

// Predict returns what the model was trained to predict: the score, transformed as its objective says, such
// as a probability for "binary". For a model that was trained to rank it is the score.
func (m *Model) Predict(features []float64) float64 {
	score := m.Score(features)
	if m.transform == nil {
		return score
	}
	return m.transform(score)
}

// Explain tells where the score of a document comes from. Its Value is that of Score, bit for bit. The parts are
// what each feature adds on the way from the root of each tree to a leaf, as far as the mean of the leaves below rises
// or falls (Saabas, 2014), the greatest first; the last is the mean of all documents. They add up to the
// score but for rounding.
func (m *Model) Explain(features []float64) rank.Explanation {
	var room [64]float64
	fitted := m.fit(features, room[:0])
	adds := make(map[int32]float64)
	mean, rest := m.base, 0.0
	for i := range m.trees {
		t := &m.trees[i]
		means := t.means()
		if len(means) == 0 {
			mean += t.score(fitted)
			continue
		}
		mean += means[0]
		for at := int32(0); at >= 0; {
			s := &t.splits[at]
			child := s.next(fitted[s.feature], t.sets)
			to := 0.0
			if child >= 0 {
				to = means[child]
			} else {
				to = t.leaves[^child]
				rest += (t.score(fitted) - to)
			}
			adds[s.feature] += (to - means[at])
			at = child
		}
	}
	ex := rank.Explanation{Value: m.Score(features), Text: fmt.Sprintf("sum of %d trees", len(m.trees))}
	for f, add := range adds {
		ex.Parts = append(ex.Parts, rank.Explanation{Value: add, Text: fmt.Sprintf("%s = %.6g", m.Features[f], fitted[f])})
	}
	slices.SortFunc(ex.Parts, func(a, b rank.Explanation) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Value), math.Abs(a.Value)), cmp.Compare(a.Text, b.Text))
	})
	if rest != 0 {
		ex.Parts = append(ex.Parts, rank.Explanation{Value: rest, Text: "linear functions of the leaves"})
	}
	ex.Parts = append(ex.Parts, rank.Explanation{Value: mean, Text: "mean"})
	return ex
}

// sigmoid is the logistic function.
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
