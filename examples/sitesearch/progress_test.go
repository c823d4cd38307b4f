package main

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// In a log there is a line every five seconds, and none after the end.
func TestProgressLines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		pages := 0
		p := progress{out: &out, status: func() status { pages += 1000; return status{Running: true, Pages: pages, Waiting: 7} }}
		p.show(t.Context())
		time.Sleep(2*lineEvery + time.Second)
		p.end()
		time.Sleep(10 * lineEvery)
		if want := "Crawling: 1,000 pages so far, 7 waiting.\nCrawling: 2,000 pages so far, 7 waiting.\n"; out.String() != want {
			t.Errorf("wrote %q, want %q", out.String(), want)
		}
	})
}

// The bar ends with the crawl, full or not.
func TestProgressBar(t *testing.T) {
	t.Parallel()
	for _, s := range []status{{}, {Pages: 3, Waiting: 40, Failed: 1}, {Pages: 43}} {
		ctx, cancel := context.WithCancel(t.Context())
		p := progress{out: new(bytes.Buffer), status: func() status { return s }}
		ended := make(chan struct{})
		go func() { p.bar(ctx); close(ended) }()
		cancel()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatalf("the bar hangs at %+v", s)
		}
	}
}
