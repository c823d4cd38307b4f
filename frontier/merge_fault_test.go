package frontier_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/internal/durable"
)

// TestMergeFails lets one operation on a run fail, once, at any of them: in a
// compaction or a merge in the background. Methods return the error from then on,
// and when the folder is opened again nothing that was acknowledged is missing or
// comes twice.
func TestMergeFails(t *testing.T) {
	t.Parallel()
	errTransient := errors.New("transient")
	until(t, 1, few, 5, func(n int) bool {
		dir := scratch(t)
		var ops atomic.Int64
		d, err := frontier.OpenTuned(dir, fillOptions, 2000, func(op durable.Op) error {
			if strings.HasPrefix(op.Name, "run-") && ops.Add(1) == int64(n) {
				return errTransient
			}
			return nil
		})
		if err != nil {
			t.Error(err)
			return false
		}
		known := ledger{map[string]bool{}, map[string]bool{}}
		unsure := map[string]bool{}
		for i := 0; err == nil && i < 120; i++ {
			url := fmt.Sprintf("http://h%d.test/%d", i%5, i)
			if _, err = d.Add(t.Context(), frontier.Request{URL: url}); err == nil {
				known.waiting[url] = true
			} else {
				unsure[url] = true
			}
			if i%10 == 9 && err == nil && d.Compact() != nil {
				break // one in the background would have stopped it
			}
		}
		if err != nil && !errors.Is(err, errTransient) {
			t.Errorf("operation %d: %v", n, err)
		}
		if err != nil {
			if _, next := d.Next(t.Context()); !errors.Is(next, errTransient) {
				t.Errorf("operation %d: Next after it: %v", n, next)
			}
		}
		d.Close()
		if err := audit(t, dir, known, unsure); err != nil {
			t.Errorf("operation %d: %v", n, err)
		}
		return ops.Load() >= int64(n)
	})
}
