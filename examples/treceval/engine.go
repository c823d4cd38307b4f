package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank/eval"
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
		o.fields[i].Stored = o.feedback != nil // whose words are then found soon
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
	run := eval.Run{}
	for _, q := range queries {
		res, err := e.index.Search(ctx, e.anyWord(q.Text), index.SearchOptions{Limit: e.options.depth, CountUpTo: 1, Feedback: e.options.feedback})
		if err != nil {
			return nil, err
		}
		run[q.ID] = eval.Untied(res.Ranking())
	}
	return run, nil
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
