package monitor

import (
	"context"
	"errors"
	"fmt"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/live"
)

// count adds an event to the metrics.
func (m *Monitor) count(e crawler.Event) {
	switch e.Kind {
	case crawler.Fetched:
		m.metrics.GetOrCreateCounter("quarry_pages_total").Inc()
		if r := e.Page.Response; r != nil {
			m.metrics.GetOrCreateCounter("quarry_page_bytes_total").Add(int(r.Wire))
			m.metrics.GetOrCreatePrometheusHistogram("quarry_page_seconds").Update(r.Took.Seconds())
		}
	case crawler.Skipped:
		m.metrics.GetOrCreateCounter(fmt.Sprintf("quarry_skipped_total{reason=%q}", e.Reason)).Inc()
	case crawler.Retrying:
		m.metrics.GetOrCreateCounter("quarry_retries_total").Inc()
	case crawler.Failed:
		m.metrics.GetOrCreateCounter(fmt.Sprintf("quarry_failed_total{kind=%q}", kindOf(e.Err))).Inc()
	}
}

func kindOf(err error) crawler.Kind {
	if fe, ok := errors.AsType[*crawler.FetchError](err); ok {
		return fe.Kind
	}
	return crawler.ErrOther
}

// gauges are what is looked at when somebody asks.
func (m *Monitor) gauges() {
	for state, of := range map[string]func(Queue) int{
		"seen":    func(q Queue) int { return q.Seen },
		"queued":  func(q Queue) int { return q.Queued },
		"due":     func(q Queue) int { return q.Due },
		"leased":  func(q Queue) int { return q.Leased },
		"done":    func(q Queue) int { return q.Done },
		"dropped": func(q Queue) int { return q.Dropped },
	} {
		m.metrics.GetOrCreateGauge(fmt.Sprintf("quarry_urls{state=%q}", state), func() float64 { return float64(of(m.queue())) })
	}
	m.metrics.GetOrCreateGauge("quarry_hosts", func() float64 { return float64(m.queue().Hosts) })
	for state, of := range map[string]func(Queue) int{
		"ready":   func(q Queue) int { return q.Ready },
		"waiting": func(q Queue) int { return q.Waiting },
		"parked":  func(q Queue) int { return q.Parked },
	} {
		m.metrics.GetOrCreateGauge(fmt.Sprintf("quarry_hosts_in_state{state=%q}", state), func() float64 { return float64(of(m.queue())) })
	}
	for p := range live.Phases {
		phase := live.Phase(p)
		m.metrics.GetOrCreateGauge(fmt.Sprintf("quarry_workers{phase=%q}", phase), func() float64 {
			n := 0
			for _, w := range m.control.Workers() {
				if w.Phase == phase {
					n++
				}
			}
			return float64(n)
		})
	}
	m.metrics.GetOrCreateGauge("quarry_crawl_running", func() float64 { return oneIf(m.running()) })
	m.metrics.GetOrCreateGauge("quarry_last_page_seconds", func() float64 {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.now.page.IsZero() {
			return 0
		}
		return float64(m.now.page.UnixMilli()) / 1000
	})
	m.metrics.GetOrCreateGauge("quarry_paused", func() float64 { return oneIf(m.control.Paused()) })
}

func oneIf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// queue returns the sizes that the Frontier has now, or had at the last event.
func (m *Monitor) queue() Queue {
	if m.crawl != nil {
		if s, err := m.crawl.Stats(context.Background()); err == nil {
			return queueOf(s)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return queueOf(m.now.queue)
}
