package chrome

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/frontier"
)

// ChainError says that a chain failed on a page, and what it had brought home by
// then. It is the cause of a *crawler.FetchError of kind ErrOther.
type ChainError struct {
	Result *action.Result
	Err    error // an *action.StepError, if it was a step
}

// Error says which step, and why.
func (e *ChainError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ChainError) Unwrap() error { return e.Err }

// Refine adds to a page what a chain found on it, its records and its links. It
// is one for [crawler.HTML].
func Refine(_ *goquery.Document, page *crawler.Page) error {
	v, ok := page.Response.Extra.(*Visit)
	if !ok || v.Chain == nil {
		return nil
	}
	for _, r := range v.Chain.Records {
		page.Records = append(page.Records, r)
	}
	page.Links = append(page.Links, v.Chain.Links...)
	return nil
}

// chainOf is what is to be done on a page; nil: nothing.
func (f *Fetcher) chainOf(req frontier.Request) *action.Chain {
	if f.Chain == nil {
		return nil
	}
	return f.Chain(req)
}

// timeFor is how long a page may take in all.
func (f *Fetcher) timeFor(c *action.Chain) time.Duration {
	if c == nil {
		return f.timeout()
	}
	return f.timeout() + c.Limit()
}

// work does a chain on the page that is shown, and reads what it is then.
func (t *tab) work(l *load, c *action.Chain) (*snapshot, error) {
	l.update(func() { l.free = true })
	if err := t.unmute(); err != nil {
		return nil, err
	}
	runner := t.pool.fetcher.Runner
	runner.URL = cmp.Or(runner.URL, l.req.URL)
	result, err := runner.Run(joined{l.within(t), l.ctx}, c)
	defer t.leave()
	switch {
	case l.ctx.Err() != nil:
		return nil, context.Cause(l.ctx)
	case err != nil:
		return nil, fail(l.req.URL, crawler.ErrOther, &ChainError{Result: result, Err: errors.Join(l.failed(), err)})
	}
	s, err := t.settled(l)
	if err == nil {
		s.chain = result
	}
	return s, err
}
