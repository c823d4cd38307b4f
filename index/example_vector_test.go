package index_test

import (
	"context"
	"fmt"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// Documents near in meaning, by vectors that a model has made of them.
func ExampleVectorOptions() {
	ctx := context.Background()
	ix, err := index.New(index.Options{Schema: index.Schema{
		{Name: "body", Stored: true},
		{Name: "meaning", Kind: index.Vector, Vectors: index.VectorOptions{Dims: 3}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ix.Close()
	w, err := ix.Writer()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Close()
	for key, d := range map[string]struct {
		body   string
		vector []float32
	}{
		"cat":    {"the cat sleeps", []float32{0.9, 0.1, 0}},
		"kitten": {"a kitten naps", []float32{0.8, 0.2, 0.1}},
		"stocks": {"stocks fell", []float32{0, 0.1, 0.9}},
	} {
		err := w.Add(ctx, index.Document{Key: key, Fields: []index.Field{{Name: "body", Value: d.body}, {Name: "meaning", Value: d.vector}}})
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Commit(ctx); err != nil {
		fmt.Println(err)
		return
	}
	res, err := ix.Search(ctx, query.KNN{Field: "meaning", Vector: []float32{1, 0, 0}, K: 2}, index.SearchOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, h := range res.Hits {
		fmt.Printf("%s %.2f\n", h.Key, h.Score)
	}
	// Output:
	// cat 1.00
	// kitten 0.98
}
