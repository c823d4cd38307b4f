package chrome

import (
	"context"
	"fmt"

	"github.com/VictoriaMetrics/metrics"
)

// gauges are what is looked at when somebody asks.
func (p *pool) gauges(set *metrics.Set) {
	set.GetOrCreateGauge("quarry_chrome_pages_running", func() float64 { return float64(len(p.slots)) })
	set.GetOrCreateGauge("quarry_chrome_memory_bytes", func() float64 {
		p.mu.Lock()
		b := p.browser
		p.mu.Unlock()
		if b == nil || b.dead() {
			return 0
		}
		return float64(memoryOf(b.pid))
	})
}

// started counts a browser.
func (f *Fetcher) started() {
	if f.Metrics != nil {
		f.Metrics.GetOrCreateCounter("quarry_chrome_browsers_started_total").Inc()
	}
}

// shown counts a page by what became of it.
func (f *Fetcher) shown(ctx context.Context, err error) {
	if f.Metrics == nil {
		return
	}
	result := "shown"
	switch {
	case err != nil && ctx.Err() != nil:
		result = "cancelled"
	case err != nil:
		result = "failed"
	}
	f.Metrics.GetOrCreateCounter(fmt.Sprintf("quarry_chrome_pages_total{result=%q}", result)).Inc()
}
