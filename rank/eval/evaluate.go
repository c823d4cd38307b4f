package eval

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Options say how a run is measured. The zero value measures all hits of all
// queries that were judged.
type Options struct {
	// Relevant is the least grade that makes a document relevant; below 1: 1. (The
	// nDCG counts every grade above 0 for what it is.)
	Relevant int
	// Depth is how many hits of each query are looked at; below 1: all.
	Depth int
	// SkipMissing leaves out queries that the run does not have. Else they
	// count as 0: finding nothing is no way to a better mean. trec_eval skips
	// them, unless it is run with -c.
	SkipMissing bool
}

// Report is what was measured.
type Report struct {
	Measures []Measure
	Queries  []Scores  // by ID, numbers first
	Overall  []float64 // in the order of Measures: means over queries, but sums of NumRet and its like
}

// Scores are the values of one query, in the order of [Report].Measures.
type Scores struct {
	Query  string
	Values []float64
}

// Evaluate measures a run. Only queries of qrels count; one without a relevant
// document is measured as 0. Without measures it takes nDCG@10, MAP, MRR, P@10
// and recall@100. The error matches [ErrDuplicate] when the run has a document
// twice for a query.
func Evaluate(run Run, qrels Qrels, opt Options, measures ...Measure) (*Report, error) {
	if len(measures) == 0 {
		measures = usual
	}
	for _, m := range measures {
		if err := m.check(); err != nil {
			return nil, err
		}
	}
	report := &Report{Measures: slices.Clone(measures)}
	for _, query := range slices.SortedFunc(maps.Keys(qrels), compareIDs) {
		hits, found := run[query]
		if !found && opt.SkipMissing {
			continue
		}
		r, err := newRanking(hits, qrels[query], opt)
		if err != nil {
			return nil, fmt.Errorf("eval: query %s: %w", query, err)
		}
		s := Scores{Query: query}
		for _, m := range measures {
			s.Values = append(s.Values, r.measure(m))
		}
		report.Queries = append(report.Queries, s)
	}
	for i, m := range measures {
		report.Overall = append(report.Overall, m.overall(report.column(i)))
	}
	return report, nil
}

// column returns the values of the i-th measure.
func (r *Report) column(i int) []float64 {
	values := make([]float64, len(r.Queries))
	for k, s := range r.Queries {
		values[k] = s.Values[i]
	}
	return values
}

// leastMAP is what a query counts for at least in a geometric mean: one 0 would
// make all of it 0.
const leastMAP = 0.00001

// overall puts the values of all queries into one.
func (m Measure) overall(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		if m.Kind == GMMAP {
			v = math.Log(max(v, leastMAP))
		}
		sum += v
	}
	switch {
	case len(values) == 0 || slices.Contains([]Kind{NumRet, NumRel, NumRelRet, NumQ}, m.Kind):
		return sum
	case m.Kind == GMMAP:
		return math.Exp(sum / float64(len(values)))
	}
	return sum / float64(len(values))
}

func (o Options) relevant() int { return max(o.Relevant, 1) }
