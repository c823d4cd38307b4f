package chrome

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

const (
	startTime = 30 * time.Second // a machine that does much else may take long
	closeTime = 5 * time.Second
)

// instance is one browser, from its start to its end. Its life is bound to no
// page: it ends by kill, or by itself.
type instance struct {
	ctx     context.Context // of chromedp, its browser started; done when the browser is gone
	stop    func()          // waits for the end of the process
	pid     int
	group   processGroup
	profile *profile
	once    sync.Once
	gone    chan struct{} // closed when nothing is left of it
	shown   atomic.Int64  // pages
	late    atomic.Int32  // that ran out of time, in a row
	closed  atomic.Bool   // by Close
	retired bool          // gives out no more tabs; the pool's
	tabs    int           // that are open; the pool's
}

// start starts a browser. It takes 0.2 s, or what the machine takes.
func (f *Fetcher) start(ctx context.Context, spki string) (*instance, error) {
	prof, err := newProfile(os.TempDir())
	if err != nil {
		return nil, err
	}
	alloc, stopAlloc := chromedp.NewExecAllocator(context.Background(), f.options(f.state.path, prof.data(), spki)...)
	quiet := func(string, ...any) {}
	bctx, cancel := chromedp.NewContext(alloc, chromedp.WithLogf(quiet), chromedp.WithErrorf(quiet))
	b := &instance{ctx: bctx, stop: func() { cancel(); stopAlloc() }, profile: prof, gone: make(chan struct{})}
	up := make(chan error, 1)
	go func() {
		_, err := chromedp.CallBrowser(bctx, browser.GetVersion, cdp.Empty{})
		up <- err
	}()
	select {
	case err = <-up:
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-time.After(startTime):
		err = fmt.Errorf("no answer within %v", startTime)
	}
	if c := chromedp.FromContext(bctx); err == nil {
		b.pid = c.Browser.Process().Pid
		if b.group, err = groupOf(b.pid); err == nil {
			err = b.watch()
		}
	}
	if err != nil {
		stopAlloc()
		<-alloc.Done()
		b.kill()
		if !f.NoSandbox && noSandbox(err) {
			err = &StartError{f.state.path, fmt.Errorf("%w: %w", ErrSandbox, err)}
		}
		return nil, err
	}
	context.AfterFunc(bctx, b.kill) // it died
	return b, nil
}

// watch has windows that pages open closed. What they were to show is told by
// the page that opened them.
func (b *instance) watch() error {
	err := chromedp.ListenBrowser(b.ctx, func(ev any) {
		e, ok := ev.(*target.EventTargetCreated)
		if !ok || e.TargetInfo.OpenerID == "" || e.TargetInfo.Type != "page" {
			return
		}
		go cdp.Call(b.ctx, chromedp.FromContext(b.ctx).Browser, target.CloseTarget, target.CloseTargetParams{TargetID: e.TargetInfo.TargetID})
	})
	if err != nil {
		return err
	}
	_, err = chromedp.CallBrowser(b.ctx, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true})
	return err
}

// kill ends the browser with all that it started and removes its files. It may
// be called often, and returns when nothing is left, or after closeTime.
func (b *instance) kill() {
	b.once.Do(func() {
		go func() {
			defer close(b.gone)
			if b.pid != 0 {
				b.group.kill()
			}
			b.stop()
			b.profile.remove()
		}()
	})
	select {
	case <-b.gone:
	case <-time.After(closeTime):
	}
}

// dead reports whether the browser is gone.
func (b *instance) dead() bool { return b.ctx.Err() != nil }

// cause says what an error of the protocol comes from, when that is the end of
// the tab or of the browser.
func (b *instance) cause(err error) error {
	_, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, chromedp.ErrTargetDetached):
		return ErrCrash
	case b.closed.Load():
		return ErrClosed
	case exited, b.dead(), errors.Is(err, context.Canceled): // chromedp says so of a connection that is lost
		return fmt.Errorf("%w: %v", ErrGone, err)
	}
	return err
}
