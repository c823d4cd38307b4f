package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
)

// answer is what a query found.
type answer struct {
	Query string `json:"query"`
	Total int    `json:"total"`
	Docs  int    `json:"docs"` // in the index
	Hits  []hit  `json:"hits"`
}

type hit struct {
	URL     string  `json:"url"`
	Title   string  `json:"title"`
	Score   float64 `json:"score"`
	Snippet string  `json:"snippet"`
}

func search(ctx context.Context, ix *index.Index, text string, limit int) (*answer, error) {
	snap, err := ix.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	q, _ := query.ParseLenient(text, query.ParseOptions{Schema: snap.Schema()})
	res, err := snap.Search(ctx, q, index.SearchOptions{Limit: limit, Fields: []string{"title"}, Snippets: map[string]highlight.Options{"body": {}}})
	if err != nil {
		return nil, err
	}
	a := &answer{Query: text, Total: res.Total.Value, Docs: snap.Docs(), Hits: []hit{}}
	for _, h := range res.Hits {
		a.Hits = append(a.Hits, hit{h.Key, cmp.Or(h.Text("title"), h.Key), h.Score, h.Snippets["body"].Text})
	}
	return a, nil
}

func (a *answer) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(a)
}

func (a *answer) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%d of %d pages for %q\n", a.Total, a.Docs, a.Query)
	for i, h := range a.Hits {
		if err == nil {
			_, err = fmt.Fprintf(w, "\n%2d. %s\n    %s\n    %s\n", i+1, h.Title, h.URL, h.Snippet)
		}
	}
	return err
}
