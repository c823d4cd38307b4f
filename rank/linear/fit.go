package linear

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Options say how a model is learnt. The zero value is least squares with weights.
type Options struct {
	// Logistic: targets are probabilities, or 0 and 1, and the model gives such. False: least squares.
	Logistic bool
	// Points is how many points the line of a feature has at most, laid so that about as many
	// examples are between any two; 0 or 1: a weight. A feature of fewer different values has one point for each.
	Points int
	// Ridge holds weights down: that much, times the number of examples, times the sum of their squares is added to the loss, where
	// features are scaled to a deviation of 1; 0: 1e-4, negative: a true 0, with which features
	// that depend on each other are an error.
	Ridge float64
}

// Fit learns a model of examples: rows of features that have these names, and what the model shall make of each. A
// feature that is always the same is left out. The same examples make the same model, to the last bit. The cost is rows·columns², where
// each point is a column.
func Fit(names []string, rows [][]float64, targets []float64, opt Options) (*Model, error) {
	if err := checkExamples(names, rows, targets, opt.Logistic); err != nil {
		return nil, err
	}
	columns := columnsOf(names, rows, opt.Points)
	x := make([][]float64, len(rows)) // of each row the columns, of mean 0, behind a 1
	for i, row := range rows {
		x[i] = append(make([]float64, 0, 1+len(columns)), 1)
		for _, c := range columns {
			x[i] = append(x[i], (c.of(row)-c.mean)/c.scale)
		}
	}
	ridge := 1e-4
	if opt.Ridge != 0 && !math.IsNaN(opt.Ridge) {
		ridge = min(max(opt.Ridge, 0), 1e9)
	}
	solve := leastSquares
	if opt.Logistic {
		solve = logistic
	}
	weights, err := solve(x, targets, ridge*float64(len(rows)))
	if err != nil {
		return nil, err
	}
	m := &Model{Logistic: opt.Logistic, Intercept: weights[0]}
	for i, c := range columns {
		w := weights[1+i] / c.scale
		m.Intercept -= w * c.mean
		if c.knots == nil {
			m.Terms = append(m.Terms, Term{Feature: names[c.feature], Weight: w})
			continue
		}
		if c.at == 0 {
			m.Terms = append(m.Terms, Term{Feature: names[c.feature]})
		}
		t := &m.Terms[len(m.Terms)-1]
		t.Points = append(t.Points, [2]float64{c.knots[c.at], w})
	}
	return m, m.Check()
}

func checkExamples(names []string, rows [][]float64, targets []float64, logistic bool) error {
	if len(rows) == 0 || len(rows) != len(targets) {
		return fmt.Errorf("linear: %d examples with %d targets", len(rows), len(targets))
	}
	for i, row := range rows {
		if len(row) != len(names) {
			return fmt.Errorf("linear: example %d has %d features, and there are %d names", i, len(row), len(names))
		}
		for _, v := range append(slices.Clone(row), targets[i]) {
			if math.IsNaN(v) || math.Abs(v) > 1e50 {
				return fmt.Errorf("linear: example %d: %v: want numbers within 1e50", i, v)
			}
		}
		if logistic && (targets[i] < 0 || targets[i] > 1) {
			return fmt.Errorf("linear: example %d: the target %v is no probability", i, targets[i])
		}
	}
	return nil
}

// column is what a term is learnt by: a feature itself or, with knots, how near it is to one of these: 1 there, falling to 0 at
// the next. The weights of the columns of all knots are then the points of a line.
type column struct {
	feature     int
	knots       []float64
	at          int
	mean, scale float64
}

func (c column) of(row []float64) float64 {
	x := row[c.feature]
	if c.knots == nil {
		return x
	}
	x = min(max(x, c.knots[0]), c.knots[len(c.knots)-1])
	knot := c.knots[c.at]
	switch {
	case x < knot && c.at > 0:
		return max(0, 1-(knot-x)/(knot-c.knots[c.at-1]))
	case x > knot && c.at < len(c.knots)-1:
		return max(0, 1-(x-knot)/(c.knots[c.at+1]-knot))
	case x == knot:
		return 1
	}
	return 0
}

func columnsOf(names []string, rows [][]float64, points int) (columns []column) {
	for f := range names {
		values := make([]float64, len(rows))
		for i, row := range rows {
			values[i] = row[f]
		}
		slices.Sort(values)
		if values[0] == values[len(values)-1] {
			continue
		}
		of := []column{{feature: f}}
		if points > 1 {
			of = nil
			knots := knotsOf(values, points)
			for at := range knots {
				of = append(of, column{feature: f, knots: knots, at: at})
			}
		}
		for _, c := range of {
			c.mean, c.scale = moments(c, rows)
			columns = append(columns, c)
		}
	}
	return columns
}

// knotsOf returns at most n of the values, which are sorted: the first and the last, and those between by quantiles.
func knotsOf(values []float64, n int) []float64 {
	different := slices.Compact(slices.Clone(values))
	if len(different) <= n {
		return different
	}
	var knots []float64
	for i := range n {
		knots = append(knots, values[i*(len(values)-1)/(n-1)])
	}
	return slices.Compact(knots)
}

// moments returns the mean of a column, and its deviation, 1 if that is 0.
func moments(c column, rows [][]float64) (mean, deviation float64) {
	for _, row := range rows {
		mean += c.of(row) / float64(len(rows))
	}
	squares := 0.0
	for _, row := range rows {
		d := c.of(row) - mean
		squares += d * d / float64(len(rows))
	}
	if deviation = math.Sqrt(squares); !(deviation > 0) {
		deviation = 1
	}
	return mean, deviation
}

// leastSquares returns the weights of the columns of x, of which the first is held down by nothing.
func leastSquares(x [][]float64, y []float64, ridge float64) ([]float64, error) {
	ones := make([]float64, len(x))
	for i := range ones {
		ones[i] = 1
	}
	a, b := normal(x, ones, y)
	return solve(a, b, ridge)
}

// logistic is Newton's method, with steps halved until the loss falls. It ends when it does no more.
func logistic(x [][]float64, y []float64, ridge float64) ([]float64, error) {
	weights := make([]float64, len(x[0]))
	loss := logLoss(x, y, weights, ridge)
	curvature, slope := make([]float64, len(x)), make([]float64, len(x))
	for range 100 {
		for i, row := range x {
			p := sigmoid(dot(row, weights))
			curvature[i] = max(p*(1-p), 1e-12)
			slope[i] = (y[i] - p) / curvature[i]
		}
		a, b := normal(x, curvature, slope)
		for j := 1; j < len(b); j++ {
			b[j] -= ridge * weights[j]
		}
		step, err := solve(a, b, ridge)
		if err != nil {
			return nil, err
		}
		fell := false
		for part := 1.0; part > 1e-6 && !fell; part /= 2 {
			next := slices.Clone(weights)
			for j := range next {
				next[j] += part * step[j]
			}
			if l := logLoss(x, y, next, ridge); l < loss-1e-12*math.Abs(loss) {
				weights, loss, fell = next, l, true
			}
		}
		if !fell {
			break
		}
	}
	return weights, nil
}

func logLoss(x [][]float64, y, weights []float64, ridge float64) (loss float64) {
	for i, row := range x {
		z := dot(row, weights)
		loss += max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - y[i]*z
	}
	for _, w := range weights[1:] {
		loss += ridge / 2 * w * w
	}
	return loss
}

// errDependent is what features are that say the same in other words.
var errDependent = errors.New("linear: features depend on each other: leave one out, or set Ridge")
