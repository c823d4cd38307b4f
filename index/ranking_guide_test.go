package index_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
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
