package crawler

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/webquarry/quarry/frontier"
)

// TestAddr: a response says which address it came from, but for one that a proxy
// brought.
func TestAddr(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("x")) }))
	defer server.Close()
	proxy, _ := url.Parse(server.URL)
	for _, h := range []*HTTP{{}, {Proxy: proxy}} {
		h.UserAgent, h.AllowPrivate = "test/1.0 (+https://test.example/)", true
		resp, err := h.Fetch(t.Context(), frontier.Request{URL: server.URL + "/"})
		h.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Addr.IsValid(); got != (h.Proxy == nil) || got && !resp.Addr.IsLoopback() {
			t.Errorf("proxy %v: the address is %v", h.Proxy, resp.Addr)
		}
	}
}
