package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/dynamic"
	"github.com/webquarry/quarry/rank/eval"
	"github.com/webquarry/quarry/rank/linear"
	"github.com/webquarry/quarry/rank/recipe"
)

// step changes how a search is ranked.
type step struct {
	name string
	add  func(*index.SearchOptions)
}

// steps are added to a search one after another.
var steps = []step{
	{"BM25F of title and body", func(o *index.SearchOptions) { o.Weights = map[string]float64{"title": 2, "body": 1, "anchor": 0} }},
	{"+ anchors", func(o *index.SearchOptions) { o.Weights = map[string]float64{"title": 2, "body": 1, "anchor": 2} }},
	{"+ PageRank", func(o *index.SearchOptions) {
		o.Static = append(o.Static, index.Static{Field: "pagerank", Prior: rank.Saturation{Weight: 1.5, Half: 0.5}})
	}},
	{"+ static rank", func(o *index.SearchOptions) {
		o.Static = append(o.Static, index.Static{Field: "static", Prior: rank.Saturation{Weight: 1, Half: 0.5}})
	}},
	{"+ proximity", func(o *index.SearchOptions) {
		o.Rerank = index.Rerank{By: near(), Fields: []string{"title", "body", "anchor"}}
	}},
}

// recipes rank by those of rank/recipe, each by itself, with anchors.
func recipes() (steps []step) {
	documents := recipe.Documents{PageRank: "pagerank", Texts: dynamic.Features{Streams: []dynamic.Stream{
		{Name: "url"}, {Name: "title", Field: "title"}, {Name: "body", Field: "body"}, {Name: "preview", Field: "body", First: 50}, {Name: "anchor", Field: "anchor"},
	}}}
	for _, r := range recipe.All() {
		steps = append(steps, step{r.Name, func(o *index.SearchOptions) {
			o.Weights = map[string]float64{"title": 2, "body": 1, "anchor": 2}
			o.Scorer, o.Feedback, o.Rerank = r.Scorer, r.Feedback, index.Rerank{}
			if r.Stage != nil {
				o.Rerank = index.Rerank{By: r.Stage(documents), Fields: documents.Fields()}
			}
		}})
	}
	return steps
}

// near scores by how close the words of a query stand, beside what the first stage says.
func near() rank.Ranker {
	streams := []dynamic.Stream{{Name: "title", Field: "title"}, {Name: "body", Field: "body"}, {Name: "anchor", Field: "anchor"}}
	return rank.ByModel{
		Features: rank.AllFeatures{rank.FirstStage{}, dynamic.Features{Streams: streams}},
		Model: &linear.Model{Terms: []linear.Term{
			{Feature: "score", Weight: 1},
			{Feature: "title.longest", Weight: 1}, {Feature: "title.phrase", Weight: 1},
			{Feature: "body.phrase", Weight: 0.5}, {Feature: "body.pairs", Weight: 0.5},
			{Feature: "anchor.phrase", Weight: 0.5},
		}},
	}
}

// measure prints a line for each step, compared with the one before or, if each is by itself, with the first.
func measure(ctx context.Context, ix *index.Index, wanted []item, steps []step, apart bool, out io.Writer) error {
	fmt.Fprintf(out, "%-26s %8s %8s %8s %8s %8s\n", "", "mrr", "links", "headings", "top 10", "p")
	opt := index.SearchOptions{Limit: 100, CountUpTo: -1}
	var before *eval.Report
	for _, step := range steps {
		step.add(&opt)
		run, err := answers(ctx, ix, wanted, opt)
		if err != nil {
			return err
		}
		report, err := judge(run, wanted, func(item) bool { return true })
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-26s %8.4f", step.name, report.Overall[0])
		for _, kind := range []int{byLink, byHeading} {
			of, err := judge(run, wanted, func(q item) bool { return q.kind == kind })
			if err != nil {
				return err
			}
			fmt.Fprintf(out, " %8.4f", of.Overall[0])
		}
		fmt.Fprintf(out, " %8.4f", report.Overall[1])
		if before != nil {
			both, err := eval.Compare(before, report)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, " %8.4f", both[0].PRandom)
		}
		if _, err := fmt.Fprintln(out); err != nil {
			return err
		}
		if before == nil || !apart {
			before = report
		}
	}
	return nil
}

// answers asks all queries: for pages with any of the words.
func answers(ctx context.Context, ix *index.Index, wanted []item, opt index.SearchOptions) (eval.Run, error) {
	run := eval.Run{}
	for i, q := range wanted {
		opt.Rerank.Text = q.text
		var any query.Or
		for word := range strings.FieldsSeq(q.text) {
			any = append(any, query.Match{Text: word})
		}
		res, err := ix.Search(ctx, any, opt)
		if err != nil {
			return nil, err
		}
		run[fmt.Sprint(i)] = eval.Untied(res.Ranking())
	}
	return run, nil
}

// judge measures the answers to some of the queries.
func judge(run eval.Run, wanted []item, some func(item) bool) (*eval.Report, error) {
	qrels := eval.Qrels{}
	for i, q := range wanted {
		if some(q) {
			qrels[fmt.Sprint(i)] = map[string]int{q.url: 1}
		}
	}
	return eval.Evaluate(run, qrels, eval.Options{}, eval.Measure{Kind: eval.MRR}, eval.Measure{Kind: eval.Success, Cut: 10})
}
