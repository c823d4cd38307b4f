package crawler

import (
	"context"

	"github.com/webquarry/quarry/crawler/canon"
)

// terms are what a run wants of its Fetcher and its Parser. They travel with
// the context, and so reach an HTTP and an HTML behind whatever wraps them.
type terms struct {
	canon *canon.Profile // nil: the default
	agent string         // product token; empty: not known
	stay  bool           // follow no redirect to another page
}

type termsKey struct{}

func (t terms) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, termsKey{}, t)
}

func termsOf(ctx context.Context) terms {
	t, _ := ctx.Value(termsKey{}).(terms)
	if t.canon == nil {
		t.canon = new(canon.Profile)
	}
	return t
}
