package crawler

import (
	"context"
	"net/http"
)

type transportKey struct{}

// WithTransport has every [HTTP] that fetches within the context make its
// exchanges by what wrap makes of its transport, redirects and robots.txt
// included, also when it is wrapped in other Fetchers. The transport is the
// guarded one that knows proxies, and the body of its responses is as it came,
// its content codings still on. So a [Middleware] can archive what it sees. What
// lies around the context already is wrapped first.
func WithTransport(ctx context.Context, wrap func(http.RoundTripper) http.RoundTripper) context.Context {
	outer, ok := ctx.Value(transportKey{}).(func(http.RoundTripper) http.RoundTripper)
	if !ok {
		return context.WithValue(ctx, transportKey{}, wrap)
	}
	return context.WithValue(ctx, transportKey{}, func(t http.RoundTripper) http.RoundTripper { return outer(wrap(t)) })
}

// transportWithin is the transport to use within the context.
func transportWithin(ctx context.Context, t http.RoundTripper) http.RoundTripper {
	if wrap, ok := ctx.Value(transportKey{}).(func(http.RoundTripper) http.RoundTripper); ok {
		return wrap(t)
	}
	return t
}
