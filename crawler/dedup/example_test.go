package dedup_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/frontier"
)

var story = strings.Repeat("It was the best of times, it was the worst of times. ", 4)

// How the pages of a crawl are put into groups: with crawler.Crawler{Sink: sink}.
func ExampleSink() {
	sink := &dedup.Sink{
		Index: dedup.New(dedup.Options{}), // dedup.Open for one on disk
		Next: func(_ context.Context, page *crawler.Page, m dedup.Match) error {
			fmt.Println(page.URL, m.Kind, m.Group)
			return nil
		},
	}
	for _, page := range []*crawler.Page{
		{URL: "http://a.test/1", Text: story},
		{URL: "http://a.test/1?print", Text: strings.ToUpper(story)},
		{URL: "http://a.test/2", Text: "It was the age of wisdom."},
	} {
		if err := sink.Put(context.Background(), &crawler.Result{Kind: crawler.New, URL: page.URL, Page: page}); err != nil {
			log.Fatal(err)
		}
	}
	for group, err := range sink.Index.Groups() {
		fmt.Println(group, err)
	}
	// Output:
	// http://a.test/1 unique http://a.test/1
	// http://a.test/1?print exact http://a.test/1
	// http://a.test/2 unique http://a.test/2
	// [http://a.test/1 http://a.test/1?print] <nil>
}

// How an index learns of groups: what fills it stands behind the Sink.
func ExampleMatchOf() {
	var into crawler.Sink = crawler.Pages(func(_ context.Context, page *crawler.Page) error {
		m, _ := dedup.MatchOf(page)
		fmt.Println("key", page.URL, "group", m.Group)
		return nil
	})
	s := &dedup.Sink{Index: dedup.New(dedup.Options{}), Into: into}
	for _, url := range []string{"http://a.test/1", "http://a.test/1?print"} {
		if err := s.Put(context.Background(), &crawler.Result{Kind: crawler.New, URL: url, Page: &crawler.Page{URL: url, Text: story}}); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// key http://a.test/1 group http://a.test/1
	// key http://a.test/1?print group http://a.test/1
}

// Copies with many changes are found with a great distance, and sketches; in a crawl,
// with the Frames of a [dedup.Sink] besides.
func ExampleOptions() {
	x := dedup.New(dedup.Options{Distance: 20, Resemblance: 0.6})
	text := "the quick brown fox jumps over the lazy dog while the farmer and his wife look on from the porch of their old house"
	for i, text := range []string{text, strings.Replace(text, "lazy", "sleeping", 1), strings.Replace(text, "the farmer and his wife", "nobody", 1)} {
		m, err := x.Add(fmt.Sprint("http://a.test/", i), dedup.Of(text))
		fmt.Println(m.Kind, m.Group, err)
	}
	// Output:
	// unique http://a.test/0 <nil>
	// near http://a.test/0 <nil>
	// near http://a.test/0 <nil>
}

func ExampleOf() {
	a, b := dedup.Of("One, two; three!"), dedup.Of("one two THREE")
	fmt.Println(a.Same(b), a.Words)
	// Output: true 3
}

func ExampleProbe() {
	front := frontier.New(frontier.Options{})
	defer front.Close()
	c := crawler.Crawler{
		UserAgent: "acme/1.0 (+https://acme.example/bot)",
		Frontier:  front,
		Plugins:   []crawler.Plugin{new(dedup.Probe)},
	}
	_ = c // c.Run(ctx, "https://shop.example/")
}
