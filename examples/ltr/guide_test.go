package main

import (
	"context"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/eval"
	"github.com/webquarry/quarry/rank/ltr"
)

// What follows are the snippets of docs/guides/learning-to-rank.md.

func makeExtractor(ctx context.Context, snapshot *index.Snapshot, analyzer analysis.Analyzer) *ltr.Extractor {
	// snippet: extractor
	x := &ltr.Extractor{
		Fields:  []ltr.Field{{Name: "title", Weight: 2}, {Name: "body"}},
		Numbers: []string{"pagerank"},
		Analyze: func(text string) (words []string) { // as the index does
			for _, slot := range analysis.Slots(analyzer, text) {
				words = append(words, slot.Terms...)
			}
			return words
		},
		Stats: func(field, word string) (rank.Stats, error) {
			told, err := snapshot.TermStats(ctx, query.Term{Field: field, Text: word}, index.SearchOptions{Scorer: rank.InExpB2{}})
			if err != nil {
				return rank.Stats{}, err
			}
			of := rank.Stats{Docs: told.Docs, AvgLen: float64(told.Tokens[field]) / float64(max(1, told.Docs))}
			for _, n := range told.Terms {
				of.DocFreq = n
			}
			for _, n := range told.Occurrences {
				of.CollFreq = n
			}
			return of, nil
		},
	}
	// end
	return x
}

func trainModel(ctx context.Context, snapshot *index.Snapshot, x *ltr.Extractor, queries []eval.Query, qrels eval.Qrels, w io.Writer) (*ltr.Model, *ltr.Dataset, error) {
	// snippet: train
	data := &ltr.Dataset{Features: x.Features()}
	for _, q := range queries {
		found, err := snapshot.Search(ctx, query.Match{Text: q.Text}, index.SearchOptions{Limit: 100, Fields: []string{"title", "body", "pagerank"}})
		if err != nil {
			return nil, nil, err
		}
		var hits []rank.Hit
		for _, h := range found.Hits {
			hits = append(hits, rank.Hit{Key: h.Key, Score: h.Score, Fields: h.Fields})
		}
		rows, err := x.Extract(ctx, q.Text, hits)
		if err != nil {
			return nil, nil, err
		}
		group := ltr.Group{Query: q.ID}
		for i, h := range hits {
			group.Docs = append(group.Docs, ltr.Doc{Key: h.Key, Grade: qrels[q.ID][h.Key], Features: rows[i]})
		}
		data.Groups = append(data.Groups, group)
	}
	model, _, err := ltr.LambdaMART{Trees: 100, MinDocs: 1}.Train(ctx, data, nil)
	if err != nil {
		return nil, nil, err
	}
	err = model.WriteLightGBM(w)
	// end
	return model, data, err
}

func validated(ctx context.Context, train, validation *ltr.Dataset) (int, error) {
	// snippet: validate
	model, report, err := ltr.LambdaMART{MinDocs: 1, Patience: 20}.Train(ctx, train, validation)
	if err != nil {
		return 0, err
	}
	trees, ndcg := model.Trees(), report.NDCG[report.Best-1]
	// end
	_ = ndcg
	return trees, nil
}

func searched(ctx context.Context, snapshot *index.Snapshot, model *ltr.Model, x *ltr.Extractor, typed string) (*index.Results, *ltr.Ranker, error) {
	// snippet: search
	ranker, err := ltr.NewRanker(model, x)
	if err != nil {
		return nil, nil, err
	}
	found, err := snapshot.Search(ctx, query.Match{Text: typed}, index.SearchOptions{
		Rerank: index.Rerank{By: ranker, Depth: 100, Fields: []string{"title", "body", "pagerank"}, Text: typed},
	})
	// end
	return found, ranker, err
}

func explained(ctx context.Context, ranker *ltr.Ranker, typed string, hits []rank.Hit) (string, error) {
	// snippet: explain
	why, err := ranker.Explain(ctx, typed, hits) // the hits of the first stage, with their fields
	if err != nil {
		return "", err
	}
	text := why[0].String()
	// end
	return text, nil
}

func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/guides/learning-to-rank.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("guide_test.go")
	if err != nil {
		t.Fatal(err)
	}
	snippets := regexp.MustCompile(`(?s)\t// snippet: (\w+)\n(.*?)\t// end\n`).FindAllStringSubmatch(string(source), -1)
	if len(snippets) != 5 {
		t.Fatalf("%d snippets", len(snippets))
	}
	for _, s := range snippets {
		code := strings.ReplaceAll("\n"+s[2], "\n\t", "\n")[1:]
		if want := "<!-- snippet: " + s[1] + " -->\n```go\n" + code + "```\n"; !strings.Contains(string(guide), want) {
			t.Errorf("the snippet %s of the guide is not\n%s", s[1], want)
		}
	}
}

// The snippets do what the guide says.
func TestGuideSnippets(t *testing.T) {
	t.Parallel()
	ix, err := index.New(index.Options{Schema: index.Schema{
		{Name: "title", Kind: index.Text, Analyzer: "english", Stored: true}, {Name: "body", Kind: index.Text, Analyzer: "english", Stored: true}, {Name: "pagerank", Kind: index.Float},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	qrels := eval.Qrels{"1": {}, "2": {}}
	for n, key := range []string{"a", "b", "c", "d", "e", "f"} {
		fields := []index.Field{{Name: "body", Value: strings.Repeat("fox hound ", 6-n)}, {Name: "pagerank", Value: float64(n)}}
		if err := w.Add(t.Context(), index.Document{Key: key, Fields: fields}); err != nil {
			t.Fatal(err)
		}
		qrels["1"][key], qrels["2"][key] = n/2, n/2 // what people want has links
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	x := makeExtractor(t.Context(), s, analysis.Named("english"))
	var file strings.Builder
	_, data, err := trainModel(t.Context(), s, x, []eval.Query{{ID: "1", Text: "fox"}, {ID: "2", Text: "hounds"}}, qrels, &file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ltr.ReadLightGBM(strings.NewReader(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	if trees, err := validated(t.Context(), data, data); err != nil || trees == 0 {
		t.Errorf("%d trees: %v", trees, err)
	}
	found, ranker, err := searched(t.Context(), s, m, x, "fox hound")
	if err != nil || len(found.Hits) != 6 || found.Hits[0].Key < "e" || found.Hits[5].Key > "b" {
		t.Fatalf("%+v %v", found, err)
	}
	first := []rank.Hit{{Key: "a", Score: 1, Fields: map[string]any{"body": "fox", "pagerank": 0.0}}}
	if text, err := explained(t.Context(), ranker, "fox", first); err != nil || !strings.Contains(text, "sum of 100 trees") {
		t.Errorf("%v\n%s", err, text)
	}
}
