package crawler

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/webquarry/quarry/frontier"
)

func TestPages(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, hub(20))
		c.Frontier = fast()
		var got []string
		for page, err := range c.Pages(t.Context(), "http://a.test/") {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, page.URL)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.web.URLs()) {
			t.Errorf("pages %q", got)
		}
		c.wantPut(t, got...) // the Sink has them too
	})
}

// TestPagesLeft: a loop that is left leaves nothing running, and its last page
// and all after it for the next run.
func TestPagesLeft(t *testing.T) {
	t.Parallel()
	for after := 1; after < 21; after += 3 {
		synctest.Test(t, func(t *testing.T) { // the bubble sees goroutines that stay
			c := over(t, hub(20))
			c.Frontier, c.Sink = fast(), nil
			c.web.Add("http://a.test/slow", "HTTP 200\nTest-Wait: 29s\n\n<p>x")
			seeds := []string{"http://a.test/", "http://a.test/slow"}
			var first []string
			for page, err := range c.Pages(t.Context(), seeds...) {
				if err != nil {
					t.Fatal(err)
				}
				first = append(first, page.URL)
				if len(first) == after {
					break
				}
			}
			start := time.Now()
			var rest []string
			for page, err := range c.Pages(t.Context(), seeds...) {
				if err != nil {
					t.Fatal(err)
				}
				rest = append(rest, page.URL)
			}
			if took := time.Since(start); took > 31*time.Second {
				t.Errorf("the rest took %v", took)
			}
			all := append(first[:after-1:after-1], rest...) // the last one comes again
			slices.Sort(all)
			if want := c.web.URLs(); !slices.Equal(all, want) || !slices.Contains(rest, first[after-1]) {
				t.Errorf("left after %d: first %q, then %q", after, first, rest)
			}
		})
	}
}

func TestPagesLeaveNoGoroutine(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	c := &Crawler{UserAgent: testAgent, Frontier: fast(), Fetcher: &HTTP{UserAgent: testAgent, Transport: chainWeb(t, 50)}}
	defer c.Frontier.(*frontier.Memory).Close()
	for range c.Pages(t.Context(), "http://a.test/0") {
		break
	}
	func() {
		defer func() { recover() }()
		for range c.Pages(t.Context(), "http://a.test/0") {
			panic("in the loop")
		}
	}()
}

func TestPagesError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("disk full")
		c := over(t, hub(5))
		c.Sink = Pages(func(context.Context, *Page) error { return full })
		for page, err := range c.Pages(t.Context(), "http://a.test/") {
			if page != nil || !errors.Is(err, full) {
				t.Errorf("%v, %v", page, err)
			}
		}
		n := 0
		for page, err := range (&Crawler{}).Pages(t.Context(), "http://a.test/") {
			if n++; page != nil || !isA[*ConfigError](err) {
				t.Errorf("%v, %v", page, err)
			}
		}
		if n != 1 {
			t.Errorf("%d errors", n)
		}
	})
}

// TestPagesCancelled: pages that are ready are still handed over within the
// grace; the cause comes last.
func TestPagesCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := over(t, hub(20))
		c.Frontier = fast()
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		enough := errors.New("enough")
		var last error
		n := 0
		for _, err := range c.Pages(ctx, "http://a.test/") {
			if last = err; err != nil {
				break
			}
			if n++; n == 5 {
				cancel(enough)
			}
		}
		if !errors.Is(last, enough) || n < 5 || n == 21 {
			t.Errorf("%d pages, then %v", n, last)
		}
		c.run(t)
		if slices.Sort(c.put); len(c.put) != 21 || len(slices.Compact(c.put)) != 21 {
			t.Errorf("put %d", len(c.put))
		}
	})
}
