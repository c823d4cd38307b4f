package middleware

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/frontier"
)

// Log writes a line for each fetch, robots.txt included: what the events of a
// Crawler do not tell.
type Log struct {
	Logger *slog.Logger // nil: slog.Default()
	Level  slog.Level   // of fetches with an answer; zero: Info. Those without one are a Warn
}

// Wrap is a [crawler.Middleware].
func (l Log) Wrap(next crawler.Fetcher) crawler.Fetcher {
	log := cmp.Or(l.Logger, slog.Default())
	return around.Of(next, func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		start := time.Now()
		resp, err := next.Fetch(ctx, req)
		attrs := []slog.Attr{
			slog.String("method", cmp.Or(crawler.Asked(ctx).Method, http.MethodGet)), slog.String("url", req.URL),
			slog.Int("attempt", req.Attempt), slog.Duration("took", time.Since(start)),
		}
		level := l.Level
		switch {
		case err != nil:
			attrs = append(attrs, slog.Any("err", err))
			level = slog.LevelWarn
		case resp != nil:
			attrs = append(attrs, slog.Int("status", resp.Status), slog.Int64("bytes", resp.Wire))
			if resp.Location != "" {
				attrs = append(attrs, slog.String("location", resp.Location))
			}
		}
		log.LogAttrs(ctx, level, "fetch", attrs...)
		return resp, err
	})
}
