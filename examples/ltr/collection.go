package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/eval"
	"github.com/webquarry/quarry/rank/ltr"
)

// collection is a test collection.
type collection struct {
	docs    []eval.Document
	queries []eval.Query // the judged ones
	qrels   eval.Qrels
}

func read(o options) (c collection, err error) {
	open := func(name string, read func(io.Reader) error) {
		if err == nil {
			var f *os.File
			if f, err = os.Open(name); err == nil {
				err = errors.Join(read(f), f.Close())
			}
		}
	}
	open(o.qrels, func(r io.Reader) (err error) { c.qrels, err = o.format.Qrels(r); return err })
	open(o.queries, func(r io.Reader) (err error) { c.queries, err = o.format.Queries(r); return err })
	open(o.docs, func(r io.Reader) error {
		for d, err := range o.format.Documents(r) {
			if err != nil {
				return err
			}
			c.docs = append(c.docs, d)
		}
		return nil
	})
	if o.format == eval.SMART {
		c.queries = eval.Renumber(c.queries, c.qrels)
	}
	c.queries = slices.DeleteFunc(c.queries, func(q eval.Query) bool { return c.qrels[q.ID] == nil })
	if err == nil && len(c.queries) < 2 {
		err = errors.New("fewer than two judged queries")
	}
	return c, err
}

// english makes stems of all words but the most frequent.
func english() analysis.Analyzer {
	return &analysis.English{Words: analysis.NewStopWords(analysis.Standard{}, analysis.EnglishStopWords()...)}
}

func build(ctx context.Context, c collection) (*index.Index, error) {
	ix, err := index.New(index.Options{
		Schema: index.Schema{
			{Name: "title", Kind: index.Text, Analyzer: "words", Weight: 2, Stored: true},
			{Name: "body", Kind: index.Text, Analyzer: "words", Stored: true},
		},
		Analyzers: map[string]analysis.Analyzer{"words": english()},
	})
	if err != nil {
		return nil, err
	}
	w, err := ix.Writer()
	if err != nil {
		return nil, err
	}
	for _, d := range c.docs {
		fields := []index.Field{{Name: "title", Value: d.Title}, {Name: "body", Value: d.Body}}
		if err := w.Add(ctx, index.Document{Key: d.ID, Fields: fields}); err != nil {
			return nil, err
		}
	}
	return ix, errors.Join(w.Commit(ctx), w.Close())
}

// wordsBy returns a function that takes the words out of a text, as an index with this analyzer does.
func wordsBy(a analysis.Analyzer) func(text string) []string {
	return func(text string) (words []string) {
		for _, slot := range analysis.Slots(a, text) {
			words = append(words, slot.Terms...)
		}
		return words
	}
}

// anyWord asks for the documents with any of the words.
func anyWord(text string) query.Query {
	var any query.Or
	for _, w := range wordsBy(english())(text) {
		any = append(any, query.Term{Text: w})
	}
	return any
}

// extractor takes features from what a search in s finds.
func extractor(ctx context.Context, s *index.Snapshot) *ltr.Extractor {
	return &ltr.Extractor{
		Fields:  []ltr.Field{{Name: "title", Weight: 2}, {Name: "body"}},
		Analyze: wordsBy(english()),
		Stats:   func(field, word string) (rank.Stats, error) { return statistics(ctx, s, field, word) },
	}
}

// statistics are those of a word in a field.
func statistics(ctx context.Context, s *index.Snapshot, field, word string) (rank.Stats, error) {
	told, err := s.TermStats(ctx, query.Term{Field: field, Text: word}, index.SearchOptions{Scorer: rank.InExpB2{}})
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
}
