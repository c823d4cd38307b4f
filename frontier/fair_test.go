package frontier_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestFairness has a thousand hosts with gaps of 1 s to 4 s and a hundred workers
// for whom that is too many: no gap is too short, no worker idles, and hosts with
// the same gap get the same number of visits but for a tenth.
func TestFairness(t *testing.T) {
	both(t, frontier.Options{Horizon: -1}, func(t *testing.T, f frontier.Frontier) {
		const hosts, pages, workers = 1000, 12, 100
		const visit = 500 * time.Millisecond // 200 visits a second for hosts that could take 521
		for h := range hosts {
			for p := range pages {
				add(t, f, fmt.Sprintf("http://h%d.test/%d", h, p))
			}
		}
		var mu sync.Mutex
		last, visits, left := [hosts]time.Time{}, [hosts]int{}, 6*hosts
		begin := func(h int, gap time.Duration) bool {
			mu.Lock()
			defer mu.Unlock()
			if d := time.Since(last[h]); d < gap {
				t.Errorf("gap of %v between visits of host %d, want %v", d, h, gap)
			}
			last[h], visits[h], left = time.Now(), visits[h]+1, left-1
			return left > 0
		}
		start := time.Now()
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for more := true; more; {
					req, err := f.Next(t.Context())
					var h int
					if _, bad := fmt.Sscanf(req.URL, "http://h%d.test/", &h); err != nil || bad != nil {
						t.Error(err, bad)
						return
					}
					gap := time.Duration(1+h%4) * time.Second
					more = begin(h, gap)
					time.Sleep(visit)
					if err := f.Done(t.Context(), req, frontier.Outcome{Delay: gap - visit}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if took, best := time.Since(start), 6*hosts/workers*visit; took > best+visit {
			t.Errorf("took %v, want %v: workers were idle", took, best)
		}
		for gap := range 4 {
			least, most := pages, 0
			for h := gap; h < hosts; h += 4 {
				least, most = min(least, visits[h]), max(most, visits[h])
			}
			if most-least > 1 {
				t.Errorf("hosts with a gap of %d s were visited %d to %d times", gap+1, least, most)
			}
		}
	})
}
