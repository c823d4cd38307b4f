package main

import (
	"context"
	"strings"
)

func Example() {
	links := "http://a.example/ http://b.example/\nhttp://b.example/ http://a.example/\nhttp://c.example/ http://a.example/\n"
	if err := pagerank(context.Background(), strings.NewReader(links)); err != nil {
		panic(err)
	}
	// Output:
	// 0.4865 http://a.example/
	// 0.4635 http://b.example/
	// 0.0500 http://c.example/
}
