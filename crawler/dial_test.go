package crawler

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestPrivateAddressIsNotDialled: not one connection reaches a server on
// loopback, however it is written.
func TestPrivateAddressIsNotDialled(t *testing.T) {
	t.Parallel()
	var conns atomic.Int32
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			conns.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
	h := local(t, func(h *HTTP) { h.AllowPrivate, h.Timeout = false, 4*time.Second })
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]"} {
		_, err := fetchURL(t, h, "http://"+host+":"+port+"/")
		wantKind(t, err, ErrBlockedAddr)
	}
	if n := conns.Load(); n != 0 {
		t.Errorf("%d connections were made", n)
	}
}

// TestPrivateAddressAfterRedirect: the check holds on every hop, also with
// hops that Fetch follows by itself.
func TestPrivateAddressAfterRedirect(t *testing.T) {
	t.Parallel()
	web := pages{"http://public.example/": "302 http://169.254.169.254/meta", "http://169.254.169.254/meta": "200 secret"}
	h := &HTTP{UserAgent: testAgent, Transport: web, Redirects: 5}
	_, err := fetchURL(t, h, "http://public.example/")
	wantKind(t, err, ErrBlockedAddr)
}
