package query_test

import (
	"testing"

	"github.com/webquarry/quarry/index"
)

// memory returns an index in memory that holds docs.
func memory(t testing.TB, opt index.Options, docs ...index.Document) *index.Index {
	t.Helper()
	ix, err := index.New(opt)
	must(t, err)
	t.Cleanup(func() { must(t, ix.Close()) })
	put(t, ix, docs...)
	return ix
}

// put adds docs in a commit of their own.
func put(t testing.TB, ix *index.Index, docs ...index.Document) {
	t.Helper()
	w, err := ix.Writer()
	must(t, err)
	defer w.Close()
	must(t, w.Add(t.Context(), docs...))
	must(t, w.Commit(t.Context()))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
