package frontier_test

import (
	"fmt"
	"testing"

	"github.com/webquarry/quarry/frontier"
)

// TestExplainShelved tells URLs that wait on disk from those that are done.
func TestExplainShelved(t *testing.T) {
	t.Parallel()
	d, err := frontier.OpenTuned(t.TempDir(), fillOptions, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	page := func(i int) string { return fmt.Sprintf("http://a.test/%d", i) }
	for i := range 50 {
		if n, err := d.Add(t.Context(), frontier.Request{URL: page(i), Depth: 3, Priority: float64(-i)}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := d.Compact(); err != nil {
		t.Fatal(err)
	}
	if n, err := d.Add(t.Context(), frontier.Request{URL: page(40), Depth: 2}); n != 0 || err != nil {
		t.Fatal(n, err)
	}
	for i := range 20 {
		req, err := d.Next(t.Context())
		if err != nil || req.URL != page(i) {
			t.Fatal(req, err)
		}
		if err := d.Done(t.Context(), req, frontier.Outcome{}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 50 {
		e := explained(d, page(i))
		want, depth := frontier.Queued, 3
		if i < 20 {
			want, depth = frontier.Done, 0
		}
		if i == 40 {
			depth = 2
		}
		if e.State != want || e.Request.Depth != depth {
			t.Errorf("%s: %v %+v", page(i), e.State, e.Request)
		}
	}
	if e := explained(d, page(50)); e.State != frontier.Unknown {
		t.Errorf("never added: %v", e.State)
	}
}
