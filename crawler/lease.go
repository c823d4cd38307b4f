package crawler

import (
	"context"
	"errors"
	"time"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
)

// A lease may expire, after [frontier.Options].LeaseFor. A visit that takes longer than
// half of that has it extended. Where that does not succeed the visit ends before the
// lease does, so that nobody else visits the host at the same time: nothing more is
// asked for, and nothing is told of the page, which the Frontier gives out again.

// leaseMargin is how long before its lease a visit ends, at most; otherwise it is the
// eighth of what the lease lasts.
const leaseMargin = time.Second

// keep extends a lease for as long as its visit goes on. The context that it returns is
// that of the visit; its cause is [frontier.ErrLeaseExpired] when the lease is about to
// expire. The function is to be called when the visit is over.
func (r *run) keep(ctx context.Context, l frontier.Lease) (within context.Context, over func()) {
	if l.Until.IsZero() {
		return ctx, func() {}
	}
	within, end := context.WithCancelCause(ctx)
	left := time.Until(l.Until)
	half := time.AfterFunc(left/2, func() { end(r.extendWhile(within, l, left)) })
	return within, func() {
		half.Stop()
		end(nil)
	}
}

// extendWhile extends a lease, which lasts for a while from its beginning or from when it
// was extended last, until ctx is done. The error says why that cannot go on.
func (r *run) extendWhile(ctx context.Context, l frontier.Lease, lasts time.Duration) error {
	for {
		end := l.Until.Add(-min(lasts/8, leaseMargin))
		within, cancel := context.WithDeadlineCause(ctx, end, frontier.ErrLeaseExpired)
		var err error
		l, err = r.extend(within, l)
		cancel()
		if err != nil || l.Until.IsZero() {
			return err
		}
		lasts = time.Until(l.Until)
		select {
		case <-time.After(lasts / 2):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// extend has a lease last longer. It tries until ctx is done.
func (r *run) extend(ctx context.Context, l frontier.Lease) (frontier.Lease, error) {
	x, ok := frontier.As[frontier.Extender](r.Frontier)
	for ok {
		var longer frontier.Lease
		err := answer(ctx, func(ctx context.Context) (err error) {
			longer, err = x.Extend(ctx, l)
			return err
		})
		switch {
		case err == nil:
			return longer, nil
		case ctx.Err() == nil && isFinal(err):
			return l, err
		}
		r.tally.log.Warn("lease not extended", "url", l.URL, "err", err)
		select {
		case <-time.After(firstPause):
		case <-ctx.Done():
		}
		ok = ctx.Err() == nil
	}
	<-ctx.Done()
	return l, context.Cause(ctx)
}

// isExpired reports whether the context of a visit has ended with its lease.
func isExpired(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), frontier.ErrLeaseExpired)
}

// tellExpired tells of a visit whose lease has expired.
func (r *run) tellExpired(w *live.Worker, l frontier.Lease) error {
	w.Enter(live.Waiting)
	return r.tally.add(Event{Kind: Retrying, URL: asVisited(l.Request).URL, Err: frontier.ErrLeaseExpired, Again: time.Now()}, 0)
}
