package crawler

import (
	"context"
	"iter"
)

// Pages is [Crawler.Run] as an iterator. The pages come one at a time, in the
// order in which they are ready; the crawl goes on meanwhile and waits when it
// is ahead. A page counts as done when the next one is asked for: if the loop is
// left, its last page and those under way are left for the next run. The Sink,
// if there is one, gets each page before.
//
// The error comes last and alone, with a nil page, and is what Run would have
// returned. Trouble with single pages goes to OnEvent.
func (c *Crawler) Pages(ctx context.Context, seeds ...string) iter.Seq2[*Page, error] {
	return func(yield func(*Page, error) bool) {
		ctx, leave := context.WithCancelCause(ctx)
		hand := &handOver{pages: make(chan *Page), taken: make(chan struct{}), left: make(chan struct{}), before: c.Sink}
		crawl := *c
		crawl.Sink = hand
		ended := make(chan error, 1)
		go func() { ended <- crawl.Run(ctx, seeds...) }()
		leaving := true
		defer func() {
			close(hand.left)
			leave(errBreak)
			if leaving {
				<-ended
			}
		}()
		for {
			select {
			case page := <-hand.pages:
				if !yield(page, nil) {
					return
				}
				hand.taken <- struct{}{}
			case err := <-ended:
				leaving = false
				if err != nil {
					yield(nil, err)
				}
				return
			}
		}
	}
}

// handOver is the Sink that hands pages to an iterator, one by one.
type handOver struct {
	pages  chan *Page
	taken  chan struct{}
	left   chan struct{} // closed when the loop was left
	before Sink
}

// Put waits until the page was taken and the next one is wanted.
func (h *handOver) Put(ctx context.Context, r *Result) error {
	if h.before != nil {
		if err := h.before.Put(ctx, r); err != nil {
			return err
		}
	}
	if r.Page == nil {
		return nil
	}
	select {
	case h.pages <- r.Page:
	case <-h.left:
		return errBreak
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-h.taken:
		return nil
	case <-h.left:
		return errBreak
	}
}
