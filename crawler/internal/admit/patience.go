package admit

import "sync"

const (
	patientShare = 4 // one worker in so many
	maxSlowHosts = 1 << 16
)

// Patience keeps hosts that are slow from the workers of the others: those whose
// last visit ended by a timeout are visited by a quarter of the workers at a
// time. The Frontier lets each of them rest longer and longer, but does not know
// how many workers there are to wait for them all.
type Patience struct {
	mu   sync.Mutex
	slow map[string]struct{}
	free int // workers that may wait
}

// NewPatience makes patience for so many workers.
func NewPatience(workers int) *Patience {
	return &Patience{slow: make(map[string]struct{}), free: max(workers/patientShare, 1)}
}

// Enter begins a visit, and reports false where there is nobody to wait for the
// host. Otherwise leave is to be called with what became of the visit: it was broken off, or the host
// was slow.
func (p *Patience) Enter(host string) (leave func(broken, slow bool), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, slow := p.slow[host]
	switch {
	case slow && p.free == 0:
		return nil, false
	case slow:
		p.free--
	}
	return func(broken, slowNow bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if slow {
			p.free++
		}
		switch {
		case broken:
		case !slowNow:
			delete(p.slow, host)
		case len(p.slow) < maxSlowHosts:
			p.slow[host] = struct{}{}
		}
	}, true
}
