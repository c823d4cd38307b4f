package sink

import (
	"context"

	"github.com/webquarry/quarry/crawler"
)

// Tee gives each page to all sinks, one after the other. The first error is
// returned, and the sinks behind it do not get the page.
func Tee(sinks ...crawler.Sink) crawler.Sink {
	return crawler.SinkFunc(func(ctx context.Context, page *crawler.Page) error {
		for _, s := range sinks {
			if err := s.Put(ctx, page); err != nil {
				return err
			}
		}
		return nil
	})
}
