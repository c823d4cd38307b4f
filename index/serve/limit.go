package serve

import (
	"context"
	"net/http"
	"runtime"
	"time"
)

// Limit bounds how many searches are under way at a time: each may take a processor
// and some memory for as long as it may last, and those who ask are strangers. Make
// one with [NewLimit].
type Limit chan struct{}

// turn is how long a request waits for its turn before it is told to come again.
const turn = time.Second

// NewLimit makes a limit of n at a time; 0: two for each processor.
func NewLimit(n int) Limit {
	if n <= 0 {
		n = 2 * runtime.GOMAXPROCS(0)
	}
	return make(Limit, n)
}

// Wait returns when it is a request's turn; done gives the turn back. The error is an
// [*Error] of status 503 when there was none within a second, or the context's cause.
func (l Limit) Wait(ctx context.Context) (done func(), err error) {
	done = func() { <-l }
	select {
	case l <- struct{}{}:
		return done, nil
	default:
	}
	timer := time.NewTimer(turn)
	defer timer.Stop()
	select {
	case l <- struct{}{}:
		return done, nil
	case <-timer.C:
		return nil, &Error{http.StatusServiceUnavailable, "busy", "too many searches at a time: try again in a moment"}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
