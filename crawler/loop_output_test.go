package crawler

import (
	"context"
	"testing"
	"testing/synctest"
)

// counted is a Sink that tells how large its output is.
type counted struct {
	Sink
	size func() int64
}

func (c counted) Size() int64 { return c.size() }

// TestBudgetOutput: the run ends when the output is as large as wanted, give or
// take what was under way; the next one goes on.
func TestBudgetOutput(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 8} {
		synctest.Test(t, func(t *testing.T) {
			c := over(t, hub(50))
			c.Frontier, c.Workers = fast(), workers
			c.Sink = counted{c.Sink, func() int64 {
				c.mu.Lock()
				defer c.mu.Unlock()
				return int64(len(c.put)) * 1000
			}}
			for _, limit := range []int64{20_000, 35_500} {
				c.Budget.Output = limit
				c.run(t, "http://a.test/")
				if n := len(c.put); int64(n)*1000 < limit || int64(n-workers)*1000 >= limit {
					t.Errorf("%d workers: put %d pages of 1000 bytes until %d", workers, n, limit)
				}
			}
			put := len(c.put)
			c.run(t, "http://a.test/") // it is that large already
			if len(c.put) != put {
				t.Errorf("%d workers: put %d pages more", workers, len(c.put)-put)
			}
			c.Budget.Output = 0
			c.run(t)
			c.wantPut(t, c.web.URLs()...)
			c.web.EachOnce(t)
		})
	}
}

func TestBudgetOutputNeedsASize(t *testing.T) {
	t.Parallel()
	c := Crawler{UserAgent: testAgent, Budget: Budget{Output: 1}}
	c.Sink = Pages(func(context.Context, *Page) error { return nil })
	if err := c.Run(t.Context()); !isA[*ConfigError](err) {
		t.Errorf("error %v", err)
	}
	for _, err := range c.Pages(t.Context()) {
		if !isA[*ConfigError](err) {
			t.Errorf("error %v", err)
		}
	}
	c.Sink = counted{c.Sink, func() int64 { return 1 }}
	for _, err := range c.Pages(t.Context(), "http://192.0.2.1/") {
		t.Errorf("a page, or %v", err)
	}
}
