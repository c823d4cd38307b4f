package frontier

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestUnvisited: a lease for which nothing was asked of the host holds nobody up.
func TestUnvisited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		f := New(Options{})
		defer f.Close()
		for _, url := range []string{"http://a.test/0", "http://a.test/1", "http://a.test/2", "http://a.test/3", "http://a.test/4"} {
			f.Add(ctx, Request{URL: url})
		}
		start := time.Now()
		for n, step := range []struct {
			at  time.Duration // when the request may be visited
			out Outcome
		}{
			{0, Outcome{Delay: 5 * time.Second}}, // a visit, of a host that asks for a gap
			{5 * time.Second, Outcome{Unvisited: true}},
			{5 * time.Second, Outcome{Unvisited: true, Again: time.Now().Add(time.Hour / 2)}},
			{5 * time.Second, Outcome{Delay: 5 * time.Second}},
			{10 * time.Second, Outcome{Unvisited: true}},
			{30 * time.Minute, Outcome{}},
		} {
			req, err := f.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if at := time.Since(start); at != step.at {
				t.Errorf("request %d comes after %v, want %v", n, at, step.at)
			}
			if err := f.Done(ctx, req, step.out); err != nil {
				t.Fatal(err)
			}
		}
	})
}
