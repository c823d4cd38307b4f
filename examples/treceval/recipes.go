package main

import (
	"context"
	"fmt"
	"io"

	"github.com/webquarry/quarry/rank/eval"
	"github.com/webquarry/quarry/rank/recipe"
)

// compareRecipes measures all recipes, and prints a line for each beside the first, which is the default.
func (o *options) compareRecipes(ctx context.Context, c *collection, stdout, stderr io.Writer) error {
	o.measures = []eval.Measure{{Kind: eval.NDCG, Cut: 10}, {Kind: eval.MAP}}
	var reports []*eval.Report
	docs := 0
	for _, r := range recipe.All() {
		o.engine.recipe = r
		report, n, err := o.measure(ctx, c, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		reports, docs, stderr = append(reports, report), n, io.Discard // warnings are the same for all
	}
	return writeRecipes(stdout, docs, reports)
}

// measure indexes a collection, asks all queries and returns the report.
func (o *options) measure(ctx context.Context, c *collection, stderr io.Writer) (*eval.Report, int, error) {
	c.added, c.empty = 0, 0
	e, err := o.filled(ctx, c, stderr)
	if err != nil {
		return nil, 0, err
	}
	defer e.close()
	answers, err := e.answer(ctx, c.judgedQueries())
	if err != nil {
		return nil, 0, err
	}
	report, err := eval.Evaluate(answers, c.qrels, eval.Options{}, o.measures...)
	return report, e.docs(), err
}

// writeRecipes writes the table. The probabilities are those of MAP, by the t-test, plain and adjusted for as many comparisons as
// there are recipes.
func writeRecipes(w io.Writer, docs int, reports []*eval.Report) error {
	fmt.Fprintf(w, "%d documents, %d queries; p: of MAP, beside the first\n\n", docs, len(reports[0].Queries))
	fmt.Fprintf(w, "%-12s %8s %8s %8s %7s %7s %8s %8s\n", "", "ndcg@10", "map", "change", "better", "worse", "p (t)", "p (Holm)")
	var compared []eval.Comparison
	var p []float64
	for _, report := range reports[1:] {
		both, err := eval.Compare(reports[0], report)
		if err != nil {
			return err
		}
		compared, p = append(compared, both[1]), append(p, both[1].PT)
	}
	adjusted := eval.Holm(p)
	for i, r := range recipe.All() {
		ndcg, mean := reports[i].Overall[0], reports[i].Overall[1]
		line := fmt.Sprintf("%-12s %8.4f %8.4f", r.Name, ndcg, mean)
		if i > 0 {
			c := compared[i-1]
			mark := ""
			switch {
			case c.PT < 0.05 && c.B > c.A:
				mark = " +"
			case c.PT < 0.05:
				mark = " -"
			}
			line += fmt.Sprintf(" %+7.1f%% %7d %7d %8.4f %8.4f%s", 100*(c.B-c.A)/max(c.A, 1e-9), c.Better, c.Worse, c.PT, adjusted[i-1], mark)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
