package frontier_test

import (
	"fmt"
	"testing"

	"github.com/webquarry/quarry/frontier"
)

// TestAgainOnDisk: of what is added again, what waits on disk stays as it is, and what is
// done is queued, also after the folder was opened again.
func TestAgainOnDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opt := frontier.Options{Limits: benchLimits, SyncEvery: -1}
	d, err := frontier.OpenTuned(dir, opt, 64)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { d.Close() }()
	const hosts, pages, visits = 3, 500, 300
	var all []frontier.Request
	for p := range pages {
		for h := range hosts {
			all = append(all, frontier.Request{URL: fmt.Sprintf("http://h%d.test/%d", h, p), Priority: float64(-p), Depth: 5})
		}
	}
	if n, err := d.Add(t.Context(), all...); n != len(all) || err != nil {
		t.Fatal(n, err)
	}
	if err := d.Compact(); err != nil {
		t.Fatal(err)
	}
	done := map[string]bool{}
	for range visits {
		l := next(t, d)
		done[l.URL] = true
		finish(t, d, l, frontier.Outcome{})
	}
	again := make([]frontier.Request, len(all))
	for i, r := range all {
		r.Priority, r.Depth, r.Again = 1, 9, true
		again[i] = r
	}
	for round := range 2 {
		want := 0
		if round == 0 {
			want = visits
		}
		if n, err := d.Add(t.Context(), again...); n != want || err != nil {
			t.Fatalf("round %d: %d were queued, %v, want %d", round, n, err, want)
		}
		if s := statsOf(d); s.Seen != len(all) || s.Queued != len(all) || s.Done != 0 {
			t.Fatalf("round %d: %+v", round, s)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if d, err = frontier.OpenTuned(dir, opt, 64); err != nil {
			t.Fatal(err)
		}
	}
	for i := range all {
		l := next(t, d)
		if first := i < visits; done[l.URL] != first || first && (l.Priority != 1 || l.Depth != 9) || !first && l.Depth != 5 {
			t.Fatalf("visit %d: %+v, queued again: %v", i, l.Request, done[l.URL])
		}
		finish(t, d, l, frontier.Outcome{})
	}
}
