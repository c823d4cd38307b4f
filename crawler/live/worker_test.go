package live_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
)

// leasing is a Frontier that calls during while it gives out a URL.
type leasing struct {
	frontier.Frontier
	during func()
}

func (f leasing) Next(context.Context) (frontier.Lease, error) {
	f.during()
	return frontier.Lease{Request: frontier.Request{URL: "http://a.test/"}}, nil
}

// TestLooking: who may still get a URL after a pause began is told from who
// waits for its end.
func TestLooking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		control := new(live.Control)
		ctx, end := context.WithCancel(live.With(t.Context(), control))
		w := live.Join(ctx)
		defer w.Leave()
		_, err := w.Next(ctx, leasing{during: func() {
			control.Pause()
			if a := control.Workers()[0]; !a.Looking || a.URL != "" {
				t.Errorf("while the Frontier gives out a URL: %+v", a)
			}
		}})
		if a := control.Workers()[0]; err != nil || a.Looking || a.URL == "" {
			t.Errorf("with a URL: %+v, %v", a, err)
		}
		w.Enter(live.Waiting)
		go w.Next(ctx, leasing{during: func() { t.Error("a URL during the pause") }})
		synctest.Wait()
		if a := control.Workers()[0]; a.Looking {
			t.Errorf("in the pause: %+v", a)
		}
		end()
		synctest.Wait()
	})
}
