package admit

import "context"

const (
	lightBody = 256 << 10 // bodies up to here are parsed without asking
	unitBody  = 1 << 20
	maxUnits  = 8
)

// Weights keeps the memory of parsing within bounds: a page takes up to fifteen
// times its body then, and nothing stops all workers from meeting a huge one at
// once. So large bodies are parsed together only up to maxUnits, which is more
// than a few processors can do anyway.
type Weights struct {
	turn chan struct{} // held by who takes units, for two who have half of theirs would wait for each other
	used chan struct{} // one for each unit
}

// NewWeights makes bounds of nothing yet.
func NewWeights() Weights {
	return Weights{make(chan struct{}, 1), make(chan struct{}, maxUnits)}
}

// Take waits until a body of n bytes may be parsed. The function it returns is
// to be called afterwards.
func (w Weights) Take(ctx context.Context, n int) (free func(), err error) {
	if n <= lightBody {
		return func() {}, nil
	}
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-w.turn }()
	taken := 0
	free = func() {
		for range taken {
			<-w.used
		}
	}
	for want := min((n+unitBody-1)/unitBody, maxUnits); taken < want; taken++ {
		select {
		case w.used <- struct{}{}:
		case <-ctx.Done():
			free()
			return nil, context.Cause(ctx)
		}
	}
	return free, nil
}
