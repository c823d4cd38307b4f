package middleware

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/crawler/internal/purpose"
	"github.com/webquarry/quarry/frontier"
)

// Auth sends a credential to one origin and to no other, and gets another one
// when the server answers 401: for tokens that expire. Origin and Value are
// required. Nothing is sent with robots.txt.
type Auth struct {
	Origin string // "https://api.example"
	Header string // empty: Authorization
	// Value returns what to send, "Bearer ..." and the like. It is called before
	// the first request and after a 401, by one goroutine at a time; an error is
	// one of the page that needed it.
	Value func(ctx context.Context) (string, error)

	mu   sync.Mutex
	gate chan struct{} // holds one: who has it may call Value
	now  string
	nth  int // values so far
}

// Basic is a Value of a user and a password (RFC 7617).
func Basic(user, password string) func(context.Context) (string, error) {
	v := "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
	return func(context.Context) (string, error) { return v, nil }
}

// Bearer is a Value of tokens (RFC 6750) that token gets, anew each time.
func Bearer(token func(ctx context.Context) (string, error)) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		t, err := token(ctx)
		return "Bearer " + t, err
	}
}

// Wrap is a [crawler.Middleware].
func (a *Auth) Wrap(next crawler.Fetcher) crawler.Fetcher {
	return around.Of(next, func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		u, err := url.Parse(req.URL)
		if err != nil || !strings.EqualFold(u.Scheme+"://"+u.Host, a.Origin) || purpose.IsRobots(ctx, req.URL) || crawler.Asked(ctx).Anonymous {
			return next.Fetch(ctx, req)
		}
		nth := 0
		for {
			value, now, err := a.value(ctx, nth)
			if err != nil {
				return nil, err
			}
			resp, err := next.Fetch(a.ask(value).Within(ctx), req)
			if err != nil || resp.Status != http.StatusUnauthorized || nth > 0 {
				return resp, err
			}
			nth = now
		}
	})
}

func (a *Auth) ask(value string) crawler.Ask {
	name := a.Header
	if name == "" {
		name = "Authorization"
	}
	return crawler.Ask{Header: http.Header{name: {value}}}
}

// value returns a value that is newer than the nth, and its number.
func (a *Auth) value(ctx context.Context, nth int) (string, int, error) {
	a.mu.Lock()
	if a.gate == nil {
		a.gate = make(chan struct{}, 1)
	}
	gate := a.gate
	a.mu.Unlock()
	select {
	case gate <- struct{}{}:
		defer func() { <-gate }()
	case <-ctx.Done():
		return "", 0, context.Cause(ctx)
	}
	if a.nth > nth {
		return a.now, a.nth, nil
	}
	value, err := a.Value(ctx)
	if err != nil {
		return "", 0, err
	}
	a.now = value
	a.nth++
	return a.now, a.nth, nil
}
