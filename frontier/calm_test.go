package frontier_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/internal/durable"
)

// TestSyncOfLeases: a lease waits for the disk where a clock depends on it, and
// only there.
func TestSyncOfLeases(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limits frontier.Limits
		first  frontier.Outcome // of an earlier visit
		synced bool
	}{
		"no delay":                {frontier.Limits{Delay: -1}, frontier.Outcome{}, false},
		"no delay, slow host":     {frontier.Limits{Delay: -1, Factor: -1}, frontier.Outcome{Took: time.Second}, false},
		"a delay":                 {frontier.Limits{Delay: time.Millisecond}, frontier.Outcome{}, true},
		"a delay by domain":       {frontier.Limits{Delay: -1, DomainDelay: time.Millisecond}, frontier.Outcome{}, true},
		"a delay by address":      {frontier.Limits{Delay: -1, IPDelay: time.Millisecond}, frontier.Outcome{}, true},
		"a delay by factor":       {frontier.Limits{Delay: -1, Factor: 2}, frontier.Outcome{Took: time.Millisecond}, true},
		"a delay that was wanted": {frontier.Limits{Delay: -1}, frontier.Outcome{Delay: time.Millisecond}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var syncs atomic.Int64
			f, err := frontier.OpenTuned(t.TempDir(), frontier.Options{Limits: c.limits}, 1<<30, func(op durable.Op) error {
				if op.Kind == "sync" {
					syncs.Add(1)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.Add(t.Context(), urls("http://a.test/1", "http://a.test/2")...); err != nil {
				t.Fatal(err)
			}
			req, err := f.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Done(t.Context(), req, c.first); err != nil {
				t.Fatal(err)
			}
			before := syncs.Load()
			if _, err := f.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
			if synced := syncs.Load() > before; synced != c.synced {
				t.Errorf("synced: %v, want %v", synced, c.synced)
			}
		})
	}
}
