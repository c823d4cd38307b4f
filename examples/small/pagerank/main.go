// Pagerank reads links, a line "FROM TO" each, and prints the pages by PageRank.
package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/webquarry/quarry/rank/graph"
)

func main() {
	if err := pagerank(context.Background(), os.Stdin); err != nil {
		log.Fatal(err)
	}
}

func pagerank(ctx context.Context, in io.Reader) error {
	var names graph.Names
	edges := func(yield func(graph.Edge, error) bool) {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			if from, to, ok := strings.Cut(lines.Text(), " "); ok && !yield(names.Edge(from, to), nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(graph.Edge{}, err)
		}
	}
	g, err := graph.Build(ctx, edges, graph.BuildOptions{})
	if err != nil {
		return err
	}
	ranks, err := graph.PageRank{}.Of(ctx, g)
	if err != nil {
		return err
	}
	pages := make([]uint32, g.Nodes())
	for i := range pages {
		pages[i] = uint32(i)
	}
	slices.SortStableFunc(pages, func(a, b uint32) int { return cmp.Compare(ranks.Of[b], ranks.Of[a]) })
	for _, page := range pages {
		fmt.Printf("%.4f %s\n", ranks.Of[page], names.Name(page))
	}
	return nil
}
