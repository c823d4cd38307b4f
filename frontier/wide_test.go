package frontier_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/webquarry/quarry/frontier"
)

// TestWide has first fingerprints of six bits only, so that nearly all URLs are
// twins of others, and visits each of many once, over compactions and crashes; the
// folder stays what it was made as.
func TestWide(t *testing.T) {
	t.Parallel()
	opt := fillOptions
	opt.Wide = true
	m := openMortal(t, scratch(t), opt, 5000)
	defer func() { m.Close() }()
	const pages = 600
	page := func(i int) string { return fmt.Sprintf("http://h%d.test/%d", i%7, i) }
	visited := map[string]bool{}
	for i := range pages {
		add(t, m.Disk, page(i))
		if n, err := m.Add(t.Context(), urls(page(i/2), page(i))...); n != 0 || err != nil {
			t.Fatal(n, err)
		}
		if i%3 == 0 {
			req := next(t, m.Disk)
			if visited[req.URL] {
				t.Fatalf("%s comes twice", req.URL)
			}
			visited[req.URL] = true
			if err := m.Done(t.Context(), frontier.Lease{Request: frontier.Request{URL: req.URL + "x"}, Token: req.Token}, frontier.Outcome{}); !errors.Is(err, frontier.ErrLeaseExpired) {
				t.Fatal(err)
			}
			if err := m.Done(t.Context(), req, frontier.Outcome{}); err != nil {
				t.Fatal(err)
			}
		}
		if i%150 == 149 {
			m.kill()
			m = openMortal(t, m.dir, frontier.Options{Limits: opt.Limits, Horizon: opt.Horizon}, 5000)
		}
	}
	for i := range pages {
		want := frontier.Queued
		if visited[page(i)] {
			want = frontier.Done
		}
		if e := m.Explain(page(i)); e.State != want {
			t.Fatalf("%s is %s, want %s", page(i), e.State, want)
		}
	}
	if e := m.Explain(page(pages)); e.State != frontier.Unknown {
		t.Errorf("never added: %s", e.State)
	}
	if s := statsOf(m); s.Seen != pages || s.Done != len(visited) {
		t.Errorf("%+v", s)
	}
}
