package main

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/webquarry/quarry/crawler/chrome"
)

// stepTime is how long a step may take. It is for what never ends: on a busy
// machine Chrome is slow.
const stepTime = time.Minute

// tab is a page in a browser, for short lines in the tests.
type tab struct {
	t   *testing.T
	ctx context.Context
}

func openTab(t *testing.T) tab {
	t.Helper()
	haveChrome(t)
	path, err := chrome.Find()
	if err != nil {
		t.Fatal(err)
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
	return tab{t, ctx}
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

// await waits until an expression is true of the page, which may load itself anew
// meanwhile.
func (b tab) await(js string) {
	b.t.Helper()
	for end := time.Now().Add(stepTime); ; {
		if ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](js)); err == nil && ok {
			return
		} else if time.Now().After(end) {
			b.t.Fatalf("never true: %s (%v)", js, err)
		}
		// An error is that of a page that was left meanwhile.
		chromedp.Run(b.ctx, chromedp.Evaluate[bool]("new Promise((done) => setTimeout(() => done(true), 50))", chromedp.EvalAwaitPromise))
	}
}

func (b tab) text(css string) string {
	b.t.Helper()
	return run1(b, chromedp.Text(chromedp.CSS(css)))
}

// shot takes a screenshot into the folder that PRICEWATCH_SHOTS names, if any.
func (b tab) shot(name string) {
	b.t.Helper()
	if dir := os.Getenv("PRICEWATCH_SHOTS"); dir != "" {
		png := run1(b, chromedp.CaptureScreenshot())
		if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
			b.t.Fatal(err)
		}
	}
}

// pages serves the pages of a job.
func pages(t *testing.T, j *job) *httptest.Server {
	t.Helper()
	page := &web{engine: j.engine, shops: j.list, status: j.status, askShops: j.askAgain, log: slog.New(slog.DiscardHandler)}
	srv := httptest.NewServer(page.handler())
	t.Cleanup(srv.Close)
	return srv
}

// prices are the sums that are shown, in cents.
const prices = `[...document.querySelectorAll(".cost b")].map((b) => Math.round(100 * parseFloat(b.textContent.replace(/[^\d.]/g, ""))))`

// A user searches, wants the cheapest first, looks at a product, has the shops
// asked again, and sees how the price went.
func TestBrowser(t *testing.T) {
	t.Parallel()
	b := openTab(t)
	ctx, stop := context.WithCancel(t.Context())
	j, err := jobOf(ctx, "-chrome", "none", "-dir", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); j.bundled.Wait() })
	if err := j.round(ctx); err != nil {
		t.Fatal(err)
	}
	srv := pages(t, j)
	console := chromedp.Console(b.ctx)

	// The box has the focus, so typing and Enter are enough.
	b.load(chromedp.Navigate(srv.URL + "/"))
	b.await(`document.activeElement.id === "q"`)
	b.load(chromedp.KeyEvent("kaffee* OR espressomaschine OR handmühle" + kb.Enter))
	sums := run1(b, chromedp.Evaluate[[]int](prices))
	if len(sums) < 4 {
		t.Fatalf("prices %v", sums)
	}

	// Cheapest first, by keyboard, and the focus stays where it was.
	b.do(chromedp.Focus(chromedp.CSS("#sort")))
	b.load(chromedp.KeyEvent("c"))
	ordered := run1(b, chromedp.Evaluate[[]int](prices))
	if !isAscending(ordered) || len(ordered) != len(sums) {
		t.Errorf("cheapest first: %v", ordered)
	}
	b.await(`document.activeElement.id === "sort"`)

	// From the page "/" goes to the box, and selects what is in it.
	b.load(chromedp.Navigate(srv.URL + "/?q=stoppuhr+kaffewage"))
	if got := b.text("#did-you-mean"); got != "stoppuhr kaffeewaage" {
		t.Errorf("did you mean %q", got)
	}
	b.load(chromedp.Click(chromedp.CSS("#did-you-mean")))
	b.load(chromedp.Click(chromedp.CSS(".hits h2 a")))
	if got := b.text("h1"); got != "Tarn S3" {
		t.Errorf("the product is %q", got)
	}
	if got := run1(b, chromedp.Evaluate[int]("document.querySelectorAll('.chart').length")); got != 0 {
		t.Error("a chart after one round")
	}

	// The shops are asked again: the page follows, and then has a chart.
	before := b.text(".best b")
	go func() {
		select {
		case <-j.recheck:
			if err := j.round(ctx); err != nil {
				t.Error(err)
			}
		case <-ctx.Done():
		}
	}()
	b.do(chromedp.Click(chromedp.CSS("#recheck")))
	b.await(`document.querySelectorAll(".chart .line").length === 1 && !document.querySelector("[data-running]")`)
	after := b.text(".best b")
	if before == after {
		t.Errorf("the price is still %s", before)
	}
	if d := run1(b, chromedp.Evaluate[string](`document.querySelector(".chart .line").getAttribute("d")`)); !strings.HasPrefix(d, "M76 ") || strings.Count(d, "V") != 1 {
		t.Errorf("the line is %q, want one step", d)
	}
	b.do(chromedp.Click(chromedp.CSS("summary")))
	if rows := run1(b, chromedp.Evaluate[[]string](`[...document.querySelectorAll("details tbody tr td:nth-child(3)")].map((td) => td.textContent)`)); len(rows) != 2 || rows[0] != after || rows[1] != before {
		t.Errorf("changes %q, want %q and %q", rows, after, before)
	}

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

func isAscending(list []int) bool {
	for i := range list[1:] {
		if list[i] > list[i+1] {
			return false
		}
	}
	return true
}

// With four shops: filters, a product that all sell, and nothing sticks out of
// the window, be it narrow or dark.
func TestBrowserLayout(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("thirty pages in Chrome")
	}
	j := watchedJob(t)
	b := openTab(t)
	srv := pages(t, j)

	b.load(chromedp.Navigate(srv.URL + "/?q=k400"))
	b.load(chromedp.Click(chromedp.CSS(".hits h2 a")))
	if got := run1(b, chromedp.Evaluate[int]("document.querySelectorAll('.chart .line').length")); got != 4 {
		t.Errorf("%d lines in the chart, want one a shop", got)
	}
	product := run1(b, chromedp.Location())
	b.load(chromedp.Navigate(srv.URL + "/?sort=cheapest"))
	all := run1(b, chromedp.Evaluate[[]int](prices))
	b.load(chromedp.Click(chromedp.CSS(`.chip input[value="Fell & Fern"]`)))
	if got := run1(b, chromedp.Evaluate[[]int](prices)); len(got) == 0 || slices.Equal(got, all) || !isAscending(got) {
		t.Errorf("of one shop: %v", got)
	}
	b.do(chromedp.SetValue(chromedp.CSS("#max"), "100"))
	b.do(chromedp.Focus(chromedp.CSS("#max")))
	b.load(chromedp.KeyEvent(kb.Enter))
	if got := run1(b, chromedp.Evaluate[[]int](prices)); len(got) == 0 || got[len(got)-1] > 10_000 {
		t.Errorf("up to 100: %v", got)
	}
	if got := run1(b, chromedp.Location()); strings.Contains(got, "min=") || !strings.Contains(got, "max=100") || !strings.Contains(got, "sort=cheapest") {
		t.Errorf("the address is %s: what is empty has no place in it", got)
	}

	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, width := range []int64{320, 360, 1000} {
			b.do(chromedp.EmulateViewport(width, 900))
			for name, u := range map[string]string{"start": srv.URL, "hits": srv.URL + "/?q=coffee&sort=cheapest", "nothing": srv.URL + "/?q=zzyzx&max=5", "error": srv.URL + "/?min=x", "product": product} {
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
