// Package monitor shows a crawl while it runs: a page for a browser, the same
// as JSON, and metrics for Prometheus. From there a crawl can be paused, and
// asked why a URL was visited or was not.
//
//	c := crawler.Crawler{...}
//	m := monitor.New(&c, monitor.Options{})
//	at, err := m.Listen(ctx, "127.0.0.1:8080")
//	...
//	err = c.Run(m.Watch(ctx), seeds...)
//
// A [Monitor] is an [net/http.Handler] with
//
//	GET  /                         the page
//	GET  /api/state?range=5m|24h   a [State]
//	GET  /api/explain?url=...      an [Explanation]
//	POST /api/pause, /api/resume   204
//	GET  /metrics                  the text format of Prometheus
//	GET  /healthz                  200, or 503: the frontier does not answer
//	GET  /readyz                   200, or 503: no run is under way
//
// Without a Token in its [Access] it knows nobody: whoever reaches it may look and, unless
// it is ReadOnly, pause. So it is for loopback addresses then. What other
// sites' pages make a browser send is refused, see [Options].
//
// Where to look:
//
//	monitor.go  how is it put to a crawl?
//	state.go    what does it show?
//	history.go  how did the rates change?
//	recent.go   which visits are remembered?
//	hosts.go    which hosts are shown?
//	explain.go  why was a URL visited, or was not?
//	metrics.go  what does Prometheus get?
//	serve.go    who is answered, and how?
//	page/       the page
package monitor
