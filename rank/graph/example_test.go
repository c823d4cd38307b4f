package graph_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/webquarry/quarry/rank/graph"
)

// Pages, and the hosts that they are on, by their links.
func Example() {
	links := [][2]string{
		{"https://a.example/", "https://b.example/"},
		{"https://a.example/", "https://b.example/news"},
		{"https://b.example/news", "https://b.example/"},
		{"https://c.example/", "https://b.example/"},
		{"https://b.example/", "https://a.example/"},
	}
	var names graph.Names
	edges := func(yield func(graph.Edge, error) bool) {
		for _, link := range links {
			if !yield(names.Edge(link[0], link[1]), nil) {
				return
			}
		}
	}
	ctx := context.Background()
	pages, err := graph.Build(ctx, edges, graph.BuildOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	ranks, err := graph.PageRank{}.Of(ctx, pages)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, rank := range ranks.Of {
		fmt.Printf("%.4f %s\n", rank, names.Name(uint32(i)))
	}
	group, hosts := names.Groups(func(url string) string { return strings.Split(url, "/")[2] })
	between, err := pages.Grouped(ctx, group, graph.BuildOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for e := range between.All() {
		fmt.Printf("%s -> %s, %v links\n", hosts.Name(e.From), hosts.Name(e.To), e.Weight)
	}
	// Output:
	// 0.3725 https://a.example/
	// 0.3941 https://b.example/
	// 0.1958 https://b.example/news
	// 0.0375 https://c.example/
	// b.example -> a.example, 1 links
	// a.example -> b.example, 2 links
	// c.example -> b.example, 1 links
}

func ExampleOPIC() {
	var next graph.OPIC[string]
	next.Add("home")
	next.Crawled("home", "news", "about")
	next.Crawled("news", "about", "home")
	fmt.Println(next.Cash("about") > next.Cash("news"))
	// Output: true
}
