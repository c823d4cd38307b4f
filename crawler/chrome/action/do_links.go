package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/runtime"

	"github.com/webquarry/quarry/crawler"
)

func (FindLinks) kind() string { return "find-links" }

func (a FindLinks) check() error {
	if a.Frame != "" {
		return errors.New("frame does not go with find-links")
	}
	if a.Selector == (Selector{}) {
		return nil
	}
	return a.Selector.check()
}

func (a FindLinks) patience() time.Duration { return cmp.Or(a.MaxTime, loopTime) }

// opened stands in for window.open, so that no window opens: js is put before
// the scripts of the page.
const (
	opened    = `(() => { if (window.__opened) return; const real = window.open, urls = []; window.open = u => { try { urls.push(new URL(u || 'about:blank', document.baseURI).href) } catch (e) {} return null }; Object.defineProperty(window, '__opened', {value: {urls, end() { window.open = real }}, configurable: true}) })()`
	openedBy  = `(() => { const o = window.__opened; return o ? o.urls.splice(0) : [] })()`
	openAgain = `(() => { if (window.__opened) { window.__opened.end(); delete window.__opened } })()`
)

func (a FindLinks) do(ctx context.Context, r *run) (outcome, error) {
	most, stop := cmp.Or(a.Max, 50), time.Now().Add(a.patience())
	home, err := r.where(ctx)
	if err != nil {
		return outcome{}, err
	}
	total, err := a.candidates(ctx, r)
	if err != nil {
		return outcome{}, err
	}
	defer func() {
		_ = r.inPage(ctx, r.mainFrame(), nil, openAgain)
		_ = r.call(ctx, r.mainFrame(), nil, "pressed", true)
	}()
	found, reloads := 0, 0
	note := func(why string) string {
		return fmt.Sprintf("%s in %s%s", plural(found, "link"), plural(total, "element"), why)
	}
	for n := 0; n < total; n++ {
		if n >= most {
			return outcome{Cap, note(fmt.Sprintf(": max is %d", most))}, nil
		}
		if time.Now().After(stop) {
			return outcome{Cap, note(": max-time is over")}, nil
		}
		at, links, err := a.try(ctx, r, n)
		if err != nil {
			return outcome{}, err
		}
		found += r.addLinks(home, links)
		if at != "" && at == home || reloads >= 10 {
			continue
		}
		// The page is another one by now, or the element has gone: begin anew.
		reloads++
		if _, err := r.navigate(ctx, home, "load", loadTime); err != nil {
			return outcome{}, err
		}
		if _, err := a.candidates(ctx, r); err != nil {
			return outcome{}, err
		}
		if at == "" {
			if _, links, err = a.try(ctx, r, n); err != nil {
				return outcome{}, err
			}
			found += r.addLinks(home, links)
		}
	}
	if total == 0 {
		return outcome{Gone, "nothing can be clicked that is no link"}, nil
	}
	return outcome{Done, note("")}, nil
}

// clickTime is how long a click may take to lead somewhere, beyond the requests that
// it makes.
const clickTime = 50 * time.Millisecond

// link is a URL that a click leads to.
type link struct{ url, text string }

// candidates counts what there is to click, and makes the page ready for it.
func (a FindLinks) candidates(ctx context.Context, r *run) (int, error) {
	if err := r.inPage(ctx, r.mainFrame(), nil, opened); err != nil {
		return 0, err
	}
	var q *query
	if a.Selector != (Selector{}) {
		q = r.maybe(&a.Selector)
	} else if err := r.handled(ctx); err != nil {
		return 0, err
	}
	var st state
	err := r.call(ctx, r.mainFrame(), &st, "clickable", q)
	return st.Count, err
}

// handled tells the kit which elements have handlers for clicks, which only the
// debugger knows.
func (r *run) handled(ctx context.Context) error {
	doc, err := cdp.Call(ctx, r.target, runtime.Evaluate, runtime.EvaluateParams{Expression: "document", ObjectGroup: "quarry"})
	if err != nil || doc.Result == nil {
		return err
	}
	defer func() {
		_, _ = cdp.Call(ctx, r.target, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: "quarry"})
	}()
	res, err := cdp.Call(ctx, r.target, domdebugger.GetEventListeners, domdebugger.GetEventListenersParams{
		ObjectID: doc.Result.ObjectID, Depth: new(int64(-1)), Pierce: new(true),
	})
	if err != nil {
		return err
	}
	world, err := r.world(ctx, r.mainFrame())
	if err != nil {
		return err
	}
	var nodes []cdp.BackendNodeID
	for _, l := range res.Listeners {
		if slices.Contains([]string{"click", "mousedown", "mouseup", "pointerdown", "pointerup"}, l.Type) && len(nodes) < 1000 {
			nodes = append(nodes, l.BackendNodeID)
		}
	}
	slices.Sort(nodes)
	for _, id := range slices.Compact(nodes) {
		obj, err := cdp.Call(ctx, r.target, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id, ExecutionContextID: world, ObjectGroup: "quarry"})
		if err != nil {
			continue // of another frame, or gone
		}
		if _, err := cdp.Call(ctx, r.target, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
			ObjectID: obj.Object.ObjectID, FunctionDeclaration: "function() { quarry.handled.push(this) }",
		}); err != nil && ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// try clicks the nth element. No URL for the page means that the element is not
// there.
func (a FindLinks) try(ctx context.Context, r *run, n int) (at string, links []link, err error) {
	var st state
	if err := r.call(ctx, r.mainFrame(), &st, "press", n); err != nil || st.Why != "" {
		return "", nil, err
	}
	for start := time.Now(); time.Since(start) < time.Second; { // some ask the server first
		if err := sleep(ctx, clickTime); err != nil {
			return "", nil, err
		}
		if r.quiet() > clickTime {
			break
		}
	}
	var now struct {
		URLs []string
		At   string
	}
	if err := r.call(ctx, r.mainFrame(), &now, "pressed", false); err != nil {
		return "", nil, err
	}
	var windows []string
	if err := r.inPage(ctx, r.mainFrame(), &windows, openedBy); err != nil {
		return "", nil, err
	}
	for _, u := range append(now.URLs, windows...) {
		links = append(links, link{u, st.Said})
	}
	return now.At, links, nil
}

// addLinks adds links that are not yet known.
func (r *run) addLinks(home string, links []link) (added int) {
	p := profileOf(r.Canon)
	for _, l := range links {
		u, err := p.URL(home, l.url)
		if err != nil || !web(u) || slices.ContainsFunc(r.result.Links, func(k crawler.Link) bool { return k.URL == u }) {
			continue
		}
		r.result.Links = append(r.result.Links, crawler.Link{URL: u, Text: l.text, Rel: "script"})
		added++
	}
	return added
}
