package serve

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/webquarry/quarry/index"
)

// counts are the metrics of a Handler. A nil one counts nothing.
type counts struct {
	set     *metrics.Set
	took    *metrics.PrometheusHistogram
	running *metrics.Gauge
}

func newCounts(h *Handler) *counts {
	set := h.opt.Metrics
	if set == nil {
		return nil
	}
	c := &counts{set, set.GetOrCreatePrometheusHistogram("quarry_search_seconds"), set.GetOrCreateGauge("quarry_searches_running", nil)}
	look := &look{of: h}
	for name, of := range map[string]func(index.Stats) float64{
		"quarry_index_documents":         func(s index.Stats) float64 { return float64(s.Docs) },
		"quarry_index_deleted_documents": func(s index.Stats) float64 { return float64(s.Deleted) },
		"quarry_index_segments":          func(s index.Stats) float64 { return float64(s.Segments) },
		"quarry_index_bytes":             func(s index.Stats) float64 { return float64(s.Bytes) },
		"quarry_index_generation":        func(s index.Stats) float64 { return float64(s.Generation) },
	} {
		set.GetOrCreateGauge(name, func() float64 { return of(look.stats()) })
	}
	if w := h.opt.Writer; w != nil {
		for name, of := range map[string]func(index.WriterStats) int{
			"quarry_index_buffered_documents":      func(s index.WriterStats) int { return s.Buffered },
			"quarry_index_documents_added_total":   func(s index.WriterStats) int { return s.Added },
			"quarry_index_documents_deleted_total": func(s index.WriterStats) int { return s.Deleted },
			"quarry_index_flushes_total":           func(s index.WriterStats) int { return s.Flushes },
			"quarry_index_merges_total":            func(s index.WriterStats) int { return s.Merges },
		} {
			set.GetOrCreateGauge(name, func() float64 { return float64(of(w.Stats())) })
		}
	}
	return c
}

func (c *counts) begun() {
	if c != nil {
		c.running.Inc()
	}
}

// searched counts a search that has ended; one without an answer that was busy had not begun.
func (c *counts) searched(a *Answer, err error) {
	if c == nil {
		return
	}
	result := "ok"
	bad, isBad := errors.AsType[*Error](err)
	busy := isBad && bad.Status == http.StatusServiceUnavailable
	switch {
	case busy:
		result = "busy"
	case isBad:
		result = "bad"
	case err != nil:
		result = "error"
	case a.partial:
		result = "partial"
	}
	c.set.GetOrCreateCounter(fmt.Sprintf("quarry_searches_total{result=%q}", result)).Inc()
	if a != nil {
		c.took.Update(float64(a.TookUS) / 1e6)
	}
}

func (c *counts) ended() {
	if c != nil {
		c.running.Dec()
	}
}

func (c *counts) suggested() {
	if c != nil {
		c.set.GetOrCreateCounter("quarry_suggestions_total").Inc()
	}
}

// look is the statistics of the index, which are the same for all gauges of one answer.
type look struct {
	of *Handler

	mu  sync.Mutex
	now index.Stats
	at  time.Time
}

func (l *look) stats() index.Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.at) < time.Second/2 {
		return l.now
	}
	s, done, err := l.of.snapshot()
	if err != nil {
		return l.now
	}
	defer done()
	if snap, ok := s.(*index.Snapshot); ok {
		if now, err := snap.Stats(); err == nil {
			l.now, l.at = now, time.Now()
		}
	}
	return l.now
}
