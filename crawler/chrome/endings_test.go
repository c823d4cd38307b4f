package chrome_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/frontier"
)

// never answers until the client has gone.
func never(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func as(contentType, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		fmt.Fprint(w, body)
	}
}

// Pages end in all kinds of ways, and each way is a response or an error that
// says which.
func TestEndings(t *testing.T) {
	t.Parallel()
	s := serve(t, pages{
		"/hanging": `<p>before</p><script async src=/never></script><p>after</p>`,
		"/never":   never,
		"/app":     `<p>stays</p><script>setTimeout(() => { location = "whatsapp://send?text=x" }, 50)</script>`,
		"/pdf":     as("application/pdf", "%PDF-1.7 not much"),
		"/json":    as("application/json", `{"a":1}`),
		"/attached": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Disposition", "attachment; filename=x.html")
			as("text/html", "<p>file")(w, r)
		},
		"/none": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) },
		"/gone": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(410)
			fmt.Fprint(w, "gone")
		},
		"/auth": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(401)
		},
		"/moved": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/json", http.StatusMovedPermanently)
		},
		"/by-script": `<script>setTimeout(() => { location = "/json" }, 200)</script>`,
		"/by-meta":   `<meta http-equiv=refresh content="0; url=/json">`,
		"/by-form":   `<p>form</p><form method=post action=/json></form><script>document.forms[0].submit()</script>`,
		"/itself": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<p>loop</p><script>location.reload()</script>`)
		},
		"/cookie": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if _, err := r.Cookie("ok"); err == nil {
				fmt.Fprint(w, "<p>with cookie</p>")
				return
			}
			fmt.Fprint(w, `<script>document.cookie = "ok=1"; location.reload()</script>`)
		},
		"/dialogs":  `<script>alert("a"); document.title = confirm("b") + " " + prompt("c"); window.onbeforeunload = () => "stay?"</script><p>done</p>`,
		"/popup":    `<script>window.open("/other"); window.open("https://elsewhere.example/x")</script><p>here</p>`,
		"/popups":   `<p>many</p><script>setInterval(() => { window.open("/other"); window.open("/popups") }, 10)</script>`,
		"/other":    `<p>other</p>`,
		"/closing":  `<p>open</p><script>window.close()</script>`,
		"/hung":     `<p>content</p><script>for (;;) {}</script>`,
		"/hunglate": `<p>content</p><script>setTimeout(() => { for (;;) {} }, 20)</script>`,
		"/clock":    `<p id=p>0</p><script>setInterval(() => { p.textContent = Date.now() }, 20)</script>`,
		"/feed":     `<div id=d></div><script>let n = 0; (async () => { for (;;) { await fetch("/json"); d.append(++n + " ") } })()</script>`,
		"/blank":    `<script>location = "about:blank"</script>`,
		"/frames":   `<p>outer</p><iframe src=/inner></iframe>`,
		"/inner":    `<p>inner</p>`,
		"/shadow":   `<x-card></x-card><script>document.querySelector("x-card").attachShadow({mode: "closed"}).innerHTML = "<a href=/deep>deep <slot></slot></a>"</script>`,
		"/late":     `<p id=p>no</p><script>setTimeout(() => setTimeout(() => { p.textContent = "content of timers" }, 300), 300)</script>`,
		"/seen":     `<p id=p>later</p><script>new IntersectionObserver(e => { if (e[0].isIntersecting) p.textContent = "seen" }).observe(p)</script>`,
		"/module":   `<script type=module>const m = await import("/m.js"); document.body.append(m.text)</script>`,
		"/m.js":     as("text/javascript", `export const text = "content of a module"`),
		"/utf":      as("text/html; charset=windows-1251", "<p>\xcf\xf0\xe8\xe2\xe5\xf2</p>"),
		"/empty":    "",
	})
	f := shared(t)
	endless := []string{"/hanging", "/hung", "/hunglate", "/feed"}
	var popups, frames, itself atomic.Int32 // how often they were fetched
	for _, c := range []struct {
		path     string
		status   int
		location string
		body     string
		kind     crawler.Kind
	}{
		{path: "/hanging", body: "<p>after</p>"},
		{path: "/app", body: "<p>stays</p>"},
		{path: "/pdf", body: "%PDF-1.7 not much"},
		{path: "/json", body: `{"a":1}`},
		{path: "/attached", body: "<p>file"},
		{path: "/none", status: 204},
		{path: "/gone", status: 410, body: "gone"},
		{path: "/auth", status: 401},
		{path: "/moved", status: 301, location: "/json"},
		{path: "/by-script", status: 307, location: "/json"},
		{path: "/by-meta", status: 307, location: "/json"},
		{path: "/by-form", body: "<p>form</p>"},
		{path: "/itself", kind: crawler.ErrRedirectLoop},
		{path: "/cookie", body: "<p>with cookie</p>"},
		{path: "/dialogs", body: "<title>false null</title>"},
		{path: "/popup", body: `<a href="https://elsewhere.example/x">`},
		{path: "/popups", body: `<p>many</p>`},
		{path: "/closing", body: "<p>open</p>"},
		{path: "/hung", body: "<p>content</p>"},
		{path: "/hunglate", body: "<p>content</p>"},
		{path: "/clock", body: "<p id=\"p\">1"},
		{path: "/feed", body: "1 2 3"},
		{path: "/blank", kind: crawler.ErrRedirect},
		{path: "/frames", body: "<p>outer</p>"},
		{path: "/shadow", body: `<a href="/deep">deep`},
		{path: "/late", body: "content of timers"},
		{path: "/seen", body: `<p id="p">seen</p>`},
		{path: "/module", body: "content of a module"},
		{path: "/utf", body: "<p>Привет</p>"},
		{path: "/empty", body: "<body></body>"},
		{path: "/missing", status: 404},
	} {
		t.Run(c.path[1:], func(t *testing.T) {
			t.Parallel()
			var resp *crawler.Response
			var err error
			var settled bool
			for range 4 { // a page that ends has no time for it where Chrome hardly has a processor
				switch c.path {
				case "/popups":
					popups.Add(1)
				case "/frames":
					frames.Add(1)
				case "/itself":
					itself.Add(1)
				}
				resp, err = f.Fetch(t.Context(), frontier.Request{URL: s.URL + c.path})
				if c.path == "/popups" && errors.Is(err, crawler.ErrTimeoutTotal) {
					continue // each window is a process to start, which a busy machine is slow at
				}
				if err != nil {
					break
				}
				v, ok := resp.Extra.(*chrome.Visit)
				if settled = !ok || v.Settled; settled || c.path == "/clock" || slices.Contains(endless, c.path) {
					break
				}
			}
			if c.kind != "" {
				if !errors.Is(err, c.kind) {
					t.Fatalf("got %v, %+v, want %s", err, resp, c.kind)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.status == 0 {
				c.status = 200
			}
			if c.location != "" {
				c.location = s.URL + c.location
			}
			if c.path != "/clock" && c.path != "/popups" && settled == slices.Contains(endless, c.path) {
				t.Errorf("it is told to have settled: %v", settled)
			}
			if resp.Status != c.status || resp.Location != c.location || !strings.Contains(string(resp.Body), c.body) {
				t.Errorf("status %d to %q, %.1000s", resp.Status, resp.Location, resp.Body)
			}
		})
	}
	t.Cleanup(func() {
		for path, want := range map[string]int{"/other": 0, "/popups": int(popups.Load()), "/inner": int(frames.Load())} {
			if got := s.asked(path); got != want {
				t.Errorf("%s was asked for %d times, want %d", path, got, want)
			}
		}
		if got, most := s.asked("/itself"), 6*int(itself.Load()); got < 6 || got > most {
			t.Errorf("/itself was asked for %d times, want 6 to %d", got, most)
		}
	})
}
