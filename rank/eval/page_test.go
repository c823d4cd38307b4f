package eval

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/webquarry/quarry/rank"
)

// pageRuns are two runs of three queries.
func pageRuns(t *testing.T) (runs []NamedReport) {
	t.Helper()
	qrels := Qrels{"1": {"a": 1, "b": 2}, "2": {"c": 1}, "10": {"d": 1}}
	measures := []Measure{{NDCG, 10}, {MAP, 0}, {NumRelRet, 0}}
	for percent := 0; percent <= 100; percent += 10 {
		measures = append(measures, Measure{IPrec, percent})
	}
	for name, run := range map[string]Run{
		"<first>": {"1": {{Key: "x", Score: 2}, {Key: "a", Score: 1}}, "2": {{Key: "c", Score: 1}}, "10": {{Key: "x", Score: 1}}},
		"second":  {"1": {{Key: "b", Score: 2}, {Key: "a", Score: 1}}, "2": {{Key: "x", Score: 2}, {Key: "c", Score: 1}}, "10": {{Key: "x", Score: 1}}},
	} {
		report, err := Evaluate(run, qrels, Options{}, measures...)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, NamedReport{name, report})
	}
	if runs[0].Name != "<first>" {
		runs[0], runs[1] = runs[1], runs[0]
	}
	return runs
}

// texts are what stands in the elements of a name, in order.
func texts(t *testing.T, page, name string) (out []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			var text strings.Builder
			for d := range n.Descendants() {
				if d.Type == html.TextNode {
					text.WriteString(d.Data)
				}
			}
			out = append(out, strings.TrimSpace(text.String()))
		}
	}
	return out
}

func TestPage(t *testing.T) {
	t.Parallel()
	runs := pageRuns(t)
	var out bytes.Buffer
	page := Page{Title: "Two & two", Text: "3 queries", Runs: runs, Queries: map[string]string{"1": "what <is> it", "10": "where"}}
	if err := page.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	if got := texts(t, out.String(), "h1"); len(got) != 1 || got[0] != "Two & two" {
		t.Errorf("title %q", got)
	}
	cells := strings.Join(texts(t, out.String(), "td"), "|")
	for _, want := range []string{"0.4133", "what <is> it", "1 better, 1 worse", "|10|0.0000|0.0000|"} {
		if !strings.Contains(cells, want) {
			t.Errorf("%q is not in %s", want, cells)
		}
	}
	if got := len(texts(t, out.String(), "polyline")); got != 2 {
		t.Errorf("%d curves", got)
	}
	if got := texts(t, out.String(), "title"); len(got) != 1+3 || got[1] != "1: +0.7602" || !strings.HasPrefix(got[3], "2: -") {
		t.Errorf("columns %q", got)
	}
	if strings.Contains(out.String(), "ZgotmplZ") || strings.Contains(out.String(), "<first>") {
		t.Error("something is not escaped, or was taken out")
	}
	out.Reset()
	if err := (Page{Title: "One", Runs: runs[:1]}).WriteHTML(&out); err != nil || len(texts(t, out.String(), "rect")) != 3 {
		t.Errorf("of one run: %v, %d columns", err, len(texts(t, out.String(), "rect")))
	}
	// Of no query there is nothing to plot, and of other queries nothing to compare.
	none, err := Evaluate(Run{}, Qrels{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := (Page{Runs: []NamedReport{{"none", none}}}).WriteHTML(&out); err != nil {
		t.Error(err)
	}
	other, err := Evaluate(Run{"7": {rank.Hit{Key: "a"}}}, Qrels{"7": {"a": 1}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]Page{"nothing": {}, "no report": {Runs: []NamedReport{{Name: "x"}}}, "others": {Runs: []NamedReport{runs[0], {"other", other}}}, "many": {Runs: make([]NamedReport, 7)}} {
		if err := bad.WriteHTML(&out); err == nil && name != "others" {
			t.Errorf("%s: no error", name)
		}
	}
}
