// Typing completes what is typed letter by letter, and mends what was typed wrong.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/suggest"
)

func main() {
	titles := []string{"A history of cheese", "Historic kettles", "Cheese from the valley", "The cheese of monks"}
	if err := typing(context.Background(), titles, "hi", "che", "cheze history"); err != nil {
		log.Fatal(err)
	}
}

func typing(ctx context.Context, titles []string, typed ...string) error {
	ix, err := index.New(index.Options{Schema: index.Schema{
		{Name: "title", Kind: index.Text, Analyzer: "standard", Stored: true},
	}})
	if err != nil {
		return err
	}
	writer, err := ix.Writer()
	if err != nil {
		return err
	}
	for _, title := range titles {
		if err := writer.Add(ctx, index.Document{Key: title, Fields: []index.Field{{Name: "title", Value: title}}}); err != nil {
			return err
		}
	}
	if err := writer.Commit(ctx); err != nil {
		return err
	}
	s := &suggest.Suggester{Index: ix, Field: "title"}
	for _, text := range typed {
		completions, err := s.Suggest(ctx, text, suggest.Options{Limit: 3})
		if err != nil {
			return err
		}
		for _, c := range completions {
			fmt.Printf("%s: %s (%d)\n", text, c.Text, c.Docs)
		}
		if len(completions) > 0 {
			continue
		}
		better, ok, err := s.Correct(ctx, text, suggest.Options{})
		if err != nil {
			return err
		}
		if ok {
			fmt.Printf("%s: did you mean %s?\n", text, better)
		}
	}
	return nil
}
