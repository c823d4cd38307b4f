package chrome_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/frontier"
)

// named has names lead to the test server, and to what is not to be reached.
func named(names map[string]string) *crawler.HTTP {
	h := local()
	h.Network.Resolve = func(_ context.Context, host string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr(names[host])}, nil
	}
	return h
}

// What a page may not load never leaves the process.
func TestLoad(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{
		"/robots.txt": as("text/plain", "User-agent: *\nDisallow: /private/"),
		"/": `<p id=p></p><img src=/i.png onload="p.append(' pixel')" onerror="p.append(' no image')"><style>@font-face { font-family: f; src: url(/f.woff2) } p { font-family: f }</style>
			<video src=/v.mp4 autoplay muted></video><iframe src=/private/frame></iframe><script>
			const port = location.port
			const get = (what, url) => fetch(url).then(r => p.append(" " + what + r.status), () => p.append(" " + what + " fails"))
			get("own", "/data"), get("private", "/private/data"), get("tracker", "http://www.google-analytics.com:" + port + "/t"),
			get("blocked", "http://a.b.blocked.test:" + port + "/t"), get("asked", "/asked")
			new WebSocket("ws://" + location.host + "/socket").onerror = () => p.append(" no socket")
			navigator.sendBeacon("/beacon", "x")
			</script>`,
		"/data": as("text/plain", "x"), "/asked": as("text/plain", "x"),
	})
	f := own(t, &chrome.Fetcher{
		Via: named(map[string]string{"www.google-analytics.com": "127.0.0.1", "a.b.blocked.test": "127.0.0.1"}),
		Load: chrome.Load{Robots: true, Block: []string{"Blocked.test"}, Allow: func(_ context.Context, method, url string, page frontier.Request) error {
			if strings.HasSuffix(url, "/asked") && method == http.MethodGet && page.URL == s1(url) {
				return errors.New("no")
			}
			return nil
		}},
	})
	resp := fetch(t, f, s.URL+"/")
	wantBody(t, resp, " pixel", "own200", "private403", "tracker fails", "blocked fails", "asked403", "no socket")
	for path, want := range map[string]int{"/": 1, "/data": 1, "/robots.txt": 1, "/private/data": 0, "/private/frame": 0, "/i.png": 0, "/f.woff2": 0, "/v.mp4": 0,
		"/t": 0, "/asked": 0, "/socket": 0, "/beacon": 0} {
		if got := s.asked(path); got != want {
			t.Errorf("%s was asked for %d times, want %d", path, got, want)
		}
	}
}

// s1 is the root of the host of a URL.
func s1(url string) string { return url[:strings.LastIndexByte(url, '/')+1] }

// Addresses that are not public are refused on every way that a page knows.
func TestGuard(t *testing.T) {
	t.Parallel()
	inner := serve(t, pages{"/": as("text/html", "<p>secret</p>")})
	// The page itself comes from an archive, as it were; all else by the guard.
	guarded := named(map[string]string{"inside.test": "127.0.0.1", "localhost": "127.0.0.1"})
	guarded.AllowPrivate = false
	port := inner.URL[strings.LastIndexByte(inner.URL, ':')+1:]
	page := fmt.Sprintf(`<p id=p></p><iframe src="%[1]s/"></iframe><script src="%[1]s/x.js" onerror="p.append(' no script')"></script>
		<img src="%[1]s/i.png" onload="p.append(' pixel')" onerror="p.append(' no image')"><script>
		const urls = ["%[1]s/", "http://localhost:%[2]s/", "http://[::ffff:127.0.0.1]:%[2]s/", "http://2130706433:%[2]s/", "http://169.254.169.254/latest/meta-data/",
			"http://inside.test:%[2]s/", "http://public.test/away"]
		urls.forEach((u, i) => fetch(u, {mode: "no-cors"}).then(r => r.text()).then(x => "<" + x + ">", () => "").then(x => p.append(" tried" + i + x)))
		new WebSocket("ws://127.0.0.1:%[2]s/socket")
		new Worker(URL.createObjectURL(new Blob(["fetch('%[1]s/worker')"])))
		</script>`, inner.URL, port)
	var refused atomic.Int64
	via := crawler.FetcherFunc(func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		header := http.Header{"Content-Type": {"text/html"}}
		switch req.URL {
		case "http://public.test/":
			return &crawler.Response{Request: req, URL: req.URL, Status: 200, Header: header, Body: []byte(page)}, nil
		case "http://public.test/away":
			header.Set("Location", inner.URL)
			return &crawler.Response{Request: req, URL: req.URL, Status: 302, Header: header, Location: inner.URL}, nil
		case "http://public.test/leads":
			return &crawler.Response{Request: req, URL: req.URL, Status: 200, Header: header, Body: []byte(`<script>location = "` + inner.URL + `"</script>`)}, nil
		}
		resp, err := guarded.Fetch(ctx, req)
		refused.Add(1)
		if !errors.Is(err, crawler.ErrBlockedAddr) {
			t.Errorf("%s: %v", req.URL, err)
		}
		return resp, err
	})
	f := own(t, &chrome.Fetcher{UserAgent: agent, Via: via, Load: chrome.Load{Images: true}})
	resp := fetch(t, f, "http://public.test/")
	wantBody(t, resp, "no script", "no image", "tried0", "tried1", "tried2", "tried3", "tried4", "tried5", "tried6")
	if n := refused.Load(); n < 9 { // seven by fetch, the script and the image
		t.Errorf("%d requests were refused, want all that were tried", n)
	}
	if resp := fetch(t, f, "http://public.test/leads"); resp.Status != http.StatusTemporaryRedirect || len(resp.Body) > 0 {
		t.Errorf("a page that leads inside gives %d, %q", resp.Status, resp.Body)
	}
	if strings.Contains(string(resp.Body), "secret") {
		t.Errorf("it has reached an address of ours: %s", resp.Body)
	}
	inner.mu.Lock()
	defer inner.mu.Unlock()
	if len(inner.hits) > 0 {
		t.Errorf("the server was asked for %v", inner.hits)
	}
}

// A page is cut off where its limits are.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{
		"/many": `<p id=p>0</p><script>(async () => { for (let i = 1; i <= 30; i++) if ((await fetch("/data?" + i)).ok) p.textContent = i })()</script>`,
		"/data": as("text/plain", strings.Repeat("x", 1000)),
		"/huge": `<script>for (let i = 0; i < 3000; i++) document.write("<p>ä paragraph " + i)</script>`,
	})
	f := own(t, &chrome.Fetcher{Limits: chrome.Limits{Requests: 10, Body: 20_000}})
	wantBody(t, fetch(t, f, s.URL+"/many"), `<p id="p">9</p>`) // and the page itself
	resp := fetch(t, f, s.URL+"/huge")
	if !resp.Truncated || len(resp.Body) > 20_000 || len(resp.Body) < 19_990 {
		t.Errorf("%d bytes, truncated %v", len(resp.Body), resp.Truncated)
	}
}

// Texts that wait for a font are shown, in another one, and as wide as in that.
func TestRefusedFonts(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{"/": `<style>@font-face { font-family: f; src: url(/f.woff2) format("woff2") } @font-face { font-family: g; src: url(/g.ttf) }
		#a { font-family: f, serif } #b { font-family: serif }</style>
		<div hidden class=card>one</div><div class=card id=two>two</div><p><span id=a>wide</span> <span id=b>wide</span></p><p id=p></p><script>
		document.fonts.load("1em f").then(all => { document.querySelector(".card").hidden = false; p.append(" loaded" + all.length) }, () => p.append(" fai" + "led"))
		new FontFace("h", "url(/h.woff)").load().then(h => p.append(" face " + h.status), () => two.remove())
		document.fonts.onloadingerror = e => p.append(" fai" + "led")
		document.fonts.ready.then(() => p.append(" same" + (a.offsetWidth === b.offsetWidth)))</script>`})
	resp := fetch(t, own(t, &chrome.Fetcher{}), s.URL+"/")
	wantBody(t, resp, `<div class="card">one`, "two", " loaded1", " face loaded", " sametrue")
	if body := string(resp.Body); strings.Contains(body, " failed") {
		t.Errorf("a font failed: %s", body)
	}
	for _, path := range []string{"/f.woff2", "/g.ttf", "/h.woff"} {
		if n := s.asked(path); n != 0 {
			t.Errorf("%s was asked for %d times", path, n)
		}
	}
}

// What is refused leaves the page as it is: cards do not go because their picture
// was not loaded.
func TestRefusedLeavesThePage(t *testing.T) {
	t.Parallel()
	const card = ` onerror="this.closest('.card').remove()"></`
	s := serve(t, pages{"/": `<div id=all><div class=card>one <img src=/a.jpg` + card + `div><div class=card>two <img crossorigin src=/b.webp` + card + `div>
		<div class=card>three <img src="http://blocked.test/c.png"` + card + `div><div class=card>four <video preload=metadata src=/v.mp4` + card + `video></div>
		<div class=card>five <audio preload=auto src=/a.mp3` + card + `audio></div><div class=card>six <link rel=stylesheet href=http://blocked.test/s.css` + card + `div>
		<div class=card>seven <img crossorigin=use-credentials src=http://blocked.test/d.png` + card + `div><div class=card>eight <video src=http://blocked.test/w.webm` + card + `video></div>
		<div class=card>nine <svg><image href=/s.svg` + card + `svg></div><div class=card>ten <picture><source srcset=/p.avif type=image/avif><img src=/p.jpg` + card + `picture></div>
		</div><p id=p></p><script>const i = new Image; i.onload = () => p.append("decoded " + i.naturalWidth); i.onerror = () => p.append("image error"); i.src = "/new.png"
		const broken = new Image; broken.src = "/x.png"; broken.decode().then(() => p.append(" decodes"), () => p.append(" no decode"))
		addEventListener("load", () => p.append(" loaded"))</script>`})
	f := own(t, &chrome.Fetcher{Via: named(map[string]string{"blocked.test": "127.0.0.1"}), Load: chrome.Load{Block: []string{"blocked.test"}}})
	resp := fetch(t, f, s.URL+"/")
	wantBody(t, resp, "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "decoded 1", " decodes", " loaded")
	for _, path := range []string{"/a.jpg", "/b.webp", "/v.mp4", "/a.mp3", "/s.svg", "/p.avif", "/p.jpg", "/new.png", "/x.png"} {
		if n := s.asked(path); n != 0 {
			t.Errorf("%s was asked for %d times", path, n)
		}
	}
}
