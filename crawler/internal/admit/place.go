package admit

import "context"

// moreHands says for how many requests at a time there is one worker more than
// those: while it reads a page, puts it and tells the Frontier, others keep the
// requests under way. Of pages that take a few milliseconds and come in fifty
// that is enough.
const moreHands = 8

// Places are as many as there may be requests at a time. A worker takes one before
// it asks the Frontier for a URL, for the pace of a host counts from then on.
type Places chan struct{}

// NewPlaces makes places for so many requests.
func NewPlaces(requests int) Places { return make(Places, requests) }

// Workers is how many share the places.
func (p Places) Workers() int { return cap(p) + cap(p)/moreHands }

// Shared reports whether there are more workers than places.
func (p Places) Shared() bool { return p.Workers() > cap(p) }

// Place is what a worker has of them. It begins with none.
type Place struct {
	Of   Places
	held bool
}

// Take waits for a place. It is false when ctx ends first.
func (p *Place) Take(ctx context.Context) bool {
	if p.held {
		return true
	}
	select {
	case p.Of <- struct{}{}:
		p.held = true
	case <-ctx.Done():
	}
	return p.held
}

// Give makes room for another worker's request.
func (p *Place) Give() {
	if p.held {
		<-p.Of
		p.held = false
	}
}
