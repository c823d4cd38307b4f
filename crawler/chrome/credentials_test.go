package chrome_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/frontier"
)

// What a site knows of its visitor goes along with the requests that a browser
// would send SameSite=Strict cookies with, and with no others: not from another
// site, not in frames there, not where a script leaves credentials out.
func TestCredentialsOfRequests(t *testing.T) {
	t.Parallel()
	const forge = `fetch("http://intern.example/post", {method: "POST", mode: "no-cors", body: "to=evil", credentials: "include"})
		fetch("http://intern.example/omit", {mode: "no-cors", credentials: "omit"})
		fetch("http://intern.example/quiet", {mode: "no-cors", credentials: "include", referrerPolicy: "no-referrer"})
		fetch("http://intern.example/preflight", {headers: {"X-Any": "1"}, credentials: "include"}).catch(() => {})
		navigator.sendBeacon("http://intern.example/beacon", "x")`
	docs := map[string]string{
		"http://shop.example/": `<p>hello<img src=/image><link rel=stylesheet href=/style><script src=/script></script><script type=module src=/module></script>
			<iframe src=/frame></iframe><img src=http://img.shop.example/image><img src=http://img.shop.example/anonymous crossorigin=anonymous>
			<iframe src=http://evil.example/framed></iframe><iframe src="data:text/html,<script>fetch('http://shop.example/data', {mode: 'no-cors', credentials: 'include'})</script>"></iframe>
			<iframe sandbox="allow-scripts" srcdoc="<script>fetch('http://shop.example/sandboxed', {mode: 'no-cors', credentials: 'include'})</script>"></iframe>
			<script>document.body.append("cookies: " + document.cookie)
			fetch("/own"), fetch("/own-post", {method: "POST", body: "x"}), fetch("/own-omitted", {credentials: "omit"})
			fetch("/own-quiet", {referrerPolicy: "no-referrer"})
			const x = new XMLHttpRequest; x.open("GET", "/xhr"); x.send()
			fetch("http://api.shop.example/default").catch(() => {}), fetch("http://api.shop.example/include", {credentials: "include"}).catch(() => {})
			fetch("http://api.shop.example/asked", {credentials: "include", headers: {"X-Any": "1"}}).catch(() => {})
			fetch("https://shop.example/secure", {mode: "no-cors", credentials: "include"}).catch(() => {})</script>`,
		"http://shop.example/frame": `<script>fetch("/in-frame")</script>`,
		"http://evil.example/framed": `<script>fetch("http://shop.example/forged", {method: "POST", mode: "no-cors", credentials: "include", referrerPolicy: "no-referrer"})</script>
			<iframe src=http://shop.example/inner></iframe>`,
		"http://shop.example/inner": `<script>fetch("/in-evil-frame")</script>`,
		"http://evil.example/": `<p>evil<img src=http://intern.example/image><script src=http://intern.example/script></script><iframe src=http://intern.example/frame></iframe>
			<iframe name=f></iframe><form target=f method=post action=http://intern.example/form><input name=a></form><script>document.forms[0].submit()
			` + forge + `</script>`,
		"http://intern.example/frame": `<script>fetch("/in-evil-frame")</script>`,
	}
	var mu sync.Mutex
	known := map[string]bool{}
	via := crawler.FetcherFunc(func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		ask := crawler.Asked(ctx)
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(strings.Join(ask.Header["Cookie"], ""), "quarry") {
			t.Errorf("%s is asked for with %q", req.URL, ask.Header["Cookie"])
		}
		known[strings.TrimLeft(strings.TrimPrefix(ask.Method+" ", "GET "), " ")+req.URL] = !ask.Anonymous
		resp := &crawler.Response{Request: req, URL: req.URL, Status: 200, Header: http.Header{"Content-Type": {"text/plain"}, "Access-Control-Allow-Origin": {"*"}}}
		if doc, ok := docs[req.URL]; ok {
			resp.Header.Set("Content-Type", "text/html")
			resp.Body = []byte(doc)
		}
		return resp, nil
	})
	f := own(t, &chrome.Fetcher{UserAgent: agent, Via: via, Load: chrome.Load{Images: true, Trackers: true}})
	wantBody(t, fetch(t, f, "http://shop.example/"), "cookies: <")
	fetch(t, f, "http://evil.example/")
	f.Close()
	for url, want := range map[string]bool{
		"http://shop.example/": true, "http://shop.example/image": true, "http://shop.example/style": true, "http://shop.example/script": true, "http://shop.example/module": true,
		"http://shop.example/frame": true, "http://shop.example/in-frame": true, "http://img.shop.example/image": true, "http://img.shop.example/anonymous": false,
		"http://evil.example/framed": false, "http://shop.example/data": false, "http://shop.example/sandboxed": false,
		"http://shop.example/own": true, "POST http://shop.example/own-post": true, "http://shop.example/own-omitted": false, "http://shop.example/own-quiet": true, "http://shop.example/xhr": true,
		"http://api.shop.example/default": false, "http://api.shop.example/include": true, "OPTIONS http://api.shop.example/asked": false, "https://shop.example/secure": false,
		"POST http://shop.example/forged": false, "http://shop.example/inner": false, "http://shop.example/in-evil-frame": false,
		"http://evil.example/": true, "http://intern.example/image": false, "http://intern.example/script": false, "http://intern.example/frame": false, "POST http://intern.example/form": false,
		"POST http://intern.example/post": false, "http://intern.example/omit": false, "http://intern.example/quiet": false, "OPTIONS http://intern.example/preflight": false,
		"POST http://intern.example/beacon": false, "http://intern.example/in-evil-frame": false,
	} {
		if got, asked := known[url]; !asked || got != want {
			t.Errorf("%s: asked for %v, as a visitor it knows %v, want %v", url, asked, got, want)
		}
	}
	for url := range known {
		if strings.Contains(url, "intern.example") && known[url] {
			t.Errorf("%s is asked for as a visitor it knows", url)
		}
	}
}

// What a crawl asks a document with is not for documents of frames.
func TestAskIsNotForFrames(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	got := map[string]string{}
	via := crawler.FetcherFunc(func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		got[req.URL] = crawler.Asked(ctx).Header.Get("X-Key")
		return &crawler.Response{Request: req, URL: req.URL, Status: 200, Header: http.Header{"Content-Type": {"text/html"}},
			Body: []byte("<p>x" + map[bool]string{true: "<iframe src=http://other.example/></iframe><iframe src=/own></iframe>"}[req.URL == "http://shop.example/"])}, nil
	})
	f := own(t, &chrome.Fetcher{UserAgent: agent, Via: via})
	ctx := crawler.Ask{Header: http.Header{"X-Key": {"secret"}}}.Within(t.Context())
	if _, err := f.Fetch(ctx, frontier.Request{URL: "http://shop.example/"}); err != nil {
		t.Fatal(err)
	}
	if got["http://shop.example/"] != "secret" || got["http://other.example/"] != "" || got["http://shop.example/own"] != "" || len(got) != 3 {
		t.Errorf("%q", got)
	}
}
