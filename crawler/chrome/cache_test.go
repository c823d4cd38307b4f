package chrome_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/frontier"
)

// cacheHeaders are what a server may say of how long a document is good.
var cacheHeaders = map[string]http.Header{
	"none":          {},
	"no-store":      {"Cache-Control": {"no-store"}},
	"no-cache":      {"Cache-Control": {"no-cache"}},
	"max-age":       {"Cache-Control": {"public, max-age=3600"}},
	"s-maxage":      {"Cache-Control": {"s-maxage=3600, max-age=60"}},
	"immutable":     {"Cache-Control": {"public, max-age=31536000, immutable"}},
	"stale":         {"Cache-Control": {"max-age=0, stale-while-revalidate=3600, stale-if-error=3600"}},
	"expires":       {"Expires": {"Mon, 01 Jan 2063 00:00:00 GMT"}},
	"last-modified": {"Last-Modified": {"Mon, 02 Jan 2006 15:04:05 GMT"}},
	"etag":          {"Etag": {`"one"`}},
	"etag max-age":  {"Etag": {`W/"one"`}, "Cache-Control": {"max-age=3600"}},
	"vary":          {"Vary": {"Accept-Encoding, Cookie, User-Agent"}, "Cache-Control": {"max-age=3600"}},
	"vary all":      {"Vary": {"*"}, "Cache-Control": {"max-age=3600"}},
	"old":           {"Date": {"Mon, 02 Jan 2006 15:04:05 GMT"}, "Last-Modified": {"Mon, 03 Jan 2000 15:04:05 GMT"}, "Age": {"100"}},
}

// versions serves a document that says how often it was asked for, and calls
// itself good for as long as the header has it.
func versions(header http.Header, body string) (page func(http.ResponseWriter, *http.Request), asked *atomic.Int32) {
	asked = new(atomic.Int32)
	return func(w http.ResponseWriter, r *http.Request) {
		for k, v := range header {
			w.Header()[k] = v
		}
		w.Header().Set("Content-Type", "text/html")
		if r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		fmt.Fprintf(w, "<p>version %d</p>%s", asked.Add(1), body)
	}, asked
}

// A document is shown as it is now, whatever the browser has kept of it, and
// however it came to keep that: a visit, a script that read it, a frame, a worker.
func TestDocumentsAreAskedFor(t *testing.T) {
	t.Parallel()
	f := own(t, &chrome.Fetcher{Tabs: len(cacheHeaders), Timeout: 20 * time.Second})
	for name, header := range cacheHeaders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page, asked := versions(header, "")
			reload, reloaded := versions(header, "<script>if (!sessionStorage.again) { sessionStorage.again = 1; location.reload() }</script>")
			s := serve(t, pages{
				"/page":   page,
				"/reads":  `<p id=p>reading</p><script>fetch("/page").then(r => r.text()).then(x => { p.textContent = "read " + x })</script>`,
				"/frames": `<p>framed</p><iframe src=/page></iframe>`,
				"/forced": `<p id=p>reading</p><script>fetch("/page", {cache: "force-cache"}).then(r => r.text()).then(x => { p.textContent = "read " + x })</script>`,
				"/reload": reload,
			})
			for _, before := range []string{"", "", "", "/reads", "/frames", "/forced"} {
				if before != "" {
					fetch(t, f, s.URL+before)
				}
				was := asked.Load()
				wantBody(t, fetch(t, f, s.URL+"/page"), fmt.Sprintf("<p>version %d</p>", was+1))
			}
			wantBody(t, fetch(t, f, s.URL+"/reload"), "<p>version 2</p>")
			if got := reloaded.Load(); got != 2 {
				t.Errorf("a page that loads itself again was asked for %d times", got)
			}
			// A document that is here already is the one that is shown.
			for i := range 3 {
				resp, err := local().Fetch(t.Context(), frontier.Request{URL: s.URL + "/page"})
				if err != nil {
					t.Fatal(err)
				}
				resp.Body = fmt.Appendf(nil, "<p>given %d</p>", i)
				was := asked.Load()
				shown, err := f.Render(t.Context(), resp)
				if err != nil {
					t.Fatal(err)
				}
				wantBody(t, shown, fmt.Sprintf("<p>given %d</p>", i))
				if asked.Load() != was {
					t.Error("a document that was given is asked for")
				}
			}
		})
	}
}

// What a page loads may come from what the browser has kept: only documents do not.
func TestCacheOfResources(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{
		"/": `<p id=p></p><script src=/kept.js></script>`,
		"/kept.js": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=3600")
			as("text/javascript", `p.textContent = "script ran"`)(w, r)
		},
	})
	f := own(t, &chrome.Fetcher{Tabs: 1})
	for range 3 {
		wantBody(t, fetch(t, f, s.URL+"/"), "script ran")
	}
	if got := s.asked("/kept.js"); got != 1 {
		t.Errorf("the script was asked for %d times", got)
	}
}

// What a server is asked with is what a browser says that opens the page for the
// first time: it does not show that we have it ask anew.
func TestDocumentsAreAskedForPlainly(t *testing.T) {
	t.Parallel()
	var asked []http.Header
	f := own(t, &chrome.Fetcher{UserAgent: agent, Tabs: 1, Via: crawler.FetcherFunc(func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		asked = append(asked, crawler.Asked(ctx).Header.Clone())
		return &crawler.Response{Request: req, URL: req.URL, Status: 200, Header: http.Header{"Content-Type": {"text/html"}, "Cache-Control": {"max-age=60"}},
			Body: []byte("<p>hello<script>if (!sessionStorage.again) { sessionStorage.again = 1; location.reload() }</script>")}, nil
	})})
	for range 2 {
		fetch(t, f, "http://plain.example/")
	}
	if len(asked) != 3 {
		t.Errorf("asked %d times", len(asked))
	}
	for _, h := range asked {
		if got := strings.Join(append(h["Cache-Control"], h["Pragma"]...), ", "); got != "" {
			t.Errorf("asked with %q", got)
		}
	}
}

// No script of a worker stands between the browser and the network, whichever
// window of a page asks for one.
func TestNoServiceWorkers(t *testing.T) {
	t.Parallel()
	const register = `.navigator.serviceWorker.register("/worker.js").then(() => "registered", e => e.name)`
	s := serve(t, pages{
		"/": `<p id=p></p><iframe id=f></iframe><iframe id=g src=/inner></iframe><script>(async () => {
			const all = await Promise.all([window` + register + `, f.contentWindow` + register + `,
				new Promise(done => { onmessage = e => done(e.data) })])
			p.textContent = "workers: " + all.join()
		})()</script>`,
		"/inner":     `<script>window` + register + `.then(x => parent.postMessage(x, "*"))</script>`,
		"/worker.js": as("text/javascript", `self.oninstall = () => skipWaiting(); self.onactivate = e => e.waitUntil(clients.claim()); self.onfetch = e => e.respondWith(new Response("from a worker"))`),
		"/page":      "<p>from the server</p>",
	})
	f := own(t, &chrome.Fetcher{Tabs: 1, Timeout: 20 * time.Second})
	resp := fetch(t, f, s.URL+"/")
	if strings.Contains(string(resp.Body), "rs: registered") || strings.Contains(string(resp.Body), ",registered") {
		t.Errorf("%s", resp.Body)
	}
	wantBody(t, fetch(t, f, s.URL+"/page"), "from the server")
	if got := s.asked("/worker.js"); got != 0 {
		t.Errorf("the worker was asked for %d times", got)
	}
}
