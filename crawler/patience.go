package crawler

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler/canon"
	"github.com/webquarry/quarry/frontier"
)

const (
	patientShare = 4                // one worker in so many
	laterOn      = 30 * time.Second // the rest of a host that none of them is free for
	maxSlowHosts = 1 << 16
)

// patience keeps hosts that are slow from the workers of the others: those whose
// last visit ended by a timeout are visited by a quarter of the workers at a
// time. The Frontier lets each of them rest longer and longer, but does not know
// how many workers there are to wait for them all.
type patience struct {
	mu   sync.Mutex
	slow map[string]struct{}
	free int // workers that may wait
}

func newPatience(workers int) *patience {
	return &patience{slow: make(map[string]struct{}), free: max(workers/patientShare, 1)}
}

// enter begins a visit, and reports false where there is nobody to wait for the
// host. Otherwise leave is to be called with what became of the visit.
func (p *patience) enter(url string) (leave func(v *verdict, err error), ok bool) {
	host := canon.Origin(url)
	p.mu.Lock()
	defer p.mu.Unlock()
	_, slow := p.slow[host]
	switch {
	case slow && p.free == 0:
		return nil, false
	case slow:
		p.free--
	}
	return func(v *verdict, err error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if slow {
			p.free++
		}
		switch {
		case err != nil: // broken off
		case !tookLong(v.Err):
			delete(p.slow, host)
		case len(p.slow) < maxSlowHosts:
			p.slow[host] = struct{}{}
		}
	}, true
}

// tookLong reports whether a worker had to wait until a timeout.
func tookLong(err error) bool {
	for _, k := range []Kind{ErrTimeoutConnect, ErrTimeoutHeader, ErrTimeoutTotal, ErrSlow} {
		if errors.Is(err, k) {
			return true
		}
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// notNow is the verdict of a visit that was not made. It makes no event.
func notNow(req frontier.Request, known note) verdict {
	out := frontier.Outcome{Again: time.Now(), Delay: max(laterOn, known.clear.delay)}
	return verdict{Event: Event{Kind: resting}, out: out, attempt: req.Attempt, clear: known.clear}
}
