package frontier_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// revisits says how many pages the test of revisits has, in all.
const revisits = "QUARRY_FRONTIER_REVISITS"

// TestRevisits visits many pages of a hundred thousand hosts, each of which is to be
// visited again with what is remembered of it, and says what it takes that they wait:
// memory does not grow with them once they are more than are kept there. What it takes
// goes up and down between what is kept and what is put on disk, so that it is compared
// at its lowest, when all else was just put there, and at its highest in two times that
// are equally long.
func TestRevisits(t *testing.T) {
	total, _ := strconv.Atoi(os.Getenv(revisits))
	if total == 0 {
		t.Skipf("%s is not set", revisits)
	}
	dir := filepath.Join(os.Getenv(scaleDir), fmt.Sprintf("frontier-revisits-%d", os.Getpid()))
	defer os.RemoveAll(dir)
	d, err := frontier.Open(dir, frontier.Options{Limits: benchLimits, SyncEvery: time.Second, Horizon: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	due := time.Now().Add(time.Hour)
	meta := frontier.Meta{}.With("quarry.recrawl", string(make([]byte, 32)))
	step := max(total/20/1000*1000, 1000)
	var low, high []uint64
	for from := 0; from < total; from += step {
		start := time.Now()
		for n := from; n < from+step; n += 1000 {
			revisit(t, d, n, func(n int) frontier.Outcome {
				return frontier.Outcome{Meta: meta, Again: due.Add(time.Duration(n*7919%total) * time.Millisecond)}
			})
		}
		took := time.Since(start)
		high = append(high, heap())
		if err := d.Compact(); err != nil {
			t.Fatal(err)
		}
		d.Settle()
		low = append(low, heap())
		t.Logf("%d revisits wait: %.0f visits/s, heap %d and then %d MB, %s, %.1f disk B/URL", from+step, float64(step)/took.Seconds(), high[len(high)-1]>>20, low[len(low)-1]>>20, resident(), float64(folderSize(t, dir))/float64(from+step))
	}
	if s := statsOf(d); s.Queued != total || s.Due != 0 {
		t.Errorf("%+v", s)
	}
	if total < 4_000_000 {
		return
	}
	for _, h := range [][]uint64{low, high} {
		half, all := slices.Max(h[10:15]), slices.Max(h[15:20])
		t.Logf("heap at most %d MB with half to three quarters of them, %d MB with more", half>>20, all>>20)
		if all > half+half/10 {
			t.Errorf("heap grows from %d to %d MB", half>>20, all>>20)
		}
	}
}

// revisit adds and visits a thousand pages.
func revisit(t *testing.T, d *frontier.Disk, from int, out func(n int) frontier.Outcome) {
	t.Helper()
	const hosts = 100_000
	if added, err := d.Add(t.Context(), links(from, 1000, hosts)...); added != 1000 || err != nil {
		t.Fatal(added, err)
	}
	for n := range 1000 {
		req := next(t, d)
		if err := d.Done(t.Context(), req, out(from+n)); err != nil {
			t.Fatal(err)
		}
	}
}
