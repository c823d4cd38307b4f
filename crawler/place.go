package crawler

import "context"

// moreHands says for how many requests at a time there is one worker more than
// those: while it reads a page, puts it and tells the Frontier, others keep the
// requests under way. Of pages that take a few milliseconds and come in fifty
// that is enough.
const moreHands = 8

// places are as many as there may be requests at a time. A worker takes one before
// it asks the Frontier for a URL, for the pace of a host counts from then on.
type places chan struct{}

func newPlaces(requests int) places { return make(places, requests) }

// workers is how many share the places.
func (p places) workers() int { return cap(p) + cap(p)/moreHands }

// shared reports whether there are more workers than places.
func (p places) shared() bool { return p.workers() > cap(p) }

// place is what a worker has of them.
type place struct {
	of   places
	held bool
}

// take waits for a place. It is false when ctx ends first.
func (p *place) take(ctx context.Context) bool {
	if p.held {
		return true
	}
	select {
	case p.of <- struct{}{}:
		p.held = true
	case <-ctx.Done():
	}
	return p.held
}

// give makes room for another worker's request.
func (p *place) give() {
	if p.held {
		<-p.of
		p.held = false
	}
}
