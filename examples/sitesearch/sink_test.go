package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sink"
	"github.com/webquarry/quarry/index"
)

// sinkOf is a sink for a new index on disk.
func sinkOf(t *testing.T, workers int) (*sink.Batch, *index.Writer, *index.Index) {
	t.Helper()
	ix, err := index.Open(filepath.Join(t.TempDir(), "index"), index.Options{Schema: schema()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return pagesInto(w, workers), w, ix
}

// When Put returns, its page can be found.
func TestSinkCommits(t *testing.T) {
	t.Parallel()
	pages, _, ix := sinkOf(t, 8)
	var workers sync.WaitGroup
	for i := range 8 {
		workers.Go(func() {
			for n := range 10 {
				u := fmt.Sprintf("http://a.test/%d/%d", i, n)
				if err := pages.Put(t.Context(), fresh(&crawler.Page{URL: u, Title: "title", Text: "text"})); err != nil {
					t.Error(err)
					return
				}
				snap, err := ix.Snapshot()
				if err != nil {
					t.Error(err)
					return
				}
				if _, found, err := snap.Document(u); !found || err != nil {
					t.Errorf("%s was put and is not there: %v", u, err)
				}
				snap.Close()
			}
		})
	}
	workers.Wait()
	pages.Close()
	snap, err := ix.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if snap.Docs() != 80 {
		t.Errorf("%d documents, want 80", snap.Docs())
	}
}

// Put fails when its page is not safe: the frontier must not forget it then.
func TestSinkFails(t *testing.T) {
	t.Parallel()
	pages, writer, _ := sinkOf(t, 4)
	page := &crawler.Page{URL: "http://a.test/", Title: "title"}
	stopped := errors.New("stopped")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(stopped)
	if err := pages.Put(ctx, fresh(page)); !errors.Is(err, stopped) && !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	pages.Close()
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := pages.Put(t.Context(), fresh(page)); !errors.Is(err, index.ErrClosed) {
		t.Errorf("with a closed writer: %v", err)
	}
}

// fresh is what a Sink gets of a page that it does not have.
func fresh(page *crawler.Page) *crawler.Result {
	return &crawler.Result{Kind: crawler.New, URL: page.URL, Page: page}
}
