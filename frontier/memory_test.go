package frontier_test

import (
	"fmt"
	"testing"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/frontiertest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	frontiertest.Test(t, func(*testing.T) frontier.Frontier { return frontier.New(frontier.Options{}) })
	frontiertest.TestOptions(t, func(_ *testing.T, opt frontier.Options) frontier.Frontier { return frontier.New(opt) })
}

func TestMemoryAgainstModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(rounds(1000)) {
		m := frontiertest.Maker{Open: func(_ *testing.T, opt frontier.Options) frontier.Frontier { return frontier.NewSeeded(opt, seed) }}
		t.Run(fmt.Sprint(seed), func(t *testing.T) { frontiertest.Random(t, m, seed, 120) })
	}
}

// rounds is how often a random test is run: a tenth with -short.
func rounds(n int) int {
	if testing.Short() {
		n /= 10
	}
	return max(1, n/few)
}
