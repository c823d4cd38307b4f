package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/eval"
)

// results are what is to be shown.
type results struct {
	options  *options
	docs     int
	report   *eval.Report
	compared []eval.Comparison
}

// writeTable writes a measure a line, and a query a line if that is wanted.
func (r results) writeTable(out io.Writer) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%d documents, %d queries; %v\n\n", r.docs, len(r.report.Queries), r.options.engine)
	if r.compared != nil {
		r.tabulateCompared(&text)
	} else {
		for i, m := range r.report.Measures {
			fmt.Fprintf(&text, "%-12v %8s\n", m, number(m, r.report.Overall[i]))
		}
	}
	if r.options.queries {
		r.tabulateQueries(&text)
	}
	_, err := out.Write(text.Bytes())
	return err
}

// String tells the settings as the flags do.
func (o engineOptions) String() string {
	var fields []string
	for _, f := range o.fields {
		fields = append(fields, fmt.Sprintf("%s^%v", f.Name, f.Weight))
	}
	scorer := "BM25F"
	if o.sum {
		scorer = "BM25"
	}
	scorer += fmt.Sprintf(" with k1 %v and b %v", max(o.bm25.K1, 0), max(o.bm25.B, 0))
	if o.scorer != nil {
		scorer, _ = rank.FormatScorer(o.scorer)
	}
	if o.recipe.Name != "" {
		scorer = "recipe " + o.recipe.Name
	}
	if o.dependence {
		scorer += ", sequential dependence"
	}
	if o.feedback != nil {
		scorer += ", feedback " + o.feedbackName
	}
	if n := len(o.synonyms); n > 0 {
		scorer += fmt.Sprintf(", %d groups of synonyms", n)
	}
	return fmt.Sprintf("analyzer %s, stop %s, fields %s, %s", o.analyzer, o.stop, strings.Join(fields, ","), scorer)
}

// tabulateCompared sets the run that was given beside ours.
func (r results) tabulateCompared(w io.Writer) {
	fmt.Fprintf(w, "%-12s %8s %8s %8s %7s %7s %8s %8s %8s\n", "", "before", "now", "change", "better", "worse", "p (t)", "p (wilc)", "p (rand)")
	for _, c := range r.compared {
		fmt.Fprintf(w, "%-12v %8s %8s %+8.4f %7d %7d %8.4f %8.4f %8.4f\n",
			c.Measure, number(c.Measure, c.A), number(c.Measure, c.B), c.B-c.A, c.Better, c.Worse, c.PT, c.PWilcoxon, c.PRandom)
	}
}

func (r results) tabulateQueries(w io.Writer) {
	fmt.Fprintf(w, "\n%-12s", "query")
	for _, m := range r.report.Measures {
		fmt.Fprintf(w, " %12v", m)
	}
	fmt.Fprintln(w)
	for _, s := range r.report.Queries {
		fmt.Fprintf(w, "%-12s", s.Query)
		for i, m := range r.report.Measures {
			fmt.Fprintf(w, " %12s", number(m, s.Values[i]))
		}
		fmt.Fprintln(w)
	}
}

// number shows counts whole and the rest with four digits.
func number(m eval.Measure, v float64) string {
	if m.Kind >= eval.NumRet {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4f", v)
}

// comparison is one in JSON.
type comparison struct {
	Before    float64 `json:"before"`
	Now       float64 `json:"now"`
	Better    int     `json:"better"`
	Worse     int     `json:"worse"`
	PT        float64 `json:"p_t"`
	PWilcoxon float64 `json:"p_wilcoxon"`
	PRandom   float64 `json:"p_random"`
}

// writeJSON writes one object: a number for each measure.
func (r results) writeJSON(out io.Writer) error {
	object := map[string]any{}
	for i, m := range r.report.Measures {
		object[m.String()] = r.report.Overall[i]
	}
	if r.compared != nil {
		all := map[string]comparison{}
		for _, c := range r.compared {
			all[c.Measure.String()] = comparison{c.A, c.B, c.Better, c.Worse, c.PT, c.PWilcoxon, c.PRandom}
		}
		object["compare"] = all
	}
	return json.NewEncoder(out).Encode(object)
}
