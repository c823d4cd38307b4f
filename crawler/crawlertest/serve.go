package crawlertest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Serve serves the web on loopback until the test ends. The address it returns
// is that of a proxy for all its hosts. Asked directly, it goes by the Host
// header, and for a host that it does not know answers for that of its first
// page: so a web of one host has this address too.
func (w *Web) Serve(t testing.TB) *url.URL {
	t.Helper()
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// ServeHTTP answers a request as [Web.RoundTrip] does, and hangs up where that
// gives an error.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	ask := r.Clone(r.Context())
	if !r.URL.IsAbs() {
		base := "http://" + r.Host
		if !w.hasHost(base) {
			base = w.firstHost()
		}
		u, err := url.Parse(base + r.URL.RequestURI())
		if err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
		ask.URL = u
	}
	resp, err := w.RoundTrip(ask)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	for k, v := range resp.Header {
		rw.Header()[k] = v
	}
	rw.WriteHeader(resp.StatusCode)
	io.Copy(rw, resp.Body)
}

func (w *Web) hasHost(base string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for u := range w.pages {
		if strings.HasPrefix(u, base+"/") {
			return true
		}
	}
	return false
}

func (w *Web) firstHost() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	u, err := url.Parse(w.first)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
