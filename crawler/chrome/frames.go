package chrome

import (
	"context"
	"errors"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/webquarry/quarry/crawler"
)

const (
	plainInARow = 3   // pages of a host that want no frames, before they are given none
	drawnInARow = 100 // pages of a host that are drawn, after one that did want some
)

// errFrames says that a page wants frames in a tab that has none.
var errFrames = errors.New("chrome: the page wants frames")

// sights remembers which hosts have pages that want frames.
type sights struct {
	mu    sync.Mutex
	plain map[string]int // by host, pages that wanted none since one did
}

// note takes down that a page of a host wanted frames, or none.
func (s *sights) note(host string, wanted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.plain == nil || len(s.plain) >= hostsMost {
		s.plain = make(map[string]int)
	}
	if s.plain[host]++; wanted {
		s.plain[host] = -drawnInARow
	}
}

// drawn reports whether pages of a host are to be drawn. Nobody looks at them, but
// what comes with a frame does not come without; and where none is wanted, drawing
// them is two fifths of what they cost.
func (s *sights) drawn(host string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.plain[host] < plainInARow
}

// create makes a page in the context of the tab. In a headless shell one that is
// not drawn has only the frames that we ask for, which are none; other browsers
// draw all.
func (t *tab) create() (target.ID, error) {
	b := chromedp.FromContext(t.browser.ctx).Browser
	page := target.CreateTargetParams{URL: "about:blank", BrowserContextID: t.context, NewWindow: new(true)}
	if !t.drawn {
		page.EnableBeginFrameControl = new(true)
	}
	made, err := cdp.Call(t.life, b, target.CreateTarget, page)
	if err != nil && !t.drawn && t.life.Err() == nil {
		page.EnableBeginFrameControl = nil
		made, err = cdp.Call(t.life, b, target.CreateTarget, page)
	}
	return made.TargetID, err
}

// redraw has the tab show its pages in another way from now on. Its context stays,
// with all that is stored there.
func (t *tab) redraw(drawn bool) error {
	old := t.view
	old.over.Store(true)
	t.view, t.at = &view{drawn: drawn}, ""
	err := t.attach()
	go old.detach()
	return err
}

// again shows a page drawn that wants to be, with its document as it came.
func (t *tab) again(ctx context.Context, l *load) (*crawler.Response, error) {
	t.pool.sights.note(t.host, true)
	if err := t.during(ctx, func() error { return t.redraw(true) }); err != nil {
		t.broken.Store(true)
		return nil, err
	}
	l.mu.Lock()
	came, before := l.came, l.total()
	l.mu.Unlock()
	next := t.begin(ctx, l.req, came)
	next.since = l.since
	next.update(func() { next.before = before })
	return t.visit(next, nil)
}
