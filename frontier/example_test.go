package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/webquarry/quarry/frontier"
)

func Example() {
	ctx := context.Background()
	f := frontier.New(frontier.Options{Limits: frontier.Limits{Delay: time.Millisecond}})
	defer f.Close()
	links := map[string][]frontier.Request{
		"http://a.example/": {{URL: "http://a.example/b"}, {URL: "http://c.example/"}, {URL: "http://a.example/"}},
	}
	f.Add(ctx, frontier.Request{URL: "http://a.example/"})
	for {
		req, err := f.Next(ctx)
		if errors.Is(err, frontier.ErrDrained) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(req.URL)
		f.Done(ctx, req, frontier.Outcome{Found: links[req.URL]})
	}
	// Output:
	// http://a.example/
	// http://c.example/
	// http://a.example/b
}

func ExampleMemory_Add() {
	f := frontier.New(frontier.Options{})
	n, err := f.Add(context.Background(),
		frontier.Request{URL: "http://a.example/"},
		frontier.Request{URL: "http://a.example/"}, // known by now
		frontier.Request{URL: "mailto:someone@a.example"},
	)
	fmt.Println(n)
	if bad, ok := errors.AsType[*frontier.URLError](err); ok {
		fmt.Println(bad)
	}
	// Output:
	// 1
	// frontier: url "mailto:someone@a.example": not absolute
}

// A visit that failed is offered again, and its host gets the rest it asks for.
func ExampleMemory_Done() {
	ctx := context.Background()
	f := frontier.New(frontier.Options{})
	f.Add(ctx, frontier.Request{URL: "http://a.example/"})
	req, _ := f.Next(ctx)
	req.Attempt++
	f.Done(ctx, req, frontier.Outcome{
		Again: time.Now().Add(time.Millisecond),
		Delay: 20 * time.Millisecond, // Retry-After
	})
	start := time.Now()
	req, _ = f.Next(ctx)
	fmt.Println(req.URL, req.Attempt, time.Since(start) > 500*time.Millisecond)
	// Output: http://a.example/ 1 true
}

// What one process leaves behind, the next takes up.
func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "frontier")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for range 2 {
		f, err := frontier.Open(dir, frontier.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		n, _ := f.Add(ctx, frontier.Request{URL: "http://a.example/"}, frontier.Request{URL: "http://b.example/"})
		req, _ := f.Next(ctx)
		f.Done(ctx, req, frontier.Outcome{})
		s, _ := f.Stats(ctx)
		fmt.Printf("%d new, visited %s, %d queued, %d done\n", n, req.URL, s.Queued, s.Done)
		f.Close()
	}
	// Output:
	// 2 new, visited http://a.example/, 1 queued, 1 done
	// 0 new, visited http://b.example/, 0 queued, 2 done
}

// A focused crawler has learned that pages under /products/ are worth more than it
// thought.
func ExampleMemory_rescore() {
	f := frontier.New(frontier.Options{})
	defer f.Close()
	ctx := context.Background()
	f.Add(ctx, frontier.Request{URL: "http://a.example/about", Priority: 0.5}, frontier.Request{URL: "http://a.example/products/1", Priority: 0.1})

	changed, err := f.Rescore(ctx, frontier.Request{URL: "http://a.example/products/1", Priority: 0.9})
	if err != nil {
		panic(err)
	}
	req, _ := f.Next(ctx)
	fmt.Println(changed, req.URL)
	e, _ := f.Explain(ctx, "http://a.example/about")
	fmt.Println(e.State, "for", e.Waits)
	for h := range f.Hosts(ctx) {
		fmt.Println(h.Name, h.Queued, "queued", h.Leased, "leased")
	}
	// Output:
	// 1 http://a.example/products/1
	// queued for the clock of its host
	// http://a.example 1 queued 1 leased
}

// Another process looks at a crawl that goes on.
func ExampleReadStats() {
	dir, err := os.MkdirTemp("", "frontier")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	d, err := frontier.Open(dir, frontier.Options{})
	if err != nil {
		panic(err)
	}
	d.Add(context.Background(), frontier.Request{URL: "http://a.example/"})
	d.Close() // or a second later

	s, _, err := frontier.ReadStats(dir)
	fmt.Println(s.Queued, "queued", err)
	// Output: 1 queued <nil>
}

// A host is blocked before anything of it was added, and visited once it is resumed.
func ExampleHostControl() {
	ctx := context.Background()
	f := frontier.New(frontier.Options{})
	defer f.Close()
	hosts, _ := frontier.As[frontier.HostControl](f)
	hosts.Block(ctx, "http://a.example/")
	f.Add(ctx, frontier.Request{URL: "http://a.example/1"}, frontier.Request{URL: "http://b.example/1"})
	l, _ := f.Next(ctx)
	fmt.Println(l.URL)
	f.Done(ctx, l, frontier.Outcome{})
	_, err := f.Next(ctx)
	fmt.Println(err)
	hosts.Resume(ctx, "http://a.example/")
	l, _ = f.Next(ctx)
	fmt.Println(l.URL)
	// Output:
	// http://b.example/1
	// frontier: drained: nothing left to visit
	// http://a.example/1
}
