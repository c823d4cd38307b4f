package chrome

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
)

const (
	startTries = 3    // of a browser, in a row
	hostsMost  = 4096 // that something is known of
)

// pool hands out tabs. There are as many as pages may be shown at a time; one
// that is idle keeps its host, so that the next page of the host finds its
// cookies and what is in the cache, and gives way when another host needs a tab.
type pool struct {
	fetcher *Fetcher
	slots   chan struct{} // one for each page that is shown
	end     context.Context
	closing context.CancelFunc
	secrets *authority
	hosts

	mu       sync.Mutex
	idle     []*tab // the longest idle first
	starting chan struct{}
	browser  *instance
	failures int // to start, in a row
	all      map[*instance]struct{}
}

// hosts is what is known of them.
type hosts struct {
	cookies cookies
	sights  sights
}

func newPool(f *Fetcher) *pool {
	p := &pool{fetcher: f, slots: make(chan struct{}, max(cmp.Or(f.Tabs, 4), 1)), all: make(map[*instance]struct{}), secrets: newAuthority()}
	p.end, p.closing = context.WithCancel(context.Background())
	return p
}

// lease waits for a free tab of a host, drawn or not. It must be released.
func (p *pool) lease(ctx context.Context, host string, drawn bool) (*tab, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-p.end.Done():
		return nil, ErrClosed
	}
	t, err := p.tab(ctx, host, drawn)
	if err != nil {
		<-p.slots
		return nil, err
	}
	return t, nil
}

func (p *pool) tab(ctx context.Context, host string, drawn bool) (*tab, error) {
	b, err := p.live(ctx)
	if err != nil {
		return nil, err
	}
	t, old := p.take(b, host, drawn)
	if old != nil {
		go old.close()
	}
	within, cancel := context.WithTimeoutCause(ctx, startTime, crawler.ErrTimeoutTotal) // whose caller may have no limit
	defer cancel()
	switch {
	case t == nil:
		t, err = openTab(within, p, b, host, drawn)
	case t.drawn != drawn:
		if err = t.during(within, func() error { return t.redraw(drawn) }); err != nil {
			go t.close()
		}
	}
	if err != nil {
		p.leave(b)
		p.time(b, err)
		return nil, err
	}
	return t, nil
}

// take returns an idle tab of a host, drawn as it is to be if there is one, or
// notes a new one of a browser, and which old one is to make room for it.
func (p *pool) take(b *instance, host string, drawn bool) (t, old *tab) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = slices.DeleteFunc(p.idle, func(t *tab) bool {
		dead := t.browser.dead()
		if dead {
			go t.close() // its proxy still listens
		}
		return dead
	})
	at := -1
	for i, t := range p.idle {
		if t.host == host && t.browser == b && (at < 0 || t.drawn == drawn || p.idle[at].drawn != drawn) {
			at = i
		}
	}
	if at >= 0 {
		t = p.idle[at]
		p.idle = slices.Delete(p.idle, at, at+1)
		return t, nil
	}
	if b.tabs++; b.tabs > cap(p.slots) && len(p.idle) > 0 {
		old = p.idle[0]
		p.idle = p.idle[1:]
		old.browser.tabs--
	}
	return nil, old
}

// release takes a tab back, and closes it if it is not to be used again.
func (p *pool) release(t *tab) {
	defer func() { <-p.slots }()
	p.mu.Lock()
	keep := t.usable() && t.browser == p.browser && !t.browser.retired && p.end.Err() == nil
	if keep {
		p.idle = append(p.idle, t)
	}
	p.mu.Unlock()
	if !keep {
		go t.close()
		p.leave(t.browser)
	}
	p.weigh(t.browser)
}

// leave notes that a browser has a tab less, and ends it if that was the last
// one that it waited for.
func (p *pool) leave(b *instance) {
	p.mu.Lock()
	b.tabs--
	over := b.retired && b.tabs == 0
	p.mu.Unlock()
	if over {
		go b.kill()
	}
}

// live returns a browser that runs, and starts one if there is none. One of those
// who wait does that.
func (p *pool) live(ctx context.Context) (*instance, error) {
	for {
		p.mu.Lock()
		if b := p.browser; b != nil && !b.dead() && !b.retired {
			p.mu.Unlock()
			return b, nil
		}
		if wait := p.starting; wait != nil {
			p.mu.Unlock()
			select {
			case <-wait:
				continue
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}
		done := make(chan struct{})
		p.starting = done
		p.mu.Unlock()
		err := p.replace(ctx)
		close(done)
		if err != nil {
			return nil, err
		}
	}
}

// replace starts a browser in the place of the present one.
func (p *pool) replace(ctx context.Context) error {
	var b *instance
	err := p.end.Err()
	if err == nil {
		start, cancel := context.WithCancelCause(ctx)
		unhook := context.AfterFunc(p.end, func() { cancel(ErrClosed) })
		b, err = p.fetcher.start(start, p.secrets.spki)
		unhook()
		cancel(nil)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.starting = nil
	switch {
	case p.end.Err() != nil:
		if b != nil {
			go b.kill()
		}
		return ErrClosed
	case ctx.Err() != nil && err != nil:
		return context.Cause(ctx)
	case errors.Is(err, ErrSandbox): // nor will the next
		return err
	case err != nil:
		if p.failures++; p.failures >= startTries {
			return &StartError{p.fetcher.state.path, err}
		}
		return errors.Join(ErrGone, err)
	}
	p.failures = 0
	p.fetcher.started()
	for old := range p.all {
		select {
		case <-old.gone:
			delete(p.all, old)
		default:
		}
	}
	p.browser = b
	p.all[b] = struct{}{}
	return nil
}

func (p *pool) close() error {
	p.closing()
	p.mu.Lock()
	if starting := p.starting; starting != nil {
		p.mu.Unlock()
		select {
		case <-starting:
		case <-time.After(closeTime):
		}
		p.mu.Lock()
	}
	idle := p.idle
	p.idle = nil
	all := make([]*instance, 0, len(p.all))
	for b := range p.all {
		all = append(all, b)
	}
	p.mu.Unlock()
	var ends sync.WaitGroup
	for _, b := range all {
		b.closed.Store(true)
		ends.Go(b.kill)
	}
	ends.Wait()
	for _, t := range idle {
		t.close()
	}
	return nil
}
