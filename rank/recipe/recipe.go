// Package recipe holds ways to rank by name: a formula for all matches, words that are added to the query, and a second
// stage for the best hits. They are for comparison, and to begin with; docs/guides/ranking.md has a table of how good
// each is on several collections.
package recipe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/dynamic"
	"github.com/webquarry/quarry/rank/linear"
)

// Recipe is a way to rank: what index.SearchOptions are given as Scorer, Feedback and Rerank.By.
type Recipe struct {
	Name     string
	About    string // in a line
	Scorer   rank.Scorer
	Feedback rank.Feedback // nil: none
	// Stage makes the second stage for documents that have these texts; nil: none.
	Stage func(Documents) rank.Ranker
}

// Documents tell what a second stage can look at.
type Documents struct {
	Texts dynamic.Features
	// PageRank is a column with ranks from 0 to 1, such as graph.LogScaled makes; "": there is none.
	PageRank string
}

// Fields are those of the hits that a stage looks at, for index.Rerank.Fields.
func (d Documents) Fields() (names []string) {
	streams := d.Texts.Streams
	if streams == nil {
		streams = dynamic.Web()
	}
	for _, s := range streams {
		names = append(names, s.Field)
	}
	names = append(names, d.PageRank)
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "" })
}

// All returns all recipes. The first is what an index does by itself.
func All() []Recipe {
	return []Recipe{
		{Name: "bm25f", About: "BM25 over all fields at once: the default", Scorer: rank.BM25F{}},
		{Name: "bm25f-near", About: "and words that stand together in title and body", Scorer: rank.BM25F{}, Stage: weighted(near)},
		{Name: "expanded", About: "divergence from randomness, and the query expanded by words of its best documents", Scorer: rank.InExpB2{},
			Feedback: rank.RM3{Docs: 8, Words: 60, Query: 0.75}},
		{Name: "munch", About: "what is asked of each stream: any of the words, the phrase, the rarest word", Scorer: rank.BM25{}, Stage: weighted(munch)},
		{Name: "penn-cosine", About: "0.6 of the cosine of query and document, 0.4 of PageRank, and bonuses for title and headings",
			Scorer: rank.TFIDF{Norm: rank.CosineNorm, IDF: rank.Ratio}, Stage: weighted(penn)},
		{Name: "penn-sum", About: "the same with the plain sum of tf·idf",
			Scorer: rank.TFIDF{Frequency: rank.RawTF, Norm: rank.NoNorm, IDF: rank.LogRatio}, Stage: weighted(penn)},
	}
}

// Named returns a recipe by its name.
func Named(name string) (Recipe, error) {
	var names []string
	for _, r := range All() {
		if r.Name == name {
			return r, nil
		}
		names = append(names, r.Name)
	}
	return Recipe{}, fmt.Errorf("recipe: there is none named %q: want one of %s", name, strings.Join(names, ", "))
}

// near adds to the score of the best hit what part of it proximity is worth.
var near = []linear.Term{
	{Feature: "score.share", Weight: 1},
	{Feature: "title.window", Weight: 0.05},
	{Feature: "body.window", Weight: 0.1},
	{Feature: "body.pairs", Weight: 0.1},
}

// munch goes by streams, those first that say briefly what a page is about. The score of the first stage
// orders what is equal in all of them.
var munch = []linear.Term{
	{Feature: "score.share", Weight: 1},
	{Feature: "url.any", Weight: 0.3}, {Feature: "url.rarest", Weight: 0.2}, {Feature: "url.phrase", Weight: 0.2},
	{Feature: "title.any", Weight: 1}, {Feature: "title.rarest", Weight: 0.6}, {Feature: "title.phrase", Weight: 1},
	{Feature: "headings.any", Weight: 0.5}, {Feature: "headings.rarest", Weight: 0.3}, {Feature: "headings.phrase", Weight: 0.5},
	{Feature: "body.any", Weight: 0.8}, {Feature: "body.rarest", Weight: 0.4}, {Feature: "body.phrase", Weight: 0.4},
	{Feature: "anchor.any", Weight: 1}, {Feature: "anchor.rarest", Weight: 0.4}, {Feature: "anchor.phrase", Weight: 0.6},
	{Feature: "pagerank", Weight: 0.5},
}

// penn has the bonuses of engines that were written as course projects.
var penn = []linear.Term{
	{Feature: "score.share", Weight: 0.6},
	{Feature: "pagerank", Weight: 0.4},
	{Feature: "title.any", Weight: 0.2},
	{Feature: "headings.any", Weight: 0.1},
	{Feature: "title.phrase", Weight: 0.2}, // the whole query
	{Feature: "title.longest", Points: [][2]float64{{0.9, 0}, {0.9, 0.1}}},
	{Feature: "preview.phrase", Weight: 0.1},
}

// weighted makes a stage of weights. Those of streams that the documents do not have are left out.
func weighted(terms []linear.Term) func(Documents) rank.Ranker {
	return func(d Documents) rank.Ranker {
		first := rank.FirstStage{}
		if d.PageRank != "" {
			first.Columns = []string{d.PageRank}
		}
		features := rank.AllFeatures{first, d.Texts}
		names := features.Names()
		m := &linear.Model{}
		for _, t := range terms {
			if t.Feature == "pagerank" && d.PageRank != "" {
				t.Feature = d.PageRank
			}
			if slices.Contains(names, t.Feature) {
				m.Terms = append(m.Terms, t)
			}
		}
		return rank.ByModel{Features: features, Model: m}
	}
}
