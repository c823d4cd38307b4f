package frontier

import (
	"context"
	"errors"
	"time"
)

// Request is one URL to visit.
type Request struct {
	URL      string    // canonical absolute URL; compared byte for byte
	Via      string    // URL of the page it was found on; empty for seeds
	Depth    int       // link hops from a seed
	Hops     int       // redirects followed since the link that led here
	Priority float64   // greater comes sooner, also within one host
	Due      time.Time // not before; zero: now
	Attempt  int       // earlier visits of this URL that did not succeed
	Label    string    // which handler wants it
}

// Outcome says what became of a visit.
type Outcome struct {
	Again time.Time     // offer the request again then; zero: never
	Delay time.Duration // rest the host asks for (Crawl-delay, Retry-After), from now on
	Found []Request     // links, recorded in the same durable step that ends the lease
}

// Frontier decides which URL is visited next, and when. All methods may be
// called from many goroutines.
type Frontier interface {
	// Add queues requests and reports how many were new. URLs that were added
	// before, in whatever state they are now, are ignored. A URL that is not an
	// absolute http or https URL is refused with an [URLError], the others are
	// added all the same.
	Add(ctx context.Context, reqs ...Request) (added int, err error)

	// Next leases the best request whose host may be visited now and waits until
	// there is one. It returns ErrDrained when nothing is queued or leased, or
	// all that is queued is due beyond the horizon of this run.
	Next(ctx context.Context) (Request, error)

	// Done ends the lease of req. The fields of req that are not its URL are
	// kept if it is to be offered again, so that the caller counts attempts.
	// A lease that is lost, by a crash or by Close, is offered again with its
	// Attempt one higher. Done for a URL that is not leased is ErrNotLeased.
	Done(ctx context.Context, req Request, out Outcome) error
}

// What a Frontier's errors match with errors.Is.
var (
	ErrDrained   = errors.New("frontier: drained: nothing left to visit")
	ErrClosed    = errors.New("frontier: closed")
	ErrLocked    = errors.New("frontier: locked by another process")
	ErrNotLeased = errors.New("frontier: request is not leased")
	ErrCorrupt   = errors.New("frontier: corrupt")
)

// Limits is the politeness that a Frontier enforces. Gaps are measured from
// the start of one visit to the start of the next. The zero value means the
// defaults, a negative value no limit.
type Limits struct {
	PerHost   int           // visits at a time on one host (scheme, name and port); 1
	PerDomain int           // visits at a time on one registrable domain; 4
	Global    int           // visits at a time; 256
	Delay     time.Duration // gap between visits of one host; 1 s
	MaxDelay  time.Duration // cap on what a host may ask for; 24 h
}

// Options configure a Frontier. The zero value is usable.
type Options struct {
	Limits  Limits
	Horizon time.Duration // how long Next waits for what is due later, before it calls the run drained; 1 h
}

// Stats counts what a Frontier holds. Frontiers offer it by the method
// Stats() Stats.
type Stats struct {
	Seen   int // distinct URLs ever added
	Queued int // waiting, those due later included
	Leased int // being visited
	Done   int // visited, not to be visited again
	Hosts  int // hosts with something queued or leased
}
