package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
	"github.com/webquarry/quarry/rank/dynamic"
	"github.com/webquarry/quarry/rank/eval"
	"github.com/webquarry/quarry/rank/recipe"
)

// engine is an index in memory, and how it is asked.
type engine struct {
	options  engineOptions
	analyzer analysis.Analyzer
	index    *index.Index
}

func newEngine(o engineOptions) (*engine, error) {
	analyzer, err := newAnalyzer(o.analyzer, o.stop)
	if err != nil {
		return nil, err
	}
	if o.synonyms != nil {
		analyzer = analysis.NewSynonyms(analyzer, o.synonyms...)
	}
	o.fields = slices.Clone(o.fields)
	for i := range o.fields {
		o.fields[i].Stored = o.readsTexts()
	}
	ix, err := index.New(index.Options{
		Schema:    o.fields,
		Analyzers: map[string]analysis.Analyzer{analyzerName: analyzer},
		Scorer:    o.by(),
	})
	if err != nil {
		return nil, err
	}
	return &engine{o, analyzer, ix}, nil
}

// readsTexts reports whether texts of documents are looked at: feedback finds their words sooner if they are stored.
func (o engineOptions) readsTexts() bool {
	return o.feedback != nil || o.recipe.Feedback != nil || o.recipe.Stage != nil
}

func (e *engine) close() error { return e.index.Close() }

// add indexes all documents.
func (e *engine) add(ctx context.Context, c *collection) (err error) {
	w, err := e.index.Writer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	for d, err := range c.documents() {
		if err != nil {
			return err
		}
		if err := w.Add(ctx, e.document(d)); err != nil {
			return err
		}
	}
	return w.Commit(ctx)
}

// document has the fields that the schema has.
func (e *engine) document(d eval.Document) index.Document {
	values := map[string]string{"title": d.Title, "body": d.Body, "text": d.Title + "\n" + d.Body}
	doc := index.Document{Key: d.ID}
	for _, f := range e.options.fields {
		doc.Fields = append(doc.Fields, index.Field{Name: f.Name, Value: values[f.Name]})
	}
	return doc
}

// docs counts the documents.
func (e *engine) docs() int {
	s, err := e.index.Snapshot()
	if err != nil {
		return 0
	}
	defer s.Close()
	return s.Docs()
}

// answer asks all queries. Equal scores are set apart, so that the run is judged
// in the order in which a user would see it.
func (e *engine) answer(ctx context.Context, queries []eval.Query) (eval.Run, error) {
	s, err := e.index.Snapshot()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	opt := index.SearchOptions{Limit: e.options.depth, CountUpTo: 1, Feedback: cmp.Or(e.options.feedback, e.options.recipe.Feedback)}
	if stage := e.options.recipe.Stage; stage != nil {
		documents := e.documents(ctx, s)
		opt.Rerank = index.Rerank{By: stage(documents), Fields: documents.Fields()}
	}
	run := eval.Run{}
	for _, q := range queries {
		opt.Rerank.Text = q.Text
		res, err := s.Search(ctx, e.anyWord(q.Text), opt)
		if err != nil {
			return nil, err
		}
		run[q.ID] = eval.Untied(res.Ranking())
	}
	return run, nil
}

// documents are what a second stage looks at: the fields, and the first words of the last of them.
func (e *engine) documents(ctx context.Context, s *index.Snapshot) recipe.Documents {
	of := dynamic.Features{Words: e.words}
	for _, f := range e.options.fields {
		of.Streams = append(of.Streams, dynamic.Stream{Name: f.Name, Field: f.Name})
	}
	last := e.options.fields[len(e.options.fields)-1].Name
	of.Streams = append(of.Streams, dynamic.Stream{Name: "preview", Field: last, First: 50})
	of.IDF = func(word string) float64 {
		for found, docFreq := range s.Terms(ctx, last, index.TermOptions{From: word}).All() {
			if found == word {
				return rank.Probabilistic.Weight(s.Docs(), docFreq)
			}
			break
		}
		return rank.Probabilistic.Weight(s.Docs(), 0)
	}
	return recipe.Documents{Texts: of}
}

// words are those of a text as the index has them.
func (e *engine) words(text string) (words []string) {
	for _, slot := range analysis.Slots(e.analyzer, text) {
		words = append(words, slot.Terms[0])
	}
	return words
}

// anyWord asks for the documents with any of the words, in any field. The text
// is no query language: all its signs are text.
func (e *engine) anyWord(text string) query.Query {
	if e.options.dependence {
		return query.SequentialDependence("", e.singleWords(text), query.Dependence{})
	}
	var any query.Or
	for _, slot := range analysis.Slots(e.analyzer, text) {
		for _, term := range slot.Terms {
			any = append(any, query.Term{Text: term})
		}
	}
	return any
}

// singleWords are those of a text that the analyzer makes one term of.
func (e *engine) singleWords(text string) (words []string) {
	for _, w := range strings.Fields(text) {
		if len(analysis.Slots(e.analyzer, w)) == 1 {
			words = append(words, w)
		}
	}
	return words
}
