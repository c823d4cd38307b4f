package middleware

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/frontier"
)

// Retry tries again at once, within one visit, what is likely to be over in a
// moment: a connection that was refused or broke off. All tries are one visit to
// the Frontier, so Wait should not be shorter than its delay.
//
// It does not replace the Revisit of a Crawler, which comes back later and frees
// the worker meanwhile, counts attempts over a restart, and heeds Retry-After:
// an HTTP status is never tried again here. What fails here to the end is
// retried there as if it had failed once.
type Retry struct {
	Times int            // tries after the first; 2; negative: none
	Wait  time.Duration  // before the second try, twice that before the third, ...; 1 s; negative: none
	Kinds []crawler.Kind // nil: ErrConnect, ErrBroken
}

// Wrap is a [crawler.Middleware].
func (r Retry) Wrap(next crawler.Fetcher) crawler.Fetcher {
	times, wait, kinds := cmp.Or(r.Times, 2), cmp.Or(r.Wait, time.Second), r.Kinds
	if kinds == nil {
		kinds = []crawler.Kind{crawler.ErrConnect, crawler.ErrBroken}
	}
	return around.Of(next, func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		again := req
		for try := 0; ; try++ {
			resp, err := next.Fetch(ctx, again)
			fe, ok := errors.AsType[*crawler.FetchError](err)
			if !ok || try >= times || !slices.Contains(kinds, fe.Kind) {
				if resp != nil {
					resp.Request = req
				}
				return resp, err
			}
			if err := sleep(ctx, wait<<min(try, 20)); err != nil {
				return nil, err
			}
			again.Attempt++ // so that a body that breaks off again is taken as far as it goes
		}
	})
}
