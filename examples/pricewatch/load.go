package main

import (
	"net/http"
	"runtime"
	"time"
)

// limit bounds the searches under way at a time: each may take a processor and
// some memory for as long as patience lasts, and those who ask are strangers.
type limit chan struct{}

// queueing is how long a request waits for its turn before it is told to come
// again.
const queueing = time.Second

func newLimit() limit { return make(limit, 2*runtime.GOMAXPROCS(0)) }

// wait returns when it is this request's turn; done gives the turn back. The
// error is an *apiError when there was none, or that the client went away.
func (l limit) wait(r *http.Request) (done func(), err error) {
	select {
	case l <- struct{}{}:
	default:
		timer := time.NewTimer(queueing)
		defer timer.Stop()
		select {
		case l <- struct{}{}:
		case <-timer.C:
			return nil, &apiError{http.StatusServiceUnavailable, "busy", "too many searches at a time: try again in a moment"}
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	return func() { <-l }, nil
}
