package eval

import (
	"errors"
	"slices"
)

// Comparison sets run B beside run A by one measure, over the queries that both
// have.
type Comparison struct {
	Measure Measure
	A, B    float64 // overall values
	Queries int     // compared
	Better  int     // queries for which B has the greater value
	Worse   int     // queries for which it has the smaller
	// PT, PWilcoxon and PRandom are how likely a difference as great as this would be if
	// the runs were equally good: by [TTest], [WilcoxonTest] and [RandomizationTest]. Below
	// 0.05 it is called significant; of many comparisons, see [Holm].
	PT, PWilcoxon, PRandom float64
}

// Compare compares two reports measure by measure: those of A, as far as B has
// them too. It is an error when they share no query. The randomisation is the
// same each time.
func Compare(a, b *Report) ([]Comparison, error) {
	valuesB := map[string][]float64{}
	for _, s := range b.Queries {
		valuesB[s.Query] = s.Values
	}
	var out []Comparison
	for i, m := range a.Measures {
		k := slices.Index(b.Measures, m)
		if k < 0 {
			continue
		}
		var x, y []float64
		for _, s := range a.Queries {
			if other, ok := valuesB[s.Query]; ok {
				x = append(x, s.Values[i])
				y = append(y, other[k])
			}
		}
		if len(x) == 0 {
			return nil, errors.New("eval: compare: the reports have no query in common")
		}
		out = append(out, compare(m, x, y))
	}
	return out, nil
}

// compare compares the values of two runs for the same queries.
func compare(m Measure, a, b []float64) Comparison {
	c := Comparison{Measure: m, A: m.overall(a), B: m.overall(b), Queries: len(a)}
	diffs := make([]float64, len(a))
	for i := range a {
		diffs[i] = b[i] - a[i]
		if diffs[i] > 0 {
			c.Better++
		}
		if diffs[i] < 0 {
			c.Worse++
		}
	}
	_, c.PT = TTest(diffs)
	c.PWilcoxon = WilcoxonTest(diffs)
	c.PRandom = RandomizationTest(diffs, seed)
	return c
}

// seed is that of Compare: any number would do.
const seed = 1
