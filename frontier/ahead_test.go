package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/webquarry/quarry/frontier"
)

// TestAheadAndMerges crawls on a disk on which requests are read ahead, and runs
// merged and closed, all the time.
func TestAheadAndMerges(t *testing.T) {
	t.Parallel()
	dir := scratch(t)
	const pages = 3000
	for round := range 3 {
		opt := frontier.Options{Limits: frontier.Limits{Delay: -1}, SyncEvery: -1}
		d, err := frontier.OpenTuned(filepath.Join(dir, strconv.Itoa(round)), opt, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Add(t.Context(), urls(killURL(0))...); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		errs, visits := make([]error, 8), make([]int, 8)
		for w := range errs {
			wg.Go(func() { visits[w], errs[w] = visitTree(t.Context(), d, pages) })
		}
		wg.Wait()
		n := 0
		for w, err := range errs {
			if n += visits[w]; !errors.Is(err, frontier.ErrDrained) {
				t.Errorf("worker %d: %v", w, err)
			}
		}
		if err := d.Close(); err != nil || n != pages {
			t.Errorf("%d visits, want %d: %v", n, pages, err)
		}
	}
}

// visitTree visits pages, each of which links to two others, until an error.
func visitTree(ctx context.Context, f frontier.Frontier, pages int) (n int, err error) {
	for {
		req, err := f.Next(ctx)
		if err != nil {
			return n, err
		}
		n++
		var host, dom, page int
		fmt.Sscanf(req.URL, "http://h%d.d%d.test/%d", &host, &dom, &page)
		var found []string
		for _, m := range []int{2*page + 1, 2*page + 2} {
			if m < pages {
				found = append(found, killURL(m))
			}
		}
		if err := f.Done(ctx, req, frontier.Outcome{Found: urls(found...)}); err != nil {
			return n, err
		}
	}
}
