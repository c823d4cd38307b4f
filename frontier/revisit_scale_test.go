package frontier_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// revisits says how many pages the test of revisits has, in all.
const revisits = "QUARRY_FRONTIER_REVISITS"

// TestRevisits visits many pages, each of which is to be visited again with what is
// remembered of it, and says what it takes that they wait: memory does not grow with
// them once they are more than are kept there.
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
	memo := string(make([]byte, 32))
	step := max(total/20, 1000)
	var at []uint64
	for from := 0; from < total; from += step {
		for n := from; n < from+step; n += 1000 {
			if added, err := d.Add(t.Context(), scaleLinks(n, 1000)...); added != 1000 || err != nil {
				t.Fatal(added, err)
			}
		}
		start := time.Now()
		for n := range step {
			req := next(t, d)
			out := frontier.Outcome{Memo: memo, Again: due.Add(time.Duration((from+n)*7919%total) * time.Millisecond)}
			if err := d.Done(t.Context(), req, out); err != nil {
				t.Fatal(err)
			}
		}
		at = append(at, heap())
		t.Logf("%d revisits wait: %.0f visits/s, heap %d MB, %s, %.1f disk B/URL", from+step, float64(step)/time.Since(start).Seconds(), heap()>>20, resident(), float64(folderSize(t, dir))/float64(from+step))
	}
	if s := d.Stats(); s.Queued != total || s.Due != 0 {
		t.Errorf("%+v", s)
	}
	half, all := at[len(at)/2-1], at[len(at)-1]
	t.Logf("heap with half of them %d MB, with all %d MB", half>>20, all>>20)
	if total >= 4_000_000 && all > half+half/4 {
		t.Errorf("heap grows from %d to %d MB", half>>20, all>>20)
	}
}
