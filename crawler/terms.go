package crawler

import (
	"context"
	"runtime"

	"github.com/webquarry/quarry/crawler/internal/fetch"
	"github.com/webquarry/quarry/crawler/urlnorm"
)

// terms are what a run wants of its Fetcher and its Parser. They travel with
// the context, and so reach an HTTP and an HTML behind whatever wraps them.
type terms struct {
	canon  *urlnorm.Profile // nil: the default
	agent  string           // product token; empty: not known
	trail  fetch.Trail      // cookies that redirects on the way here have set
	pursue fetch.Following  // which redirects are followed
	cores  chan struct{}    // one for each page that is read at a time; nil: no limit
}

type termsKey struct{}

func (t terms) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, termsKey{}, t)
}

func termsOf(ctx context.Context) terms {
	t, _ := ctx.Value(termsKey{}).(terms)
	if t.canon == nil {
		t.canon = new(urlnorm.Profile)
	}
	return t
}

// newCores are as many as can work at a time. Were more pages read at once, each would
// take as much longer, and all their trees would be alive meanwhile, for the garbage
// collector to walk through again and again.
func newCores() chan struct{} { return make(chan struct{}, runtime.GOMAXPROCS(0)) }

// core waits until a page may be read. The function it returns is to be called
// afterwards.
func (t terms) core(ctx context.Context) (free func(), err error) {
	if t.cores == nil {
		return func() {}, nil
	}
	select {
	case t.cores <- struct{}{}:
		return func() { <-t.cores }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
