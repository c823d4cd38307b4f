package frontier

import (
	"math/rand/v2"

	"github.com/webquarry/quarry/frontier/internal/sched"
	"github.com/webquarry/quarry/frontier/internal/seen"
)

// Memory is a [Frontier] that forgets all when the process ends. It holds 10 to 15
// bytes for each URL that was ever added, and some 130 besides
// its text for one that is not done; what a long queue took is given back. So
// it grows with the crawl, by up to 1.5 GB for a hundred million URLs, which a [Disk]
// does not.
type Memory struct{ front }

var _ capable = (*Memory)(nil)

// capable is what all frontiers of this package can do.
type capable interface {
	Frontier
	Extender
	BatchLeaser
	Finisher
	Locator
	Rescorer
	HostControl
	Inspector
	Drainer
}

// New makes an empty frontier.
func New(opt Options) *Memory { return newMemory(opt, rand.Uint64()) }

func newMemory(opt Options, seed uint64) *Memory {
	m := &Memory{front{
		sched:   sched.New(opt.Limits.bounds(), seed),
		seen:    seen.New(),
		clock:   startClock(),
		horizon: opt.horizon(),
		look:    usualSteps(),
		aside:   aside{leases: leases{span: int64(opt.LeaseFor)}},
	}}
	m.leases.token = uint64(m.clock.now())
	return m
}

// Close makes all methods return [ErrClosed], those that wait at once.
func (m *Memory) Close() error {
	m.stop(ErrClosed)
	return nil
}
