// Scorer ranks by a formula of its own: a word counts as often as it stands in a document,
// and more the fewer documents have it.
package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/rank"
)

// counting is a rank.Scorer. Its scores rise with tf and do not rise with the length of a
// document, which a search relies on.
type counting struct{}

func (counting) Term(s rank.Stats) rank.Score {
	rare := math.Log(1 + float64(s.Docs)/float64(s.DocFreq))
	return func(tf, length uint32) float64 { return float64(tf) * rare }
}

func main() {
	texts := map[string]string{"a": "round and round it goes", "b": "a round table", "c": "where it stops, nobody knows"}
	if err := search(context.Background(), texts, query.Or{query.Match{Text: "round"}, query.Match{Text: "it"}}); err != nil {
		log.Fatal(err)
	}
}

func search(ctx context.Context, texts map[string]string, q query.Query) error {
	ix, err := index.New(index.Options{})
	if err != nil {
		return err
	}
	writer, err := ix.Writer()
	if err != nil {
		return err
	}
	for key, text := range texts {
		if err := writer.Add(ctx, index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: text}}}); err != nil {
			return err
		}
	}
	if err := writer.Commit(ctx); err != nil {
		return err
	}
	found, err := ix.Search(ctx, q, index.SearchOptions{Scorer: counting{}})
	if err != nil {
		return err
	}
	for _, hit := range found.Hits {
		fmt.Printf("%.3f %s\n", hit.Score, hit.Key)
	}
	return nil
}
