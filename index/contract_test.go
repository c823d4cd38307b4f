package index_test

import (
	"testing"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/indextest"
)

// opened makes the index of a test of the contract.
func opened(t testing.TB, ix *index.Index, err error) indextest.Opened {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	return indextest.Opened{Searcher: ix, Writer: w, Merge: w.Merge}
}

func TestContractInMemory(t *testing.T) {
	t.Parallel()
	rounds := 10_000 / few
	if testing.Short() {
		rounds = 500
	}
	indextest.Test(t, func(t testing.TB, opt index.Options) indextest.Opened {
		ix, err := index.New(opt)
		return opened(t, ix, err)
	}, rounds)
}

func TestContractOnDisk(t *testing.T) {
	t.Parallel()
	indextest.Test(t, func(t testing.TB, opt index.Options) indextest.Opened {
		ix, err := index.Open(t.TempDir(), opt)
		return opened(t, ix, err)
	}, 300)
}
