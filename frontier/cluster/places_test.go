package cluster

import (
	"fmt"
	"slices"
	"testing"
)

// TestPlaces: whatever the order in which the nodes are known, each partition has one of them, shares
// differ by one at most, and little moves when a node joins.
func TestPlaces(t *testing.T) {
	t.Parallel()
	moved, least := 0, 0
	for nodes := 1; nodes <= 12; nodes++ {
		for _, partitions := range []int{1, 7, 8, 16, 64} {
			var names []string
			for i := range nodes {
				names = append(names, fmt.Sprint("node", i))
			}
			at := places(names, partitions)
			count := map[string]int{}
			for _, node := range at {
				count[node]++
			}
			for _, node := range names {
				if n := count[node]; n < partitions/nodes || n > (partitions+nodes-1)/nodes {
					t.Errorf("%d partitions, %d nodes: %s has %d", partitions, nodes, node, n)
				}
			}
			slices.Reverse(names)
			if again := places(names, partitions); !slices.Equal(at, again) {
				t.Errorf("%d partitions, %d nodes: the order of the nodes matters", partitions, nodes)
			}
			for i, node := range places(append(names, "another"), partitions) {
				if node != at[i] {
					moved++
				}
			}
			least += partitions / (nodes + 1)
		}
	}
	if moved > 3*least {
		t.Errorf("%d partitions move where %d would do", moved, least)
	}
	t.Logf("%d partitions move where %d would do", moved, least)
}
