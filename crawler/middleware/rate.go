package middleware

import (
	"context"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/frontier"
)

// Rate is a ceiling for everything that is fetched through it: wrap the Fetchers
// of all crawls of a process by one Rate. Requests are spread evenly; for bytes
// each request is taken for as large as the last ones were, and what it really
// was is settled afterwards. A visit that waits keeps its worker and its host.
//
// With AtOnce several crawls share a number of requests at a time, as each of them
// keeps to its Workers on its own.
type Rate struct {
	Requests float64 // a second; 0: no limit
	Bytes    float64 // of bodies over the wire, a second; 0: no limit
	AtOnce   int     // requests under way at a time; 0: no limit

	mu      sync.Mutex
	places  chan struct{} // AtOnce of them
	next    time.Time     // when the next request may begin
	paid    time.Time     // until when bytes are spent
	typical float64       // bytes of a response, lately
}

// firstGuess is what a response is taken for when none has come yet, or what may
// pass in a second if that is less.
const firstGuess = 16 << 10

// Wrap is a [crawler.Middleware].
func (r *Rate) Wrap(next crawler.Fetcher) crawler.Fetcher {
	return around.Of(next, func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		ctx, leave, err := r.enter(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		guess, err := r.wait(ctx)
		if err != nil {
			return nil, err
		}
		resp, err := next.Fetch(ctx, req)
		var wire float64
		if resp != nil {
			wire = float64(resp.Wire)
		}
		r.settle(guess, wire)
		return resp, err
	})
}

// placed marks a context within which a place of a Rate is held: what a Fetcher asks
// for by another one of the same Rate belongs to it, or would wait for itself.
type placed struct{ *Rate }

// enter takes one of the places for requests under way. leave gives it back.
func (r *Rate) enter(ctx context.Context) (within context.Context, leave func(), err error) {
	if r.AtOnce <= 0 || ctx.Value(placed{r}) != nil {
		return ctx, func() {}, nil
	}
	r.mu.Lock()
	if r.places == nil {
		r.places = make(chan struct{}, r.AtOnce)
	}
	places := r.places
	r.mu.Unlock()
	select {
	case places <- struct{}{}:
		return context.WithValue(ctx, placed{r}, true), func() { <-places }, nil
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
}

// wait returns when a request may begin, with the bytes that it is taken for.
func (r *Rate) wait(ctx context.Context) (guess float64, err error) {
	for {
		d, guess := r.take(time.Now())
		if d <= 0 {
			return guess, nil
		}
		if err := sleep(ctx, d); err != nil {
			return 0, err
		}
	}
}

// take begins a request, or returns how long to wait before it may.
func (r *Rate) take(now time.Time) (wait time.Duration, guess float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if wait = later(r.next, r.paid).Sub(now); wait > 0 {
		return wait, 0
	}
	if r.typical == 0 {
		r.typical = min(firstGuess, r.Bytes)
	}
	if r.Requests > 0 {
		r.next = now.Add(seconds(1 / r.Requests))
	}
	if r.Bytes > 0 {
		r.paid = later(r.paid, now.Add(-time.Second)).Add(seconds(r.typical / r.Bytes)) // a second's worth may be saved up
	}
	return 0, r.typical
}

// settle corrects a guess.
func (r *Rate) settle(guess, wire float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Bytes > 0 {
		r.paid = r.paid.Add(seconds((wire - guess) / r.Bytes))
		r.typical += (wire - r.typical) / 8
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func seconds(s float64) time.Duration {
	return time.Duration(max(min(s, 1e9), -1e9) * float64(time.Second))
}
