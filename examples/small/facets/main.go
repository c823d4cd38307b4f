// Facets finds things to buy, the cheapest first, and counts them by maker.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/query"
)

type thing struct {
	name, maker string
	price       float64
}

func main() {
	things := []thing{{"steel kettle", "Acme", 39}, {"kettle for travels", "Zenith", 25.50}, {"glass kettle", "Acme", 45}, {"toaster", "Acme", 30}}
	if err := offers(context.Background(), things, "kettle"); err != nil {
		log.Fatal(err)
	}
}

func offers(ctx context.Context, things []thing, words string) error {
	ix, err := index.New(index.Options{Schema: index.Schema{
		{Name: "name", Kind: index.Text, Stored: true},
		{Name: "maker", Kind: index.Keyword, Column: true},
		{Name: "price", Kind: index.Float, Column: true},
	}})
	if err != nil {
		return err
	}
	writer, err := ix.Writer()
	if err != nil {
		return err
	}
	for _, t := range things {
		err := writer.Add(ctx, index.Document{Key: t.name, Fields: []index.Field{{Name: "name", Value: t.name}, {Name: "maker", Value: t.maker}, {Name: "price", Value: t.price}}})
		if err != nil {
			return err
		}
	}
	if err := writer.Commit(ctx); err != nil {
		return err
	}
	q, _ := query.ParseLenient(words, query.ParseOptions{Schema: ix.Schema()})
	found, err := ix.Search(ctx, q, index.SearchOptions{Sort: []index.SortBy{{Field: "price"}}, Facets: map[string]facet.Facet{"makers": facet.Terms{Field: "maker"}}})
	if err != nil {
		return err
	}
	for _, hit := range found.Hits {
		fmt.Println(hit.Sort[0], hit.Key)
	}
	for _, maker := range found.Facets["makers"].Buckets {
		fmt.Println(maker.Name, maker.Count)
	}
	return nil
}
