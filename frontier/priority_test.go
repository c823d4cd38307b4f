package frontier_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/webquarry/quarry/frontier"
)

func ExampleDepthFirst() {
	ctx := context.Background()
	for _, order := range []func(depth int) float64{frontier.BreadthFirst, frontier.DepthFirst} {
		f := frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1}})
		for depth, url := range []string{"http://a.example/", "http://a.example/b", "http://a.example/b/c"} {
			f.Add(ctx, frontier.Request{URL: url, Depth: depth, Priority: order(depth)})
		}
		req, _ := f.Next(ctx)
		fmt.Println(req.URL)
	}
	// Output:
	// http://a.example/
	// http://a.example/b/c
}

func TestShuffled(t *testing.T) {
	t.Parallel()
	least, most := 10.0, 0.0
	for range 1000 {
		p := frontier.Shuffled(5, 0.1)
		least, most = min(least, p), max(most, p)
	}
	if least < 4.5 || least > 4.6 || most < 5.4 || most > 5.5 {
		t.Errorf("from %v to %v, want 4.5 to 5.5", least, most)
	}
	if p := frontier.Shuffled(-3, 0); p != -3 {
		t.Errorf("not shuffled at all: %v", p)
	}
}
