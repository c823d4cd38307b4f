package frontier_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// TestRescoreShelved rescores URLs that wait on disk, some of them due later, and
// compacts or dies in between: what comes back does in the order of the last
// scores, once. Every other is a variant of the URL before.
func TestRescoreShelved(t *testing.T) {
	t.Parallel()
	for name, compact := range map[string][3]bool{"never": {}, "before": {true}, "between": {true, true}, "after": {true, true, true}} {
		t.Run(name, func(t *testing.T) {
			const pages = 60
			page := func(i int) frontier.Request {
				return frontier.Request{URL: fmt.Sprintf("http://a.test/%d", i/2), Variant: []string{"", "v"}[i%2]}
			}
			m := openMortal(t, scratch(t), fillOptions, 1<<30)
			defer func() { m.Close() }()
			step := func(n int) {
				if compact[n] {
					if err := m.Compact(); err != nil {
						t.Fatal(err)
					}
				}
			}
			for i := range pages {
				r := page(i)
				r.Depth, r.Meta, r.Priority = 3, frontier.Meta{}.With("m.m", fmt.Sprint(i)), float64(-i)
				if i%3 == 0 {
					r.Due = time.Now().Add(time.Millisecond * time.Duration(i))
				}
				if n, err := m.Add(t.Context(), r); n != 1 || err != nil {
					t.Fatal(n, err)
				}
			}
			step(0)
			nearer := page(41)
			nearer.Depth = 1
			if n, err := m.Add(t.Context(), nearer); n != 0 || err != nil {
				t.Fatal(n, err)
			}
			rescore := func(sign float64) {
				var reqs []frontier.Request
				for i := 20; i < pages; i++ {
					r := page(i)
					r.Priority = sign * float64(i)
					reqs = append(reqs, r)
				}
				if n, err := m.Rescore(t.Context(), reqs...); n != pages-20 || err != nil {
					t.Fatal(n, err)
				}
			}
			rescore(2)
			step(1)
			rescore(1)
			step(2)
			want := statsOf(m)
			m.kill()
			m = openMortal(t, m.dir, fillOptions, 1<<30)
			if got := statsOf(m); bare(got) != bare(want) {
				t.Errorf("after a crash %+v, before %+v", got, want)
			}
			time.Sleep(pages * time.Millisecond)
			for i := range pages {
				n := pages - 1 - i
				if i >= pages-20 {
					n = i - (pages - 20)
				}
				req := next(t, m.Disk)
				depth := 3
				if n == 41 {
					depth = 1
				}
				if req.URL != page(n).URL || req.Variant != page(n).Variant || req.Depth != depth || req.Meta.Get("m.m") != fmt.Sprint(n) {
					t.Fatalf("number %d is %+v, want %+v", i, req, page(n))
				}
				if err := m.Done(t.Context(), req, frontier.Outcome{}); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// bare is the counts that follow from what was done alone.
func bare(s frontier.Stats) frontier.Stats {
	return frontier.Stats{Seen: s.Seen, Queued: s.Queued, Leased: s.Leased, Done: s.Done, Dropped: s.Dropped, Hosts: s.Hosts}
}

// TestLoweredVariants: a smaller depth of a request on disk is that of its variant and of no
// other, also when runs have been merged and the folder opened again.
func TestLoweredVariants(t *testing.T) {
	t.Parallel()
	const pages = 40
	m := openMortal(t, scratch(t), fillOptions, 1<<30)
	defer func() { m.Close() }()
	for depth := range 2 {
		for i := range pages {
			for _, variant := range []string{"", "v"} {
				r := frontier.Request{URL: fmt.Sprintf("http://a.test/%d", i), Variant: variant, Depth: 3}
				if depth == 1 && variant == "" {
					continue
				}
				r.Depth -= depth
				if _, err := m.Add(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
		}
		m.Settle()
	}
	if err := m.Compact(); err != nil {
		t.Fatal(err)
	}
	m.Settle()
	m.kill()
	m = openMortal(t, m.dir, fillOptions, 1<<30)
	for range 2 * pages {
		l := next(t, m.Disk)
		if want := 3 - len(l.Variant); l.Depth != want {
			t.Errorf("%s %q is at depth %d, want %d", l.URL, l.Variant, l.Depth, want)
		}
		if err := m.Done(t.Context(), l, frontier.Outcome{}); err != nil {
			t.Fatal(err)
		}
	}
}
