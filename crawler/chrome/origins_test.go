package chrome_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/webquarry/quarry/crawler/chrome"
)

// What a host stores is there for its next page and for no other host, nothing of
// it answers in the place of the network, and all goes by the proxy.
func TestOrigins(t *testing.T) {
	t.Parallel()
	const store = `<p id=p></p><script>(async () => {
		p.textContent = "cookie " + document.cookie + " storage " + (localStorage.seen || "none") + " database " + (await indexedDB.databases()).length
		document.cookie = "seen=" + location.hostname
		localStorage.seen = location.hostname
		await new Promise(done => { indexedDB.open("d").onsuccess = done })
		const worker = await navigator.serviceWorker?.register("/worker.js").then(() => "registered", e => e.name)
		const cached = await window.caches?.open("c").then(c => c.put("/text", new Response("from a cache"))).then(() => 1, () => 0)
		p.append(" worker " + worker + " text " + await (await fetch("/text")).text() + ".")
	})()</script>`
	s := serve(t, pages{
		"/":          store,
		"/text":      as("text/plain", "of the server"),
		"/worker.js": as("text/javascript", `self.onfetch = e => e.respondWith(new Response("from a worker"))`),
	})
	f := own(t, &chrome.Fetcher{Tabs: 1, Via: named(map[string]string{"a.localhost": "127.0.0.1", "b.localhost": "127.0.0.1"})})
	at := func(host string) string { return strings.Replace(s.URL, "127.0.0.1", host, 1) + "/" }
	for i, c := range []struct{ host, cookie, storage string }{
		{"a.localhost", "", "none"},
		{"a.localhost", "seen=a.localhost", "a.localhost"},
		{"b.localhost", "", "none"},
		{"b.localhost", "seen=b.localhost", "b.localhost"},
	} {
		wantBody(t, fetch(t, f, at(c.host)), fmt.Sprintf("cookie %s storage %s database %d", c.cookie, c.storage, i%2), "worker SecurityError text of the server.")
	}
	if got := s.asked("/worker.js"); got != 0 {
		t.Errorf("the worker was asked for %d times", got)
	}
	if got := s.asked("/text"); got != 4 {
		t.Errorf("the text was asked for %d times", got)
	}
}
