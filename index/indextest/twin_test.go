package indextest_test

import (
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/indextest"
)

// The twin itself keeps the contract.
func TestTwin(t *testing.T) {
	t.Parallel()
	indextest.Test(t, func(_ testing.TB, opt index.Options) indextest.Opened {
		twin := indextest.NewTwin(opt)
		return indextest.Opened{Searcher: twin, Writer: twin}
	}, 100)
}
