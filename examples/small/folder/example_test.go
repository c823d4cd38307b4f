package main

import (
	"context"
	"testing/fstest"
)

func Example() {
	files := fstest.MapFS{
		"notes/brie.txt":  {Data: []byte("A soft cheese with a white rind.")},
		"notes/comte.txt": {Data: []byte("A hard cheese with a golden rind, ripe after eight months.")},
		"notes/pan.png":   {Data: []byte("cheese")},
	}
	if err := search(context.Background(), files, "ripe cheeses"); err != nil {
		panic(err)
	}
	// Output:
	// notes/comte.txt: A hard cheese with a golden rind, ripe after eight months.
	// notes/brie.txt: A soft cheese with a white rind.
}
