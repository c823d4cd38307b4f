package action

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// headless is one browser for all tests. Its context is nil when there is none.
var headless = sync.OnceValues(func() (context.Context, context.CancelFunc) {
	name := ""
	for _, n := range []string{"chromium-headless-shell", "chrome-headless-shell", "headless_shell", "headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(n); err == nil {
			name = p
			break
		}
	}
	if name == "" {
		return nil, func() {}
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(name), chromedp.Flag("site-per-process", true))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, end := chromedp.NewContext(alloc)
	if err := chromedp.Do(ctx); err != nil {
		panic(err)
	}
	return ctx, func() { end(); stop() }
})

func TestMain(m *testing.M) {
	code := m.Run()
	_, stop := headless()
	stop()
	os.Exit(code)
}

// tabOf opens a tab in a context of its own, for the test.
func tabOf(t testing.TB) context.Context {
	t.Helper()
	parent, _ := headless()
	if parent == nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("no Chrome is found; install chromium-headless-shell")
		}
		t.Skip("no Chrome is found; install chromium-headless-shell")
	}
	ctx, stop := chromedp.NewContext(parent, chromedp.WithNewBrowserContext())
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithTimeout(ctx, time.Minute)
	t.Cleanup(end)
	return ctx
}

// serve serves pages, given as path, body, path, body.
func serve(t testing.TB, pages ...string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(pages); i += 2 {
			if r.URL.Path == pages[i] {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				_, _ = w.Write([]byte("<!DOCTYPE html><title>" + r.URL.Path + "</title>" + pages[i+1]))
				return
			}
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// play runs a chain in YAML.
func play(t testing.TB, r *Runner, text string) (*Result, error) {
	t.Helper()
	c, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	res, err := r.Run(tabOf(t), c)
	if res != nil {
		for _, rep := range res.Reports {
			t.Logf("%-10s %-12s %-9s %6dms  %s %v", rep.Step, rep.Action, rep.End, rep.Took.Milliseconds(), rep.Note, rep.Err)
		}
	}
	return res, err
}

// crash kills the renderer of a tab.
func crash(tab context.Context) {
	_, _ = chromedp.Call(tab, page.Crash, cdp.Empty{}) // there will be no answer
}
