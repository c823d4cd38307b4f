package ltr

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
)

// LambdaMART trains a model to rank, as LightGBM's objective lambdarank does: each tree mends what is
// wrong with the order that the trees before it make, in the measure nDCG (Burges, From RankNet to LambdaRank to LambdaMART,
// 2010). The zero value is made for some ten thousand judged documents. The same options and data give the same
// model, to the last bit.
type LambdaMART struct {
	Trees        int     // at most; 0: 300
	LearningRate float64 // 0: 0.05
	Leaves       int     // of each tree; 0: 15, at least 2
	MinDocs      int     // in each leaf; 0: 20
	L2           float64 // makes leaves of few documents smaller; 0: 1, negative: a true 0
	Cut          int     // the places of the ranking that count for Report.NDCG; 0: 10. Three times as many are learnt from.
	Features     float64 // the part of the features that each tree may use; 0: all
	Queries      float64 // the part of the queries that each tree learns from; 0: all
	Patience     int     // trees without a better NDCG after which training ends; 0: 50
	Seed         uint64  // of Features and Queries
}

// Report tells how the training went.
type Report struct {
	Best int       // trees that were kept
	NDCG []float64 // nDCG with the gain 2^grade - 1 of the validation, or without one of the training, after each tree
}

// InputError says what of options or data cannot be trained with.
type InputError struct{ Msg string }

// Error implements error.
func (e *InputError) Error() string { return "ltr: " + e.Msg }

// Train trains a model. With a validation set, which may be nil, it ends when the ranking of that does not get better, and keeps the trees up
// to the best one; without, all. What cannot be trained with is an [*InputError]; when ctx ends, the cause is returned.
func (l LambdaMART) Train(ctx context.Context, train, validation *Dataset) (*Model, *Report, error) {
	l, err := l.preset()
	if err != nil {
		return nil, nil, err
	}
	own, err := newTraining(train, train.Features, l.Cut)
	if err != nil {
		return nil, nil, err
	}
	if !own.useful() {
		return nil, nil, &InputError{"no query has documents of different grades"}
	}
	judge := own
	if validation != nil {
		if judge, err = newTraining(validation, train.Features, l.Cut); err != nil {
			return nil, nil, err
		}
		if !judge.useful() {
			return nil, nil, &InputError{"no query of the validation has documents of different grades"}
		}
	}
	m := &Model{Features: train.Features, objective: "lambdarank"}
	report := &Report{}
	g := own.grower(l)
	best := math.Inf(-1)
	for n := range l.Trees {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		t := own.next(g, l, n)
		m.trees = append(m.trees, t)
		own.add(&t)
		if judge != own {
			judge.add(&t)
		}
		now := judge.ndcg(l.Cut)
		report.NDCG = append(report.NDCG, now)
		if validation == nil || now > best {
			best, report.Best = now, len(m.trees)
		}
		if len(m.trees)-report.Best >= l.Patience {
			break
		}
	}
	m.trees = m.trees[:report.Best]
	m.quick = newQuick(m.trees)
	return m, report, nil
}

// preset sets what is 0, and refuses what is senseless.
func (l LambdaMART) preset() (LambdaMART, error) {
	l.Trees, l.Leaves, l.MinDocs = cmp.Or(l.Trees, 300), cmp.Or(l.Leaves, 15), cmp.Or(l.MinDocs, 20)
	l.Cut, l.Patience, l.LearningRate = cmp.Or(l.Cut, 10), cmp.Or(l.Patience, 50), cmp.Or(l.LearningRate, 0.05)
	l.L2 = max(0, cmp.Or(l.L2, 1))
	l.Features, l.Queries = cmp.Or(l.Features, 1), cmp.Or(l.Queries, 1)
	for name, n := range map[string]int{"Trees": l.Trees, "Leaves": l.Leaves - 1, "MinDocs": l.MinDocs, "Cut": l.Cut, "Patience": l.Patience} {
		if n < 1 {
			return l, &InputError{name + " is too small"}
		}
	}
	for name, v := range map[string]float64{"LearningRate": l.LearningRate, "Features": l.Features, "Queries": l.Queries} {
		if !(v > 0 && v <= 1) {
			return l, &InputError{fmt.Sprintf("%s is %v, and not above 0 and up to 1", name, v)}
		}
	}
	if l.L2 != l.L2 || math.IsInf(l.L2, 0) {
		return l, &InputError{fmt.Sprintf("L2 is %v", l.L2)}
	}
	return l, nil
}

// training is data while a model is trained.
type training struct {
	rows    [][]float64
	grades  []uint8
	queries []query
	scores  []float64
}

func newTraining(d *Dataset, features []string, cut int) (*training, error) {
	if len(features) == 0 || len(features) > maxFeatures {
		return nil, &InputError{fmt.Sprintf("%d features", len(features))}
	}
	if strings.Join(d.Features, "\n") != strings.Join(features, "\n") {
		return nil, &InputError{"the validation has other features than the training"}
	}
	t := &training{}
	for _, g := range d.Groups {
		from := len(t.rows)
		for _, doc := range g.Docs {
			if doc.Grade > maxGrade {
				return nil, &InputError{fmt.Sprintf("query %q: the grade %d is greater than %d", g.Query, doc.Grade, maxGrade)}
			}
			if len(doc.Features) > len(features) {
				return nil, &InputError{fmt.Sprintf("query %q: a document has %d features of %d", g.Query, len(doc.Features), len(features))}
			}
			row := doc.Features
			for len(row) < len(features) {
				row = append(row[:len(row):len(row)], math.NaN())
			}
			t.rows = append(t.rows, row)
			t.grades = append(t.grades, uint8(max(doc.Grade, 0)))
		}
		if len(t.rows) > from {
			t.queries = append(t.queries, newQuery(from, t.grades[from:], cut))
		}
	}
	if len(t.rows) > math.MaxInt32 {
		return nil, &InputError{"more than two thousand million documents"}
	}
	t.scores = make([]float64, len(t.rows))
	return t, nil
}

// useful reports whether there is a query to learn from.
func (t *training) useful() bool {
	for _, q := range t.queries {
		if q.best > 0 {
			return true
		}
	}
	return false
}

func (t *training) grower(l LambdaMART) *grower {
	g := &grower{leaves: l.Leaves, minDocs: l.MinDocs, l2: l.L2, gradient: make([]float64, len(t.rows)), hessian: make([]float64, len(t.rows))}
	values := make([]float64, len(t.rows))
	for f := range t.rows[0] {
		for i, row := range t.rows {
			values[i] = row[f]
		}
		g.columns = append(g.columns, newBinned(values))
	}
	return g
}

// next makes tree number n.
func (t *training) next(g *grower, l LambdaMART, n int) tree {
	random := rand.New(rand.NewPCG(l.Seed, uint64(n)))
	docs := make([]int32, 0, len(t.rows))
	learnt := chosen(random, len(t.queries), l.Queries)
	for i := range t.queries {
		q := &t.queries[i]
		if q.best == 0 || !learnt[i] {
			continue
		}
		q.lambdas(t.scores, t.grades, 3*l.Cut, g.gradient, g.hessian)
		for d := q.from; d < q.to; d++ {
			docs = append(docs, int32(d))
		}
	}
	return g.grow(docs, chosen(random, len(g.columns), l.Features), l.LearningRate)
}

// chosen picks a part of n things, at least one.
func chosen(random *rand.Rand, n int, part float64) []bool {
	out := make([]bool, n)
	for _, i := range random.Perm(n)[:max(1, int(math.Round(part*float64(n))))] {
		out[i] = true
	}
	return out
}

// add adds what a tree says of all documents.
func (t *training) add(tree *tree) {
	for i, row := range t.rows {
		t.scores[i] += tree.score(row)
	}
}

// ndcg is the mean over the queries that can be ranked well or badly.
func (t *training) ndcg(cut int) float64 {
	sum, n := 0.0, 0
	for i := range t.queries {
		if q := &t.queries[i]; q.best > 0 {
			sum += q.ndcg(t.scores, t.grades, cut)
			n++
		}
	}
	return sum / float64(n)
}

// NDCG is the mean nDCG, with the gain 2^grade - 1 of the first documents, of the ranking that a model makes, over the queries
// that have documents of different grades; cut 0: 10.
func (m *Model) NDCG(d *Dataset, cut int) (float64, error) {
	cut = cmp.Or(max(cut, 0), 10)
	t, err := newTraining(d, m.Features, cut)
	if err != nil {
		return 0, err
	}
	if !t.useful() {
		return 0, &InputError{"no query has documents of different grades"}
	}
	for i, row := range t.rows {
		t.scores[i] = m.Score(row)
	}
	return t.ndcg(cut), nil
}
