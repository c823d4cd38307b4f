package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
)

// The index says of every product what the catalog does, whatever comes and goes.
func TestIndexAgrees(t *testing.T) {
	t.Parallel()
	ix, err := index.Open(filepath.Join(t.TempDir(), "index"), indexOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	c := catalogOf()
	random := rand.New(rand.NewPCG(3, 4))
	day := 0
	for range 3 { // rounds
		w, err := ix.Writer()
		if err != nil {
			t.Fatal(err)
		}
		k := &keeper{catalog: c, index: ix, writer: w}
		for range 12 { // refreshes
			day++
			for range random.IntN(30) {
				n := random.IntN(60)
				s := seen("A", fmt.Sprint("/", n), fmt.Sprint(n), 0, facts{Name: fmt.Sprint("Thing ", n)})
				s = later(s, day, float64(1+random.IntN(900)), inStock)
				if s.Gone = random.IntN(20) == 0; s.Gone {
					s.Facts = nil
				}
				if _, known := c.listings[s.key()]; known || !s.Gone {
					c.take(s)
				}
			}
			if random.IntN(4) == 0 { // what is broken off is made up for
				stopped, stop := context.WithCancel(t.Context())
				stop()
				if err := k.refresh(stopped); err == nil && !k.behind {
					continue // nothing had changed
				}
			}
			if err := k.refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			agrees(t, ix, c)
		}
		before := w.Stats()
		again := &keeper{catalog: c, index: ix, writer: w, behind: true} // as of the next round
		if err := again.refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if after := w.Stats(); after.Added != before.Added || after.Unchanged != before.Unchanged+len(c.products) {
			t.Errorf("what did not change is written anew: %+v, then %+v", before, after)
		}
		agrees(t, ix, c)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func agrees(t *testing.T, ix *index.Index, c *catalog) {
	t.Helper()
	snap, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if snap.Docs() != len(c.products) {
		t.Fatalf("%d documents, %d products", snap.Docs(), len(c.products))
	}
	for _, p := range c.products {
		stock := 0
		if p.InStock {
			stock = 1
		}
		q := query.And{query.Between("price", p.Price, p.Price), query.Between("drop", p.Drop, p.Drop), query.Between("stock", stock, stock)}
		res, err := snap.Search(t.Context(), q, index.SearchOptions{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, h := range res.Hits {
			found = found || h.Key == p.ID
		}
		if !found {
			t.Fatalf("%s: the index does not have %+v", p.ID, p.summary)
		}
	}
}
