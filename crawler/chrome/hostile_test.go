package chrome_test

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/frontier"
)

// endless sends a document that has no end.
func endless(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	out := bufio.NewWriter(w)
	for r.Context().Err() == nil {
		if _, err := fmt.Fprint(out, "<p>more</p>\n"); err != nil {
			return
		}
	}
}

// pest is a page that does its worst, and what becomes of it.
type pest struct {
	path   string
	page   any
	status int          // 0: 200
	body   string       // a part of it
	kind   crawler.Kind // of the error there is instead
	ends   ending
}

// ending is how a page may end other than at rest.
type ending int

const (
	atRest   ending = iota
	asStands        // it is read when its time is over
	late            // or not even that, where the machine is busy
)

// wrong says what is not as it should be with what became of the page.
func (p pest) wrong(resp *crawler.Response, err error) error {
	out := errors.Is(err, crawler.ErrTimeoutTotal)
	switch {
	case p.ends == late && (out || err == nil && !settled(resp)):
		return nil
	case p.kind != "":
		if !errors.Is(err, p.kind) {
			return fmt.Errorf("%v, want %s", err, p.kind)
		}
		return nil
	case err != nil:
		return err
	case resp.Status != cmp.Or(p.status, 200) || !strings.Contains(string(resp.Body), p.body):
		return fmt.Errorf("status %d, want %d; %q in %.2000q", resp.Status, cmp.Or(p.status, 200), p.body, resp.Body)
	case p.ends == atRest && !settled(resp):
		return errors.New("it does not come to rest")
	}
	return nil
}

var hostile = []pest{
	{path: "/asking", page: `<p>asked</p><script>setInterval(() => { alert(1); confirm(2); prompt(3) }, 1); window.onbeforeunload = () => "stay"</script>`, body: "<p>asked", ends: late},
	{path: "/written", page: `<p>written</p><script>document.open(); setInterval(() => { document.write("<p>" + "x".repeat(100000)) }, 1)</script>`, body: "xxxx", ends: late},
	{path: "/states", page: `<p>states</p><script>let n = 0; (function go() { history.pushState({}, "", "?" + ++n); setTimeout(go, 1) })()</script>`, body: "<p>states"},
	{path: "/refresh", page: `<p>refresh</p><meta http-equiv=refresh content=0>`, kind: crawler.ErrRedirectLoop, ends: late},
	{path: "/away", page: func(w http.ResponseWriter, r *http.Request) {
		as("text/html", `<script>location = "/away?" + Math.random()</script>`)(w, r)
	}, status: 307},
	{path: "/print", page: `<p>print</p><script>print(); setInterval(print, 1)</script>`, body: "<p>print"},
	{path: "/socket", page: `<p id=p>socket</p><script>new WebSocket("ws://" + location.host + "/s").onclose = e => p.append(" closed " + e.code)</script>`, body: "socket closed 1006"},
	{path: "/nothing", page: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, status: 204},
	{path: "/file", page: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", "attachment")
		as("application/octet-stream", "bytes")(w, r)
	}, body: "bytes"},
	{path: "/named", page: `<form name=querySelector></form><form name=readyState></form><form name=documentElement></form><p>named`, body: "<p>named"},
	{path: "/replaced", page: `<p>replaced</p><script>for (const k of Object.getOwnPropertyNames(window)) if (k !== "location") try { window[k] = null } catch {}
		Object.prototype.toJSON = Array.prototype.toJSON = () => "no"; Promise.prototype.then = null</script>`, body: "<p>replaced"},
	{path: "/posted", page: `<p>posted</p><script>const c = new MessageChannel; c.port1.onmessage = () => c.port2.postMessage(0); c.port2.postMessage(0)</script>`,
		body: "<p>posted", ends: asStands},
}

// monsters are those that take seconds, and are left out unless
// QUARRY_CHROME_HOSTILE is set.
var monsters = []struct {
	path string
	page any
}{
	{path: "/windows", page: `<p>windows</p><script>for (let i = 0; i < 5000; i++) window.open("/?" + i, "w" + i)</script>`},
	{path: "/frames", page: `<p>frames</p><script>if (top === window) for (let i = 0; i < 50; i++) { const f = document.createElement("iframe"); f.src = "/frames?" + i; document.body.append(f) }</script>`},
	{path: "/data", page: `<p>data</p><iframe id=f></iframe><script>f.src = "data:text/html," + "x".repeat(4 << 20); location = "data:text/html,<p>no"</script>`},
	{path: "/endless", page: endless},
	{path: "/nodes", page: `<p>nodes</p><script>for (let i = 0; i < 2000000; i++) document.body.appendChild(document.createElement("b"))</script>`},
	{path: "/memory", page: `<p>memory</p><script>const all = []; for (;;) all.push(new Array(1 << 20).fill(Math.random()))</script>`},
	{path: "/buffers", page: `<p>buffers</p><script>const all = []; setInterval(() => all.push(new Uint8Array(64 << 20).fill(1)), 1)</script>`},
	{path: "/deep", page: `<p>deep</p><script>let at = document.body; for (let i = 0; i < 200000; i++) at = at.appendChild(document.createElement("div"))</script>`},
	{path: "/bomb", page: `<p>bomb</p><script>for (let i = 0; i < 300; i++) { const f = document.createElement("iframe"); f.src = "/bomb?" + i; document.body.append(f) }</script>`},
	{path: "/url", page: `<p>url</p><iframe id=f></iframe><script>f.src = "data:text/html," + "x".repeat(200 << 20)</script>`},
	{path: "/burning", page: `<p>burning</p><script>for (let i = 0; i < 8; i++) new Worker(URL.createObjectURL(new Blob(["for (;;) {}"])))</script>`},
}

func settled(resp *crawler.Response) bool {
	v, ok := resp.Extra.(*chrome.Visit)
	return !ok || v.Settled
}

// TestHostile has one tab show pages that do their worst, and a good one after
// each of them.
func TestHostile(t *testing.T) {
	t.Parallel()
	site := pages{"/good": `<p id=p></p><script>fetch("/text").then(r => r.text()).then(x => { p.textContent = x })</script>`, "/text": as("text/plain", "good")}
	for _, h := range hostile {
		site[h.path] = h.page
	}
	all := os.Getenv("QUARRY_CHROME_HOSTILE") != ""
	for _, m := range monsters {
		site[m.path] = m.page
	}
	s := serve(t, site)
	via := local()
	via.MaxBody = 1 << 20
	f := own(t, &chrome.Fetcher{Via: via, Tabs: 1, Settle: time.Second, Timeout: 20 * time.Second})
	good := func(after string) {
		until(t, time.Minute, "a good page after "+after, func() bool {
			resp, err := f.Fetch(t.Context(), frontier.Request{URL: s.URL + "/good"})
			return err == nil && strings.Contains(string(resp.Body), `<p id="p">good`)
		})
	}
	for _, h := range hostile {
		var wrong error
		for range 3 { // the machine may be busy
			if wrong = h.wrong(f.Fetch(t.Context(), frontier.Request{URL: s.URL + h.path})); wrong == nil {
				break
			}
			t.Logf("%s: %v", h.path, wrong)
		}
		if wrong != nil {
			t.Errorf("%s: %v", h.path, wrong)
		}
		good(h.path)
	}
	for _, m := range monsters {
		if !all {
			break
		}
		start := time.Now()
		resp, err := f.Fetch(t.Context(), frontier.Request{URL: s.URL + m.path})
		took := time.Since(start)
		// What it is to be taken for is a matter of the machine.
		if _, ok := errors.AsType[*crawler.FetchError](err); err != nil && !ok {
			t.Errorf("%s: %v", m.path, err)
		} else if err == nil {
			t.Logf("%s: %v, settled %v, %d bytes", m.path, took, resp.Extra.(*chrome.Visit).Settled, len(resp.Body))
		} else {
			t.Logf("%s: %v, %v", m.path, took, err)
		}
		good(m.path)
	}
}
