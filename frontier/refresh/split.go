package refresh

import (
	"sync"
	"time"
)

// Turn is what a visit is to be used for.
type Turn int

// The turns a [Split] gives.
const (
	Wait     Turn = iota // for nothing, yet
	Discover             // a page never visited before
	Revisit              // a page that is due again
)

// Split shares a budget of visits between discovering pages and refreshing
// known ones. The zero value gives one visit a second, half of them to each. A
// share that one side has no use for goes to the other; it is not made up for
// later. All methods may be called from many goroutines.
type Split struct {
	PerSecond float64 // visits a second in all; what is not positive: 1
	Refresh   float64 // share of refreshing, up to 1; 0: a half, negative: only what discovering leaves

	mu    sync.Mutex
	next  time.Time // when the next visit may start
	owed  float64   // to refreshing, in visits
	found float64   // recent share of discovering
	begun bool
}

// Turn says what the next visit should be used for, if there are pages to
// discover and pages due for refreshing as told. If it is Wait, ask again at the
// time returned, or, if there was no page, when there is one. A visit
// that is given counts as made.
func (s *Split) Turn(now time.Time, discover, refresh bool) (Turn, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Before(s.next) || !discover && !refresh {
		return Wait, later(now, s.next)
	}
	const burst = 10 // visits that may be made up for after a pause
	gap := min(duration(1/weighed(s.PerSecond)), 365*24*time.Hour)
	s.next = later(s.next, now.Add(-burst*gap)).Add(gap)
	turn := s.turn(discover, refresh)
	s.count(turn)
	return turn, s.next
}

func (s *Split) turn(discover, refresh bool) Turn {
	switch {
	case !discover:
		return Revisit
	case !refresh:
		return Discover
	}
	if s.owed += s.share(); s.owed >= 1 {
		s.owed--
		return Revisit
	}
	return Discover
}

// count keeps the share of discovering in the last 100 visits or so.
func (s *Split) count(t Turn) {
	found := 0.0
	if t == Discover {
		found = 1
	}
	if !s.begun {
		s.begun, s.found = true, 1-s.share()
	}
	s.found += (found - s.found) / 100
}

// Left is the budget that refreshing has, in visits a second: its share, and
// what discovering has lately left of its own; a hundredth of the whole at
// least. It is what [Scheduler.Budget] should be told now and then where
// discovering does not come to an end.
func (s *Split) Left() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := max(s.share(), 0.01)
	if s.begun {
		left = max(left, 1-s.found)
	}
	return left * weighed(s.PerSecond)
}

func (s *Split) share() float64 {
	switch {
	case s.Refresh < 0:
		return 0
	case s.Refresh > 0:
		return min(s.Refresh, 1)
	}
	return 0.5
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Made counts a visit that was made without asking [Split.Turn], because what to
// visit is decided by priorities and due times; then [Split.Left] follows it.
func (s *Split) Made(t Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t != Wait {
		s.count(t)
	}
}
