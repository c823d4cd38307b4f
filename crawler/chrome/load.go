package chrome

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// selfLoads is how often a page may lead to itself before it is a loop.
const selfLoads = 5

// load is one page from its first request to its last. All methods but await
// may be called on nil, and then say no.
type load struct {
	ctx    context.Context // ends with the page
	cancel context.CancelCauseFunc
	tab    *tab
	req    frontier.Request
	since  time.Time
	free   bool // actions are at work: pages may lead where they like
	busy   sync.WaitGroup

	mu      sync.Mutex
	changed chan struct{} // closed, and another made, at each change
	document
	traffic
}

// document is how far the page itself has come.
type document struct {
	given  *crawler.Response // was fetched before
	wanted string            // URL that Chrome asks for next; empty: it did not begin
	due    bool              // it is asked for, or is about to be
	came   *crawler.Response // the last; nil: none yet
	shown  bool              // Chrome has begun to show it
	sent   time.Time         // to the page
	lag    time.Duration     // from then until Chrome asked for it
	loads  int               // of itself
	moved  string            // where the page leads by itself
	err    error
}

// traffic is what the page loads.
type traffic struct {
	frames map[string]int // documents of frames that Chrome is about to ask for
	popups []string       // URLs of windows that it opened
	cost
	before   cost                         // of the same page, in a view that it was not read in
	open     int                          // requests that are not answered
	bytes    int64                        // decoded
	asked    map[network.RequestID]asking // and not there yet
	active   time.Time                    // when the last of them was asked for or came
	scripted time.Time                    // when the last script came, which may take a moment to run
}

// cost is what of the traffic is told of.
type cost struct {
	started int // requests
	refused int
	wire    int64
}

// total is the cost of the page, however often it was shown. The lock is held.
func (t *traffic) total() cost {
	return cost{t.before.started + t.started, t.before.refused + t.refused, t.before.wire + t.wire}
}

type asking struct {
	by cdp.LoaderID // document
	of network.ResourceType
}

// begin makes a load the one that requests of the tab belong to.
func (t *tab) begin(ctx context.Context, req frontier.Request, given *crawler.Response) *load {
	l := &load{tab: t, req: req, since: time.Now(), changed: make(chan struct{})}
	l.document.given = given
	l.frames, l.asked = make(map[string]int), make(map[network.RequestID]asking)
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	t.mu.Lock()
	t.load = l
	t.mu.Unlock()
	t.pages++
	return l
}

// end refuses all further requests, breaks off those under way and waits for
// them, so that nothing of the page goes on.
func (t *tab) end(l *load) {
	t.mu.Lock()
	t.load = nil
	t.mu.Unlock()
	l.update(func() { l.cancel(context.Canceled) })
	l.busy.Wait()
}

// update changes the state and wakes those who wait.
func (l *load) update(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	close(l.changed)
	l.changed = make(chan struct{})
}

// await waits until ok, which is called under the lock, or an error of the page,
// or the end of ctx.
func (l *load) await(ctx context.Context, ok func() bool) error {
	for {
		l.mu.Lock()
		err, fine, changed := l.err, ok(), l.changed
		l.mu.Unlock()
		if err != nil {
			return err
		}
		if fine {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// fail ends the page with an error.
func (l *load) fail(err error) {
	if l == nil {
		return
	}
	l.update(func() {
		l.err = cmp.Or(l.err, err)
		if l.free {
			l.cancel(err)
		}
	})
}

// committed notes that Chrome shows a document.
func (l *load) committed(url string, document cdp.LoaderID) {
	if l == nil {
		return
	}
	l.update(func() {
		maps.DeleteFunc(l.asked, func(_ network.RequestID, a asking) bool { return a.by != document })
		l.shown = l.came != nil
		if l.shown && !l.free && !isWeb(url) && !strings.HasPrefix(url, "chrome-error:") {
			l.err = cmp.Or[error](l.err, &crawler.FetchError{URL: l.req.URL, Kind: crawler.ErrRedirect, Err: errNoPage(url)})
		}
	})
}

// asks notes a request when the page makes it, before it comes to the proxy. What
// may go on as long as the page does is not waited for.
func (l *load) asks(id network.RequestID, by cdp.LoaderID, of network.ResourceType) {
	if l == nil {
		return
	}
	switch of {
	case network.ResourceTypeEventSource, network.ResourceTypeMedia, network.ResourceTypePing, network.ResourceTypePrefetch, network.ResourceTypeWebSocket:
		return
	}
	l.update(func() { l.asked[id], l.active = asking{by, of}, time.Now() })
}

// over notes that a request is.
func (l *load) over(id network.RequestID) {
	if l == nil {
		return
	}
	l.update(func() {
		a, ok := l.asked[id]
		if !ok {
			return
		}
		delete(l.asked, id)
		l.active = time.Now()
		if a.of == network.ResourceTypeScript {
			l.scripted = l.active
		}
	})
}

type errNoPage string

func (e errNoPage) Error() string { return "the page leads to " + string(e) }

func (l *load) popup(url string) {
	if l == nil || !isWeb(url) {
		return
	}
	l.update(func() {
		if l.shown && len(l.popups) < 100 { // before that, it is of the page that the tab showed last
			l.popups = append(l.popups, url)
		}
	})
}

func isWeb(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}

// mayRequest decides on a document that Chrome is about to ask for. One to be
// asked for anew is not to come from Chrome's cache: that is the document of the
// visit. Where actions lead, Chrome behaves as for a user.
func (l *load) mayRequest(e *fetch.EventRequestPaused, main bool) (ok, anew bool) {
	if l == nil {
		return false, false
	}
	url := e.Request.URL
	l.update(func() {
		switch {
		case !main:
			l.frames[url]++
			ok = true
		case l.free:
			l.wanted, ok = url, true
		case e.Request.Method != http.MethodGet:
		case l.wanted == "":
			ok = l.begins(url)
		case url == l.wanted && l.came == nil:
			ok = true
		case same(url, l.req.URL):
			if l.loads++; l.loads > selfLoads {
				l.err = cmp.Or[error](l.err, &crawler.FetchError{URL: l.req.URL, Kind: crawler.ErrRedirectLoop})
				return
			}
			l.wanted, l.given, l.shown, l.due, ok = url, nil, false, true, true
		default:
			l.moved = cmp.Or(l.moved, url)
		}
		anew = ok && main && !l.free
	})
	return ok, anew
}

// begins decides on the first document.
func (l *load) begins(url string) bool {
	if same(url, l.req.URL) {
		l.wanted, l.due = url, true
		return true
	}
	return false
}

// same reports whether two URLs are one to a crawl.
func same(a, b string) bool {
	var p urlnorm.Profile
	ca, err := p.URL("", a)
	if err != nil {
		return a == b
	}
	cb, err := p.URL("", b)
	return err == nil && ca == cb
}
