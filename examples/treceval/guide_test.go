package main

import (
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank/eval"
)

// measure is the snippet of docs/guides/evaluation.md.
func measure(ctx context.Context, ix *index.Index, queries []eval.Query, qrels eval.Qrels) (*eval.Report, error) {
	// snippet: measure
	run := eval.Run{}
	for _, q := range queries {
		found, err := ix.Search(ctx, query.Match{Text: q.Text}, index.SearchOptions{Limit: 1000})
		if err != nil {
			return nil, err
		}
		run[q.ID] = eval.Untied(found.Ranking())
	}
	return eval.Evaluate(run, qrels, eval.Options{}, eval.Measure{Kind: eval.NDCG, Cut: 10}, eval.Measure{Kind: eval.MAP})
	// end
}

func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/guides/evaluation.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("guide_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(source), "\t// snippet: measure\n")
	code, _, _ = strings.Cut(code, "\t// end\n")
	if want := "```go\n" + strings.ReplaceAll("\n"+code, "\n\t", "\n")[1:] + "```\n"; !strings.Contains(string(guide), want) {
		t.Errorf("the snippet of the guide is not\n%s", want)
	}
	commands := regexp.MustCompile(`(?m)^    go run \./examples/treceval ?(.*)$`).FindAllStringSubmatch(string(guide), -1)
	for _, c := range commands {
		if _, err := parseOptions(strings.Fields(c[1]), io.Discard); err != nil {
			t.Errorf("%s: %v", c[0], err)
		}
	}
	if len(commands) != 7 {
		t.Errorf("%d command lines, want 7", len(commands))
	}
}

func TestGuideSnippet(t *testing.T) {
	t.Parallel()
	ix, err := index.New(index.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	docs := []index.Document{{Key: "a", Fields: []index.Field{{Name: "title", Value: "red fox"}}}, {Key: "b", Fields: []index.Field{{Name: "body", Value: "a fox, red"}}}}
	if err := w.Add(t.Context(), docs...); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	report, err := measure(t.Context(), ix, []eval.Query{{ID: "1", Text: "red fox"}}, eval.Qrels{"1": {"b": 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Overall[1]; got != 0.5 {
		t.Errorf("MAP %v, want 0.5: the title counts double", got)
	}
}
