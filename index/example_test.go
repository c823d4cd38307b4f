package index_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// A whole search engine, in memory; with a folder, Open takes the place of New.
func Example() {
	ctx := context.Background()
	ix, err := index.New(index.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer ix.Close()

	w, err := ix.Writer()
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	for url, text := range map[string]string{
		"https://example.com/a": "Foxes are quick. A quick fox.",
		"https://example.com/b": "The quick brown fox jumps over the lazy dog.",
		"https://example.com/c": "Dogs are lazy.",
	} {
		doc := index.Document{Key: url, Fields: []index.Field{{Name: "title", Value: "Page"}, {Name: "body", Value: text}}}
		if err := w.Add(ctx, doc); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Commit(ctx); err != nil {
		log.Fatal(err)
	}

	q, err := query.Parse("quick fox", query.ParseOptions{})
	if err != nil {
		log.Fatal(err)
	}
	res, err := ix.Search(ctx, q, index.SearchOptions{Fields: []string{"body"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Total.Value, "hits")
	for _, hit := range res.Hits {
		fmt.Println(hit.Key, hit.Text("body"))
	}
	// Output:
	// 2 hits
	// https://example.com/a Foxes are quick. A quick fox.
	// https://example.com/b The quick brown fox jumps over the lazy dog.
}

// filledIndex is an index of some documents for the examples.
func filledIndex(opt index.Options, docs ...index.Document) *index.Index {
	ix, err := index.New(opt)
	if err != nil {
		log.Fatal(err)
	}
	w, err := ix.Writer()
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	if err := errors.Join(w.Add(context.Background(), docs...), w.Commit(context.Background())); err != nil {
		log.Fatal(err)
	}
	return ix
}

// One schema serves words, exact values and what is only kept.
func ExampleSchema() {
	ix := filledIndex(index.Options{Schema: index.Schema{
		{Name: "title", Analyzer: "english", Weight: 3, Stored: true},
		{Name: "tag", Kind: index.Keyword, Stored: true},
		{Name: "image", Kind: index.StoredOnly},
	}}, index.Document{Key: "1", Fields: []index.Field{
		{Name: "title", Value: "Searching engines"},
		{Name: "tag", Value: []string{"C++", "information retrieval"}},
		{Name: "image", Value: "cover.png"},
	}})
	defer ix.Close()
	for _, q := range []query.Query{
		query.Match{Text: "engine search"},
		query.Term{Field: "tag", Text: "information retrieval"},
		query.Term{Field: "tag", Text: "retrieval"},
	} {
		res, err := ix.Search(context.Background(), q, index.SearchOptions{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(q, res.Total.Value)
	}
	// Output:
	// engine\ search 1
	// tag:="information retrieval" 1
	// tag:="retrieval" 0
}

// Adding a document of a known key replaces the old one, at the next commit.
func ExampleWriter_Add() {
	ctx := context.Background()
	page := func(text string) index.Document {
		return index.Document{Key: "https://example.com/", Fields: []index.Field{{Name: "body", Value: text}}}
	}
	ix := filledIndex(index.Options{}, page("old news"))
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	count := func(word string) int {
		res, err := ix.Search(ctx, query.Match{Text: word}, index.SearchOptions{})
		if err != nil {
			log.Fatal(err)
		}
		return res.Total.Value
	}
	if err := w.Add(ctx, page("breaking news")); err != nil {
		log.Fatal(err)
	}
	fmt.Println(count("old"), count("breaking"), count("news"))
	if err := w.Commit(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(count("old"), count("breaking"), count("news"))
	// Output:
	// 1 0 1
	// 0 1 1
}

// There is one writer at a time, and the second learns who is the first.
func ExampleLockedError() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ix, err := index.Open(dir, index.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer ix.Close()
	if _, err := ix.Writer(); err != nil {
		log.Fatal(err)
	}
	_, err = ix.Writer()
	if held, ok := errors.AsType[*index.LockedError](err); ok {
		fmt.Println("held:", held.Holder != "")
	}
	fmt.Println(errors.Is(err, index.ErrLocked))
	// Output:
	// held: true
	// true
}

// A snapshot answers all questions from the same documents.
func ExampleSnapshot() {
	ix := filledIndex(index.Options{Schema: index.Schema{{Name: "title", Stored: true}, {Name: "body", Stored: true}}},
		index.Document{Key: "a", Fields: []index.Field{{Name: "title", Value: "One"}, {Name: "body", Value: "apple banana"}}},
		index.Document{Key: "b", Fields: []index.Field{{Name: "title", Value: "Two"}, {Name: "body", Value: "apple"}}},
	)
	defer ix.Close()
	s, err := ix.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	doc, ok, err := s.Document("b")
	fmt.Println(doc.Text("title"), ok, err)
	terms := s.Terms(context.Background(), "body", index.TermOptions{})
	for term, docs := range terms.All() {
		fmt.Println(term, docs)
	}
	fmt.Println(terms.Err())
	// Output:
	// Two true <nil>
	// apple 2
	// banana 1
	// <nil>
}

// An explanation shows the formula with its numbers.
func ExampleSnapshot_Explain() {
	ix := filledIndex(index.Options{Schema: index.Schema{{Name: "body"}}, Scorer: rank.BM25{K1: 0.9, B: 0.4}},
		index.Document{Key: "a", Fields: []index.Field{{Name: "body", Value: "to be or not to be"}}},
		index.Document{Key: "b", Fields: []index.Field{{Name: "body", Value: "be"}}},
	)
	defer ix.Close()
	s, err := ix.Snapshot()
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	why, _, err := s.Explain(context.Background(), query.Match{Text: "be not"}, "a", index.SearchOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f = %.4f + %.4f\n", why.Value, why.Parts[0].Value, why.Parts[1].Value)
	// Output:
	// 0.8300 = 0.2194 + 0.6105
}
