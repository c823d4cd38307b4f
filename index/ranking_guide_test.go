package index_test

import (
	"context"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/dynamic"
	"github.com/webquarry/quarry/rank/linear"
	"github.com/webquarry/quarry/rank/recipe"
	"github.com/webquarry/quarry/rank/static"
)

// The snippets of docs/guides/ranking.md, each of which stands here word for word.

func guideFuse(ctx context.Context, ix *index.Index, q query.Query) ([]rank.Hit, error) {
	// snippet: fuse
	words, err := ix.Search(ctx, q, index.SearchOptions{Limit: 100})
	if err != nil {
		return nil, err
	}
	other, err := ix.Search(ctx, q, index.SearchOptions{Limit: 100, Scorer: rank.InExpB2{}})
	if err != nil {
		return nil, err
	}
	return rank.ReciprocalRank{}.Fuse(words.Ranking(), other.Ranking()), nil
	// end
}

func guideCrowding(ctx context.Context, ix *index.Index, q query.Query) (*index.Results, error) {
	// snippet: crowding
	return ix.Search(ctx, q, index.SearchOptions{Rerank: index.Rerank{By: rank.Crowding{Most: 2, Page: 10}}})
	// end
}

func guideDynamic(ctx context.Context, ix *index.Index, text string) (*index.Results, error) {
	// snippet: dynamic
	stage := rank.ByModel{
		Features: rank.AllFeatures{
			rank.FirstStage{Columns: []string{"pagerank"}}, // score, score.share, pagerank
			dynamic.Features{Streams: []dynamic.Stream{{Name: "title", Field: "title"}, {Name: "body", Field: "body"}}},
		},
		Model: &linear.Model{Terms: []linear.Term{
			{Feature: "score.share", Weight: 0.6},
			{Feature: "pagerank", Weight: 0.4},
			{Feature: "title.any", Weight: 0.2},
			{Feature: "title.longest", Points: [][2]float64{{0.9, 0}, {0.9, 0.3}}}, // nine words of ten, in order
			{Feature: "body.window", Weight: 0.1},
		}},
	}
	return ix.Search(ctx, query.Match{Text: text}, index.SearchOptions{
		Rerank: index.Rerank{By: stage, Fields: []string{"title", "body", "pagerank"}, Text: text},
	})
	// end
}

func guideRecipe(ctx context.Context, ix *index.Index, name, text string) (*index.Results, error) {
	// snippet: recipe
	r, err := recipe.Named(name)
	if err != nil {
		return nil, err
	}
	opt := index.SearchOptions{Scorer: r.Scorer, Feedback: r.Feedback}
	if r.Stage != nil {
		documents := recipe.Documents{PageRank: "pagerank", Texts: dynamic.Features{
			Streams: []dynamic.Stream{{Name: "url"}, {Name: "title", Field: "title"}, {Name: "body", Field: "body"}, {Name: "preview", Field: "body", First: 50}},
		}}
		opt.Rerank = index.Rerank{By: r.Stage(documents), Fields: documents.Fields(), Text: text}
	}
	return ix.Search(ctx, query.Match{Text: text}, opt)
	// end
}

func guideQuality(url, title, body string) (index.Document, error) {
	// snippet: static
	score, err := static.PageScore(nil) // the model that is there
	if err != nil {
		return index.Document{}, err
	}
	quality := score(static.Page{URL: url, Title: title, Body: body}) // 0 to 1
	return index.Document{Key: url, Fields: []index.Field{
		{Name: "title", Value: title}, {Name: "body", Value: body}, {Name: "quality", Value: quality},
	}}, nil
	// end
}

func TestRankingGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../docs/guides/ranking.md")
	must(t, err)
	source, err := os.ReadFile("ranking_guide_test.go")
	must(t, err)
	blocks := regexp.MustCompile("(?s)<!-- snippet: (\\w+) -->\n```go\n(.*?)```\n").FindAllStringSubmatch(string(guide), -1)
	if marked := strings.Count(string(guide), "<!-- snippet"); len(blocks) != marked || marked == 0 {
		t.Errorf("%d snippets of %d have the form of one", len(blocks), marked)
	}
	for _, b := range blocks {
		_, code, _ := strings.Cut(string(source), "\t// snippet: "+b[1]+"\n")
		code, _, _ = strings.Cut(code, "\t// end\n")
		if code = strings.ReplaceAll("\n"+code, "\n\t", "\n")[1:]; code != b[2] {
			t.Errorf("the snippet %s of the guide is\n%s\nand here\n%s", b[1], b[2], code)
		}
	}
}

func TestRankingGuideRuns(t *testing.T) {
	t.Parallel()
	var docs []index.Document
	for _, key := range []string{"https://a.example/1", "https://a.example/2", "https://a.example/3", "https://b.example/"} {
		docs = append(docs, index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: "a red fox"}}})
	}
	ix := memory(t, index.Options{}, docs...)
	q := query.Match{Text: "fox"}
	fused, err := guideFuse(t.Context(), ix, q)
	must(t, err)
	if len(fused) != 4 || fused[0].Score != 2.0/61 {
		t.Errorf("fused: %v", fused)
	}
	res, err := guideCrowding(t.Context(), ix, q)
	must(t, err)
	if len(res.Hits) != 4 || res.Hits[2].Key != "https://b.example/" || res.Hits[3].Key != "https://a.example/3" {
		t.Errorf("few of a host: %v", res.Ranking())
	}
}

// The second stage turns around what the first has found: the column counts more than an occurrence.
func TestRankingGuideStages(t *testing.T) {
	t.Parallel()
	good, err := guideQuality("https://a.example/", "Red fox", "A red fox is a fox that is red, and no other fox.")
	must(t, err)
	other := index.Document{Key: "https://b.example/", Fields: []index.Field{
		{Name: "title", Value: "Animals"}, {Name: "body", Value: "fox and a red hen"}, {Name: "pagerank", Value: 1.0}, {Name: "quality", Value: 0.1},
	}}
	ix := memory(t, index.Options{Schema: index.Schema{
		{Name: "title", Weight: 2, Stored: true}, {Name: "body", Stored: true}, {Name: "pagerank", Kind: index.Float}, {Name: "quality", Kind: index.Float},
	}}, good, other)
	res, err := guideDynamic(t.Context(), ix, "red fox")
	must(t, err)
	// score.share, title.any, title.longest, body.window; of the other the column, and red three words behind fox
	if len(res.Hits) != 2 || res.Hits[0].Key != good.Key || math.Abs(res.Hits[0].Score-(0.6+0.2+0.3+0.1)) > 1e-9 || math.Abs(res.Hits[1].Score-(0.4+0.1/3)) > 1e-9 {
		t.Errorf("hits %v", res.Ranking())
	}
	for _, r := range recipe.All() {
		res, err := guideRecipe(t.Context(), ix, r.Name, "red fox")
		must(t, err)
		if len(res.Hits) != 2 || !(res.Hits[0].Score >= res.Hits[1].Score) {
			t.Errorf("%s: %v", r.Name, res.Ranking())
		}
	}
}
