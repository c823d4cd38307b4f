package chrome_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/frontier"
)

// TestThroughput shows as many pages as QUARRY_CHROME_PAGES says in four tabs,
// and then by chromedp with a new tab for each page, four at a time.
func TestThroughput(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("QUARRY_CHROME_PAGES"))
	if n == 0 {
		t.Skip("QUARRY_CHROME_PAGES is not set")
	}
	s := serve(t, pages{"/app.js": script, "/data": func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"title": "item %s", "text": "%s"}`, r.FormValue("n"), strings.Repeat("words of the item ", 100))
	}, "/page": func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>app</title><div id=root></div><script src=/app.js></script><!-- %s -->`, strings.Repeat("x", 6000))
	}})
	f := own(t, &chrome.Fetcher{})
	each := func(name string, show func(url string) (string, error)) {
		var next, good atomic.Int64
		var workers sync.WaitGroup
		start := time.Now()
		before, _ := usage()
		for range 4 {
			workers.Go(func() {
				for i := next.Add(1); i <= int64(n); i = next.Add(1) {
					body, err := show(fmt.Sprintf("%s/page?n=%d", s.URL, i))
					if err != nil || !strings.Contains(body, fmt.Sprintf("<h1>item %d</h1>", i)) || strings.Count(body, "<li>") != 100 {
						t.Errorf("%s: page %d: %v, %.300s", name, i, err, body)
						continue
					}
					if k := good.Add(1); name == "Fetcher" && k%int64(max(n/5, 1)) == 0 {
						t.Logf("%s: after %d pages %d MB", name, k, chrome.Memory(f)>>20)
					}
				}
			})
		}
		workers.Wait()
		took := time.Since(start)
		after, rss := usage()
		t.Logf("%s: %d pages in %v, %.1f pages/s, %v of processors a page, %d MB in the end", name, good.Load(), took.Round(time.Millisecond),
			float64(good.Load())/took.Seconds(), ((after - before) / time.Duration(n)).Round(100*time.Microsecond), rss>>20)
	}
	each("Fetcher", func(url string) (string, error) {
		resp, err := f.Fetch(t.Context(), frontier.Request{URL: url})
		if err != nil {
			return "", err
		}
		return string(resp.Body), nil
	})
	if os.Getenv("QUARRY_CHROME_ALONE") != "" {
		return
	}
	f.Close()
	each("chromedp", plainLoop(t))
}

const script = `fetch("/data" + location.search).then(r => r.json()).then(d => {
	const root = document.getElementById("root")
	root.innerHTML = "<h1>" + d.title + "</h1><p>" + d.text + "</p><ul></ul>"
	for (let i = 0; i < 100; i++) root.querySelector("ul").insertAdjacentHTML("beforeend", "<li><a href='/page?n=" + i + "'>link " + i + "</a></li>")
})`

// plainLoop opens a tab for each page, waits for its element and reads it.
func plainLoop(t *testing.T) func(url string) (string, error) {
	path, err := chrome.Find()
	if err != nil {
		t.Fatal(err)
	}
	opt := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox)
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), opt...)
	t.Cleanup(cancel)
	root, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	if err := chromedp.Do(root); err != nil {
		t.Fatal(err)
	}
	return func(url string) (string, error) {
		tab, cancel := chromedp.NewContext(root)
		defer cancel()
		if err := chromedp.Do(tab, chromedp.Navigate(url), chromedp.WaitVisible(chromedp.CSS("li:last-child"))); err != nil {
			return "", err
		}
		ctx, stop := context.WithTimeout(tab, time.Minute)
		defer stop()
		return chromedp.Run(ctx, chromedp.Evaluate[string]("document.documentElement.outerHTML"))
	}
}
