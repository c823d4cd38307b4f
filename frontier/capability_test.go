package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// around wraps a Frontier and hides nothing, hidden hides what its Frontier can do besides.
type (
	around struct{ frontier.Frontier }
	hidden struct{ frontier.Frontier }
)

func (a around) Unwrap() frontier.Frontier { return a.Frontier }

// TestAs: each capability of the frontiers of this package is found through wrappers that
// have Unwrap, however many, and through no others.
func TestAs(t *testing.T) {
	t.Parallel()
	d, err := frontier.Open(t.TempDir(), frontier.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	m := frontier.New(frontier.Options{})
	defer m.Close()
	for name, f := range map[string]frontier.Frontier{"memory": m, "disk": d} {
		wrapped := around{around{around{f}}}
		for capability, as := range map[string]func(frontier.Frontier) (any, bool){
			"Extender":    found[frontier.Extender],
			"BatchLeaser": found[frontier.BatchLeaser],
			"Finisher":    found[frontier.Finisher],
			"Locator":     found[frontier.Locator],
			"Rescorer":    found[frontier.Rescorer],
			"Inspector":   found[frontier.Inspector],
			"HostControl": found[frontier.HostControl],
			"Drainer":     found[frontier.Drainer],
			"Exporter":    found[frontier.Exporter],
		} {
			for how, from := range map[string]frontier.Frontier{"itself": f, "wrapped": wrapped} {
				if _, is := f.(*frontier.Memory); is && capability == "Exporter" {
					continue
				}
				if got, ok := as(from); !ok || got != any(f) {
					t.Errorf("%s of %s, %s: %v, %v", capability, name, how, got, ok)
				}
			}
			for how, from := range map[string]frontier.Frontier{"hidden": hidden{f}, "hidden within": around{hidden{around{f}}}, "nil": nil, "around nil": around{}} {
				if got, ok := as(from); ok {
					t.Errorf("%s of %s, %s: %v", capability, name, how, got)
				}
			}
		}
		if got, ok := frontier.As[around](wrapped); !ok || got != wrapped {
			t.Errorf("%s: a wrapper is not found by its type", name)
		}
	}
}

func found[T any](f frontier.Frontier) (any, bool) {
	t, ok := frontier.As[T](f)
	return t, ok
}

// TestNextBatch: a batch is what as many calls of Next would give at that moment, and its
// leases are ended and lost like others.
func TestNextBatch(t *testing.T) {
	both(t, frontier.Options{Limits: frontier.Limits{PerDomain: -1}, LeaseFor: time.Minute}, func(t *testing.T, f frontier.Frontier) {
		b, _ := frontier.As[frontier.BatchLeaser](f)
		var urls []string
		for i := range 20 {
			urls = append(urls, fmt.Sprintf("http://h%d.test/%d", i%10, i/10))
		}
		add(t, f, urls...)
		first, err := b.NextBatch(t.Context(), 4)
		if err != nil || len(first) != 4 {
			t.Fatalf("%d leases, %v, want 4", len(first), err)
		}
		rest, err := b.NextBatch(t.Context(), 100)
		if err != nil || len(rest) != 6 {
			t.Fatalf("%d leases, %v, want 6: one of each host", len(rest), err)
		}
		seen := map[string]bool{}
		tokens := map[uint64]bool{}
		for _, l := range append(first, rest...) {
			seen[l.URL], tokens[l.Token] = true, true
			if l.Until.IsZero() {
				t.Errorf("%s: the lease does not expire", l.URL)
			}
			finish(t, f, l, frontier.Outcome{})
		}
		if len(seen) != 10 || len(tokens) != 10 {
			t.Errorf("%d URLs, %d tokens, want 10", len(seen), len(tokens))
		}
		begun := time.Now()
		more, err := b.NextBatch(t.Context(), 100)
		if err != nil || len(more) != 10 || time.Since(begun) < 900*time.Millisecond {
			t.Fatalf("%d leases, %v after %v, want 10 after the gap", len(more), err, time.Since(begun))
		}
		again, err := b.NextBatch(t.Context(), 3) // when those have expired
		if err != nil || len(again) != 3 || again[0].Attempt != 1 {
			t.Fatalf("%+v, %v, want leases that had expired", again, err)
		}
		for _, l := range again {
			finish(t, f, l, frontier.Outcome{})
		}
		last, err := b.NextBatch(t.Context(), 100)
		if err != nil || len(last) != 7 {
			t.Fatalf("%d leases, %v, want the 7 that are left", len(last), err)
		}
		for _, l := range last {
			finish(t, f, l, frontier.Outcome{})
		}
		if _, err := b.NextBatch(t.Context(), 2); !errors.Is(err, frontier.ErrDrained) {
			t.Errorf("%v, want ErrDrained", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := b.NextBatch(ctx, 2); !errors.Is(err, context.Canceled) {
			t.Errorf("%v, want the cause of the context", err)
		}
	})
}
