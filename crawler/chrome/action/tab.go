package action

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed kit.js
var kit string

// maxAway is how many windows and files are told of.
const maxAway = 20

// tab is the tab that a chain runs in.
type tab struct {
	target *chromedp.Target
	base   context.Context                            // of the chain; sessions of other targets begin with it
	worlds map[cdp.FrameID]runtime.ExecutionContextID // of the kit, by frame
	inner  map[cdp.FrameID]*chromedp.Target           // frames in processes of their own
	ended  []func()
	origin headers
	watch
}

// watch is what the events of a tab tell.
type watch struct {
	mu        sync.Mutex
	main      cdp.FrameID
	flying    map[network.RequestID]bool
	changed   time.Time // when flying was last something else
	loading   bool      // the page is going elsewhere, or has not come yet
	went      int       // how often it has begun to
	status    int       // of the answer that the document came in
	header    http.Header
	answer    network.RequestID
	url       string                            // of the answer
	downloads []*browser.EventDownloadWillBegin // of all tabs of the browser
	away      []link                            // windows and files that the page has asked for: what was done, and the URL
	crash     context.CancelCauseFunc
	dialog    chan bool // whether to accept
}

// open makes ready the tab of ctx. The context returned ends when the page
// crashes or the tab is closed by close.
func open(ctx context.Context) (*tab, context.Context, error) {
	if chromedp.FromContext(ctx) == nil {
		return nil, nil, errors.New("the context is not one of chromedp")
	}
	tree, err := chromedp.Call(ctx, page.GetFrameTree, cdp.Empty{}) // opens the tab, if need be
	if ctx.Err() != nil {
		return nil, nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the tab does not answer: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	root := tree.FrameTree.Frame
	t := &tab{
		target: chromedp.FromContext(ctx).Target,
		worlds: map[cdp.FrameID]runtime.ExecutionContextID{},
		inner:  map[cdp.FrameID]*chromedp.Target{},
		watch: watch{main: root.ID, flying: map[network.RequestID]bool{}, crash: cancel, changed: time.Now(),
			dialog: make(chan bool, 1)},
		base: ctx,
	}
	t.ended = append(t.ended, func() { cancel(context.Canceled) })
	if err := chromedp.Listen(ctx, t.note); err != nil {
		t.close()
		return nil, nil, err
	}
	if err := chromedp.ListenBrowser(ctx, t.noteDownload); err != nil {
		t.close()
		return nil, nil, err
	}
	go t.dialogs(ctx)
	focus := emulation.SetFocusEmulationEnabledParams{Enabled: true} // tabs in the back get keys, too
	if _, err := cdp.Call(ctx, t.target, emulation.SetFocusEmulationEnabled, focus); err != nil {
		t.close()
		return nil, nil, err
	}
	return t, ctx, nil
}

func (t *tab) close() {
	for i := len(t.ended) - 1; i >= 0; i-- {
		t.ended[i]()
	}
}

// note takes down an event. It runs within the loop of the tab.
func (w *watch) note(ev any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch ev := ev.(type) {
	case *inspector.EventTargetCrashed:
		w.crash(ErrCrashed)
	case *page.EventJavascriptDialogOpening:
		// An alert wants to be seen, and who leaves may leave. All else is a question.
		select {
		case w.dialog <- ev.Type == page.DialogTypeAlert || ev.Type == page.DialogTypeBeforeunload:
		default:
		}
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(ev.Request.URL, "data:") {
			w.flying[ev.RequestID], w.changed = true, time.Now()
		}
	case *network.EventLoadingFinished:
		delete(w.flying, ev.RequestID)
		w.changed = time.Now()
	case *network.EventLoadingFailed:
		delete(w.flying, ev.RequestID)
		w.changed = time.Now()
		if ev.RequestID == w.answer && ev.Canceled && w.status != http.StatusNoContent && w.status != http.StatusResetContent {
			w.led("downloads", w.url) // an answer that no document comes of
		}
	case *network.EventResponseReceived:
		if ev.Type == network.ResourceTypeDocument && ev.FrameID == w.main {
			w.status, w.header = int(ev.Response.Status), headerOf(ev.Response.Headers)
			w.answer, w.url = ev.RequestID, ev.Response.URL
		}
	case *page.EventWindowOpen:
		w.led("opens a window at", ev.URL)
	case *page.EventFrameRequestedNavigation:
		switch ev.Disposition {
		case page.ClientNavigationDispositionNewTab, page.ClientNavigationDispositionNewWindow:
			w.led("opens a window at", ev.URL)
		case page.ClientNavigationDispositionDownload:
			w.led("downloads", ev.URL)
		default:
			w.noteLoading(ev)
		}
	default:
		w.noteLoading(ev)
	}
}

// led takes down what leads away from the page, of which several events may tell.
func (w *watch) led(how, url string) {
	if l := (link{url: url, text: how}); !slices.Contains(w.away, l) && len(w.away) < maxAway {
		w.away = append(w.away, l)
	}
}

// takeAway returns what has led away from the page since it was last called.
func (t *tab) takeAway(ctx context.Context) ([]link, error) {
	t.watch.mu.Lock()
	downloads := t.downloads
	t.downloads = nil
	t.watch.mu.Unlock()
	if len(downloads) > 0 {
		frames, err := t.allFrames(ctx)
		if err != nil {
			return nil, err
		}
		downloads = slices.DeleteFunc(downloads, func(ev *browser.EventDownloadWillBegin) bool {
			return !slices.ContainsFunc(frames, func(f frame) bool { return f.id == ev.FrameID })
		})
	}
	t.watch.mu.Lock()
	defer t.watch.mu.Unlock()
	for _, ev := range downloads {
		t.led("downloads", ev.URL)
	}
	away := t.away
	t.away = nil
	return away, nil
}

func (w *watch) noteLoading(ev any) {
	switch ev := ev.(type) {
	case *page.EventFrameRequestedNavigation:
		if ev.FrameID == w.main && ev.Disposition == page.ClientNavigationDispositionCurrentTab {
			w.loading, w.went = true, w.went+1
		}
	case *page.EventFrameStartedLoading:
		if ev.FrameID == w.main {
			w.loading, w.went = true, w.went+1
		}
	case *page.EventFrameStoppedLoading:
		if ev.FrameID == w.main {
			w.loading = false
		}
	case *page.EventFrameNavigated:
		if ev.Frame.ID == w.main {
			w.flying = map[network.RequestID]bool{}
		}
	}
}

// noteDownload takes down a download, of whichever tab of the browser.
func (w *watch) noteDownload(ev any) {
	if ev, ok := ev.(*browser.EventDownloadWillBegin); ok {
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.downloads) < maxAway {
			w.downloads = append(w.downloads, ev)
		}
	}
}

// dialogs answers dialogs, which stop the page until somebody does.
func (t *tab) dialogs(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case accept := <-t.dialog:
			_, _ = cdp.Call(ctx, t.target, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept}) // another may have been faster
		}
	}
}

// quiet is how long no request has been in flight.
func (w *watch) quiet() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.flying) > 0 {
		return 0
	}
	return time.Since(w.changed)
}

func (w *watch) navigations() (went int, loading bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.went, w.loading
}

// headerOf reads headers as the browser tells them: those of one name are lines.
func headerOf(all network.Headers) http.Header {
	h := http.Header{}
	for name, v := range all {
		for line := range strings.SplitSeq(fmt.Sprint(v), "\n") {
			h.Add(name, line)
		}
	}
	return h
}

func (w *watch) document() (status int, header http.Header) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status, w.header
}

func (w *watch) answered() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status
}

// pending is what is waited for; the last one is the reason of a timeout.
type pending struct{ why error }

func (p *pending) Error() string { return p.why.Error() }
func (p *pending) Unwrap() error { return p.why }

// until calls f until it is content, fails or the context ends. f returns
// a *pending for what is not so yet.
func until(ctx context.Context, f func() error) error {
	wait := 10 * time.Millisecond
	var last *pending
	for {
		err := f()
		not, ok := errors.AsType[*pending](err)
		switch {
		case !ok && err != nil && ctx.Err() != nil && last != nil:
			return last
		case !ok:
			return err
		}
		last = not
		if err := sleep(ctx, wait); err != nil {
			return not
		}
		wait = min(wait*3/2, 100*time.Millisecond)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
