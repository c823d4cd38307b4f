package crawler

import (
	"context"
	"errors"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// A Frontier may be on another machine. So an error of it ends a run only if it comes
// again when the call is repeated, after pauses of firstPause and ten times as long,
// and what is told it last is told within lastWord of the end of all visits.
const (
	tries      = 3
	firstPause = 100 * time.Millisecond
	lastWord   = time.Second
	lastReturn = 5 * time.Second // for handlers, after the end of all visits
)

var (
	errSilent = errors.New("crawler: the Frontier does not answer")
	errStuck  = errors.New("crawler: a Fetcher, Parser, Sink or another handler goes on although its context has ended")
)

// insist calls until there is no error, or one that repeating does not help.
func insist(ctx context.Context, call func(ctx context.Context) error) error {
	pause := firstPause
	for n := 1; ; n++ {
		err := call(ctx)
		if n > 1 && errors.Is(err, frontier.ErrLeaseExpired) {
			return nil // it was done the first time, and the answer lost; or it is visited again
		}
		if err == nil || n == tries || ctx.Err() != nil || isFinal(err) {
			return err
		}
		select {
		case <-time.After(pause):
			pause *= 10
		case <-ctx.Done():
			return err
		}
	}
}

// isFinal reports whether an error of a Frontier says that the call is over.
func isFinal(err error) bool {
	for _, e := range []error{frontier.ErrClosed, frontier.ErrDrained, frontier.ErrLeaseExpired, frontier.ErrCorrupt, frontier.ErrVersion, frontier.ErrLocked} {
		if errors.Is(err, e) {
			return true
		}
	}
	_, rest := frontier.Refusals(err)
	return rest == nil
}

// answer is call, but does not wait for one that goes on when ctx is over.
func answer(ctx context.Context, call func(ctx context.Context) error) error {
	got := make(chan error, 1)
	go func() {
		err := errGoexit
		defer func() {
			if p := recover(); p != nil {
				err = panicError(p)
			}
			got <- err
		}()
		err = call(ctx)
	}()
	select {
	case err := <-got:
		return err
	case <-ctx.Done():
	}
	select { // what ends by ctx says so itself
	case err := <-got:
		return err
	case <-time.After(firstPause):
		return errSilent
	}
}

// finish ends a lease. The Frontier is told even when the run is being stopped, for
// the page was put. safe is never nil.
func (r *run) finish(l frontier.Lease, out frontier.Outcome) (safe func() error, err error) {
	safe = func() error { return nil }
	err = insist(r.telling, func(ctx context.Context) error {
		if f, ok := r.Frontier.(frontier.Finisher); ok {
			var err error
			safe, err = f.Finish(ctx, l, out)
			if _, rest := frontier.Refusals(err); rest != nil {
				err = errors.Join(err, safe())
			}
			return err
		}
		return answer(ctx, func(ctx context.Context) error { return r.Frontier.Done(ctx, l, out) })
	})
	return safe, err
}
