package eval

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Page is a page of HTML that sets runs beside each other: their measures, with what is significant, plots, and
// a table of all queries. It is one file without scripts that fits narrow and wide, light and dark screens.
type Page struct {
	Title string
	Text  string // what was measured
	Runs  []NamedReport
	// Queries are their texts, by ID; nil: only IDs are shown.
	Queries map[string]string
}

// NamedReport is a report of a run, of at most six. All are compared with the first. Where the measures include [IPrec]
// at 0, 10, ... 100 percent, there is a plot of precision by recall.
type NamedReport struct {
	Name string
	*Report
}

// mostRuns is how many colours there are.
const mostRuns = 6

//go:embed page.html
var pageText string

// WriteHTML writes the page.
func (p Page) WriteHTML(w io.Writer) error {
	if len(p.Runs) == 0 || len(p.Runs) > mostRuns {
		return fmt.Errorf("eval: a page of %d runs: want one to %d", len(p.Runs), mostRuns)
	}
	for _, r := range p.Runs {
		if r.Report == nil || len(r.Measures) == 0 || len(r.Overall) != len(r.Measures) {
			return errors.New("eval: a page of a report without measures")
		}
	}
	page, err := template.New("page").Parse(pageText)
	if err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	v, err := p.view()
	if err != nil {
		return err
	}
	if err := page.Execute(w, v); err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	return nil
}

// view is what the template shows.
type view struct {
	Page
	Rows    []measureRow
	Bars    []barGroup
	Curves  []curve
	Change  *bars // of queries by the first measure, the second run against the first
	Values  *bars // of queries by the first measure, of a single run
	Shown   []string
	Width   int // columns of the table of measures
	Queries []queryRow
}

type measureRow struct {
	Name  string
	Cells []cell
	Notes []string // of comparisons
}

type cell struct {
	Text  string
	Class string // "up" or "down" where it is significant
}

type barGroup struct {
	Name string
	Bars []bar
}

type bar struct {
	Run     int
	Name    string
	Percent float64
	Text    string
}

type curve struct {
	Run    int
	Name   string
	Points string
}

// bars are values of queries as columns of a plot, 320 wide.
type bars struct {
	Measure     string
	High, Low   string // what the ends of the scale are
	Zero        float64
	Columns     []column
	Better, Mid int
	Worse       int
}

type column struct {
	X, Y, Width, Height float64
	Class, Note         string
}

type queryRow struct {
	ID, Text string
	Cells    []cell
}

// counts reports whether a measure counts something, and has no place on a scale from 0 to 1.
func (m Measure) counts() bool { return m.Kind >= NumRet }

func (p Page) view() (*view, error) {
	v := &view{Page: p, Width: 1 + len(p.Runs)}
	first := p.Runs[0]
	compared := make([]map[Measure]Comparison, len(p.Runs))
	for n, r := range p.Runs[1:] {
		all, err := Compare(first.Report, r.Report)
		if err != nil {
			return nil, err
		}
		compared[n+1] = map[Measure]Comparison{}
		for _, c := range all {
			compared[n+1][c.Measure] = c
		}
	}
	for i, m := range first.Measures {
		if m.Kind == IPrec {
			continue // it is in the plot
		}
		row, group := measureRow{Name: m.String()}, barGroup{Name: m.String()}
		ps := make([]float64, 0, len(p.Runs))
		for _, c := range compared[1:] {
			ps = append(ps, c[m].PT)
		}
		ps = Holm(ps)
		for n, r := range p.Runs {
			k := slices.Index(r.Measures, m)
			if k < 0 {
				row.Cells = append(row.Cells, cell{Text: "–"})
				continue
			}
			value := show(m, r.Overall[k])
			out := cell{Text: value}
			if n > 0 {
				c := compared[n][m]
				if c.Better+c.Worse > 0 {
					name := ""
					if len(p.Runs) > 2 {
						name = r.Name + ": "
					}
					row.Notes = append(row.Notes, fmt.Sprintf("%s%+.4f · %d better, %d worse · p %s (t), %s (Wilcoxon), %s (randomised)", name, c.B-c.A, c.Better, c.Worse, chances(c.PT), chances(c.PWilcoxon), chances(c.PRandom)))
				}
				if ps[n-1] < 0.05 {
					out.Class = "down"
					if c.B > c.A {
						out.Class = "up"
					}
				}
			}
			row.Cells = append(row.Cells, out)
			if !m.counts() {
				group.Bars = append(group.Bars, bar{n, r.Name, 100 * min(max(r.Overall[k], 0), 1), value})
			}
		}
		v.Rows = append(v.Rows, row)
		if len(group.Bars) > 0 && len(v.Bars) < 8 {
			v.Bars = append(v.Bars, group)
		}
		if len(v.Shown) < 3 && !m.counts() {
			v.Shown = append(v.Shown, m.String())
			v.columns(i)
		}
	}
	for n, r := range p.Runs {
		if points := r.recallCurve(); points != "" {
			v.Curves = append(v.Curves, curve{n, r.Name, points})
		}
	}
	v.plotQueries()
	return v, nil
}

// chances shows a probability.
func chances(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

func show(m Measure, x float64) string {
	if m.counts() {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', 4, 64)
}

// columns adds the i-th measure of the first run, and the same of the others, to the table of queries.
func (v *view) columns(i int) {
	m := v.Runs[0].Measures[i]
	for q, s := range v.Runs[0].Report.Queries {
		if len(v.Queries) == q {
			v.Queries = append(v.Queries, queryRow{ID: s.Query, Text: v.Page.Queries[s.Query]})
		}
		row := &v.Queries[q]
		for n, r := range v.Runs {
			x, ok := r.of(s.Query, m)
			if !ok {
				row.Cells = append(row.Cells, cell{Text: "–"})
				continue
			}
			c := cell{Text: show(m, x)}
			if n > 0 && x > s.Values[i] {
				c.Class = "up"
			} else if n > 0 && x < s.Values[i] {
				c.Class = "down"
			}
			row.Cells = append(row.Cells, c)
		}
	}
}

// of returns the value of a query.
func (r NamedReport) of(query string, m Measure) (float64, bool) {
	k := slices.Index(r.Measures, m)
	if k < 0 {
		return 0, false
	}
	i, ok := slices.BinarySearchFunc(r.Report.Queries, query, func(s Scores, id string) int { return compareIDs(s.Query, id) })
	if !ok {
		return 0, false
	}
	return r.Report.Queries[i].Values[k], true
}

// The plot of precision by recall: 320 wide and 200 high, in a frame.
func (r NamedReport) recallCurve() string {
	var points []string
	for percent := 0; percent <= 100; percent += 10 {
		k := slices.Index(r.Measures, Measure{IPrec, percent})
		if k < 0 {
			return ""
		}
		points = append(points, fmt.Sprintf("%.1f,%.1f", 32+float64(percent)*2.8, 180-170*min(max(r.Overall[k], 0), 1)))
	}
	return strings.Join(points, " ")
}

// plotQueries makes the plot of single queries: how much the second run differs from the first, or the values of the only one.
func (v *view) plotQueries() {
	first := v.Runs[0]
	i := slices.IndexFunc(first.Measures, func(m Measure) bool { return !m.counts() })
	if i < 0 || len(first.Report.Queries) == 0 {
		return
	}
	m := first.Measures[i]
	type value struct {
		query string
		x     float64
	}
	var all []value
	for _, s := range first.Report.Queries {
		x := s.Values[i]
		if len(v.Runs) > 1 {
			other, ok := v.Runs[1].of(s.Query, m)
			if !ok {
				continue
			}
			x = other - x
		}
		all = append(all, value{s.Query, x})
	}
	slices.SortStableFunc(all, func(a, b value) int { return cmp.Compare(b.x, a.x) })
	b := &bars{Measure: m.String(), High: "1", Low: "0", Zero: 150}
	scale := 1.0
	if len(v.Runs) > 1 {
		most := 0.05
		for _, a := range all {
			most = max(most, math.Abs(a.x))
		}
		scale = 0.5 / most
		b.High, b.Low, b.Zero = fmt.Sprintf("+%.2f", most), fmt.Sprintf("−%.2f", most), 80
	}
	width := 278 / float64(max(len(all), 1))
	for n, a := range all {
		height := math.Abs(a.x) * scale * 140
		c := column{X: 39 + float64(n)*width, Y: b.Zero - height, Width: max(width*0.85, 0.3), Height: max(height, 0.4), Class: "up", Note: fmt.Sprintf("%s: %+.4f", a.query, a.x)}
		switch {
		case len(v.Runs) == 1:
			c.Class, c.Note = "run0", fmt.Sprintf("%s: %.4f", a.query, a.x)
		case a.x > 0:
			b.Better++
		case a.x < 0:
			c.Y, c.Class = b.Zero, "down"
			b.Worse++
		default:
			b.Mid++
		}
		b.Columns = append(b.Columns, c)
	}
	if len(v.Runs) > 1 {
		v.Change = b
	} else {
		v.Values = b
	}
}
