package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/serve"
)

// stepTime is how long a step may take. It is for what never ends: on a busy
// machine Chrome is slow.
const stepTime = time.Minute

// browser opens a tab of a headless Chrome. Without one the test is skipped,
// unless CI says that there must be one.
func browser(t *testing.T) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium-headless-shell", "headless-shell", "headless_shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" && os.Getenv("CI") == "true" {
		t.Fatal("no Chrome found, and CI must have one: install chromium-headless-shell")
	}
	if path == "" {
		t.Skip("no Chrome found: install chromium-headless-shell to run this test")
	}
	opt := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1000, 900))
	if os.Geteuid() == 0 {
		opt = append(opt, chromedp.NoSandbox) // Chrome refuses its sandbox to root
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*stepTime)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, opt...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("Chrome does not start: %v", err)
	}
	return ctx
}

// tab is a page in the browser, for short lines in the tests.
type tab struct {
	t   *testing.T
	ctx context.Context
}

func (b tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepTime)
	defer cancel()
	err := chromedp.Do(ctx, steps...)
	for stale(err) {
		err = chromedp.Do(ctx, steps...)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func run1[T any](b tab, a chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepTime)
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	for stale(err) {
		v, err = chromedp.Run(ctx, a)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// stale reports whether a step met an element of the document before, as one right
// after a load may: it did nothing then.
func stale(err error) bool {
	return err != nil && strings.Contains(err.Error(), "Could not find node with given id")
}

// load waits for the page that a step leads to.
func (b tab) load(step chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepTime)
	defer cancel()
	resp, err := chromedp.RunResponse(ctx, step)
	if err != nil {
		b.t.Fatal(err)
	}
	if resp.Status != 200 {
		b.t.Errorf("%s: status %d", resp.URL, resp.Status)
	}
}

func (b tab) text(css string) string {
	b.t.Helper()
	return run1(b, chromedp.Text(chromedp.CSS(css)))
}

// shot takes a screenshot into the folder that SITESEARCH_SHOTS names, if any.
func (b tab) shot(name string) {
	b.t.Helper()
	if dir := os.Getenv("SITESEARCH_SHOTS"); dir != "" {
		png := run1(b, chromedp.CaptureScreenshot())
		if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

// slash presses that key as a keyboard does: what it would write is up to the
// page. chromedp.KeyEvent writes it in any case.
func slash(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
	for _, e := range []input.DispatchKeyEventParams{{Type: input.DispatchKeyEventTypeKeyDown, Text: "/"}, {Type: input.DispatchKeyEventTypeKeyUp}} {
		e.Key, e.Code, e.WindowsVirtualKeyCode = "/", "Slash", 191
		if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, e); err != nil {
			return chromedp.Void{}, err
		}
	}
	return chromedp.Void{}, nil
}

// focused says that the box has the focus, which autofocus gives it a frame after
// the load: keys pressed before go nowhere.
const focused = `document.activeElement.id === "q"`

func TestBrowser(t *testing.T) {
	t.Parallel()
	b := tab{t, browser(t)}
	j := crawlBundled(t)
	srv := httptest.NewServer(j.search())
	t.Cleanup(srv.Close)
	console := chromedp.Console(b.ctx)

	// The box has the focus, so typing and Enter are enough.
	b.load(chromedp.Navigate(srv.URL + "/"))
	b.shot("start")
	run1(b, chromedp.Poll[bool](focused))
	b.load(chromedp.KeyEvent("pole star" + kb.Enter))
	if got := b.text(".hits li:first-child h2"); got != "Polaris, the pole star" {
		t.Errorf("the first hit is %q", got)
	}
	b.shot("hits")

	// From the page "/" goes to the box, and selects what is in it.
	b.do(chromedp.Blur(chromedp.CSS("#q")), slash)
	b.load(chromedp.KeyEvent("andromdea galaxy" + kb.Enter))
	if got := run1(b, chromedp.Value(chromedp.CSS("#q"))); got != "andromdea galaxy" {
		t.Errorf("the box holds %q", got)
	}
	b.shot("misspelt")
	b.load(chromedp.Click(chromedp.CSS("#did-you-mean")))
	if got := b.text(".hits li:first-child h2"); !strings.Contains(got, "Andromeda galaxy") {
		t.Errorf("did you mean leads to %q", got)
	}

	// What is typed is completed: by the keyboard, as a combobox.
	b.load(chromedp.Navigate(srv.URL + "/"))
	run1(b, chromedp.Poll[bool](focused))
	b.do(chromedp.KeyEvent("pole st"))
	run1(b, chromedp.Poll[bool](`(items => items.length > 0 && items[0].dataset.text.startsWith("pole st"))([...document.querySelectorAll("#completions li")]) && document.getElementById("q").getAttribute("aria-expanded") === "true"`))
	b.do(chromedp.KeyEvent(kb.ArrowDown))
	run1(b, chromedp.Poll[bool](`document.querySelector("#completions [aria-selected=true]").id === document.getElementById("q").getAttribute("aria-activedescendant")`))
	b.shot("completions")
	b.load(chromedp.KeyEvent(kb.Enter))
	if got := run1(b, chromedp.Value(chromedp.CSS("#q"))); !strings.HasPrefix(got, "pole st") || len(got) < 9 {
		t.Errorf("the completed query is %q", got)
	}

	// Pages of results.
	b.load(chromedp.Navigate(srv.URL + "/?q=star"))
	first := b.text(".hits li:first-child h2")
	b.load(chromedp.Click(chromedp.CSS(".pages a[rel=next]")))
	if got := b.text(".hits li:first-child h2"); got == first {
		t.Errorf("the second page begins like the first: %q", got)
	}
	if got := b.text(".pages [aria-current]"); got != "2" {
		t.Errorf("the current page is %q, want 2", got)
	}
	b.shot("second")

	// Tab from the box leads to the button, and then to the first hit.
	b.do(chromedp.Focus(chromedp.CSS("#q")), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Tab))
	if got := run1(b, chromedp.Evaluate[string]("document.activeElement.className + getComputedStyle(document.activeElement).outlineStyle")); got != "hitsolid" {
		t.Errorf("after two tabs the focus and its ring are %q, want on the first hit", got)
	}

	b.load(chromedp.Navigate(srv.URL + "/?q=zzyzx"))
	b.shot("nothing")
	b.do(chromedp.Evaluate[chromedp.Void](`console.log("the end")`))
	for m, err := range console {
		if err != nil {
			t.Fatal(err)
		}
		if m.Text == "the end" {
			break
		}
		t.Errorf("console: %s", m)
	}
}

// The line at the foot follows the crawl until it ends.
func TestBrowserStatus(t *testing.T) {
	t.Parallel()
	b := tab{t, browser(t)}
	var fetched atomic.Int32
	fetched.Store(1)
	srv := httptest.NewServer(newSearch(indexOf(t), serve.Options{Status: func() serve.Status {
		n := int(fetched.Load())
		return status{Running: n < 3, Pages: n, Indexed: 1000 * n}.shown()
	}}))
	t.Cleanup(srv.Close)
	b.load(chromedp.Navigate(srv.URL))
	if got := b.text("#status"); got != "Crawling: 1 page so far, 0 waiting." {
		t.Errorf("at first it says %q", got)
	}
	fetched.Store(2)
	run1(b, chromedp.Poll[bool](`document.getElementById("status").textContent === "Crawling: 2 pages so far, 0 waiting."`))
	fetched.Store(3)
	run1(b, chromedp.Poll[bool](`document.getElementById("status").textContent === "Crawl finished: 3 pages."`))
	if got := b.text("label"); got != "Search 3,000 pages" {
		t.Errorf("the box is for %q", got)
	}
}

// Narrow and dark, nothing sticks out of the window.
func TestBrowserLayout(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("dozens of pages in Chrome")
	}
	b := tab{t, browser(t)}
	j := crawlBundled(t)
	pages := numbered(200)
	pages[0].Title = strings.Repeat("unbroken", 40)
	pages[0].URL += "?" + strings.Repeat("x", 400)
	pages[0].Text = "page " + strings.Repeat("y", 300)
	srv, wide := httptest.NewServer(j.search()), httptest.NewServer(newSearch(indexOf(t, pages...), serve.Options{}))
	t.Cleanup(srv.Close)
	t.Cleanup(wide.Close)
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{320, 360, 1000} {
			b.do(chromedp.EmulateViewport(width, 800))
			for name, u := range map[string]string{"start": srv.URL, "hits": srv.URL + "/?q=moon", "nothing": srv.URL + "/?q=zzyzx", "error": srv.URL + "/?q=x&page=0", "long": wide.URL + "/?q=000+OR+page"} {
				b.do(chromedp.Navigate(u))
				if got := run1(b, chromedp.Evaluate[int64]("document.documentElement.scrollWidth")); got > width {
					t.Errorf("%s, %s: %d pixels wide in a window of %d", name, scheme, got, width)
				}
				if width != 320 {
					b.shot(name + "-" + scheme + "-" + map[int64]string{360: "narrow", 1000: "wide"}[width])
				}
			}
		}
		dark := run1(b, chromedp.Evaluate[bool]("parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]) < 128"))
		if dark != (scheme == "dark") {
			t.Errorf("%s: dark is %v", scheme, dark)
		}
	}
}

// indexOf indexes pages in memory.
func indexOf(t *testing.T, pages ...*crawler.Page) *index.Index {
	t.Helper()
	ix, err := index.New(index.Options{Schema: schema()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, p := range pages {
		if err := w.Add(t.Context(), document(p)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ix
}

// numbered makes pages that all hold the word "page" and their own number.
func numbered(n int) (pages []*crawler.Page) {
	for i := range n {
		pages = append(pages, &crawler.Page{URL: fmt.Sprintf("http://a.test/docs/%03d.html", i), Title: fmt.Sprintf("Page %d", i), Text: fmt.Sprintf("This is page n%d.", i)})
	}
	return pages
}
