package sink

import (
	"context"

	"github.com/webquarry/quarry/crawler"
)

// Tee gives each result to all sinks, one after the other. The first error is
// returned, and the sinks behind it do not get the result.
func Tee(sinks ...crawler.Sink) crawler.Sink {
	return crawler.SinkFunc(func(ctx context.Context, r *crawler.Result) error {
		for _, s := range sinks {
			if err := s.Put(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
}
