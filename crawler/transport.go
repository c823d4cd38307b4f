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

// transportWrap is what is made of a transport within the context; nil: nothing.
func transportWrap(ctx context.Context) func(http.RoundTripper) http.RoundTripper {
	wrap, _ := ctx.Value(transportKey{}).(func(http.RoundTripper) http.RoundTripper)
	return wrap
}
