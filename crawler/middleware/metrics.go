package middleware

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/frontier"
)

// Metrics counts fetches, robots.txt included, in a Set, which writes them in
// the text format of Prometheus:
//
//	quarry_fetches_total{result="200"}   by status, or by kind of error ("timeout header")
//	quarry_fetch_bytes_total             of bodies as they came over the wire
//	quarry_fetch_body_bytes_total        of bodies decoded
//	quarry_fetch_seconds                 histogram of the time a fetch took, answers only
//	quarry_fetches_running               now
type Metrics struct {
	Set *metrics.Set // nil: the default set of the metrics package
}

// Wrap is a [crawler.Middleware].
func (m Metrics) Wrap(next crawler.Fetcher) crawler.Fetcher {
	set := m.Set
	if set == nil {
		set = metrics.GetDefaultSet()
	}
	wire, body := set.GetOrCreateCounter("quarry_fetch_bytes_total"), set.GetOrCreateCounter("quarry_fetch_body_bytes_total")
	took := set.GetOrCreatePrometheusHistogram("quarry_fetch_seconds")
	running := set.GetOrCreateGauge("quarry_fetches_running", nil)
	return around.Of(next, func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		running.Inc()
		defer running.Dec()
		start := time.Now()
		resp, err := next.Fetch(ctx, req)
		set.GetOrCreateCounter(fmt.Sprintf("quarry_fetches_total{result=%q}", result(ctx, resp, err))).Inc()
		if err == nil && resp != nil {
			wire.AddInt64(resp.Wire)
			body.AddInt64(int64(len(resp.Body)))
			took.Update(time.Since(start).Seconds())
		}
		return resp, err
	})
}

// result is one of few words, whatever a server does.
func result(ctx context.Context, resp *crawler.Response, err error) string {
	switch {
	case err != nil && ctx.Err() != nil:
		return "cancelled"
	case err != nil:
		if fe, ok := errors.AsType[*crawler.FetchError](err); ok {
			return fe.Kind.String()
		}
		return crawler.ErrOther.String()
	case resp == nil || resp.Status < 100 || resp.Status > 599:
		return "other status"
	}
	return strconv.Itoa(resp.Status)
}
