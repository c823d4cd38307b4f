package crawler

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// secure serves by TLS, counts connections, and returns what trusts it.
func secure(t *testing.T, h2 bool, f http.HandlerFunc, change ...func(*httptest.Server)) (base string, trust *tls.Config, conns *atomic.Int32) {
	t.Helper()
	conns = new(atomic.Int32)
	s := httptest.NewUnstartedServer(f)
	s.EnableHTTP2 = h2
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			conns.Add(1)
		}
	}
	for _, f := range change {
		f(s)
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL, &tls.Config{RootCAs: s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}, conns
}

// TestProtocols: HTTP/2 where the server speaks it, over one connection;
// HTTP/1.1 otherwise, over connections that are used again.
func TestProtocols(t *testing.T) {
	t.Parallel()
	answer := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }
	for name, c := range map[string]struct {
		server, client bool
		want           string
	}{
		"both speak HTTP/2":  {true, true, "HTTP/2.0"},
		"the server not":     {false, true, "HTTP/1.1"},
		"we do not want to":  {true, false, "HTTP/1.1"},
		"neither of us both": {false, false, "HTTP/1.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, trust, conns := secure(t, c.server, answer)
			h := local(t, func(h *HTTP) { h.Network.TLS, h.Network.HTTP1 = trust, !c.client })
			for range 10 { // one after the other: one connection
				resp, err := fetchURL(t, h, base)
				if err != nil || string(resp.Body) != c.want {
					t.Fatalf("%+v, %v", resp, err)
				}
			}
			if n := conns.Load(); n > 5 { // on a busy machine net/http gives up a connection now and then
				t.Errorf("%d connections for requests one after the other", n)
			}
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() { fetchURL(t, h, base) })
			}
			all.Wait()
			if n := conns.Load(); c.want == "HTTP/2.0" && n != 1 || n > 25 {
				t.Errorf("%d connections for requests at a time", n)
			}
		})
	}
}

// TestClientCertificates: one is shown to its own origin, and to no other even
// if that asks.
func TestClientCertificates(t *testing.T) {
	t.Parallel()
	who := func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) == 0 {
			io.WriteString(w, "nobody")
			return
		}
		io.WriteString(w, r.TLS.PeerCertificates[0].Subject.Organization[0])
	}
	ask := func(s *httptest.Server) { s.TLS = &tls.Config{ClientAuth: tls.RequestClientCert} }
	own, trust, _ := secure(t, true, who, ask)
	other, _, _ := secure(t, true, who, ask) // of the same root: httptest has one
	demand := func(s *httptest.Server) { s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert} }
	closed, _, _ := secure(t, true, who, demand)
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	cert := s.TLS.Certificates[0]
	h := local(t, func(h *HTTP) {
		h.Network.TLS, h.Network.Certificates = trust, map[string]tls.Certificate{strings.ToUpper(own): cert}
	})
	for base, want := range map[string]string{own: "Acme Co", other: "nobody"} {
		resp, err := fetchURL(t, h, base+"/")
		if err != nil || string(resp.Body) != want {
			t.Errorf("%+v, %v; want %s", resp, err, want)
		}
	}
	// The server says so after the handshake, or hangs up before that is read.
	if _, err := fetchURL(t, h, closed+"/"); !errors.Is(err, ErrTLS) && !errors.Is(err, ErrConnect) {
		t.Errorf("%v", err)
	}
}

func TestTLSTrouble(t *testing.T) {
	t.Parallel()
	ok := func(w http.ResponseWriter, r *http.Request) {}
	unknown, _, _ := secure(t, true, ok)
	_, err := fetchURL(t, local(t), unknown)
	wantKind(t, err, ErrTLS)
	base, trust, _ := secure(t, true, ok, func(s *httptest.Server) { s.TLS = &tls.Config{MaxVersion: tls.VersionTLS12} })
	modern := trust.Clone()
	modern.MinVersion = tls.VersionTLS13
	_, err = fetchURL(t, local(t, func(h *HTTP) { h.Network.TLS = modern }), base)
	wantKind(t, err, ErrTLS)
	wrongName := trust.Clone()
	wrongName.ServerName = "other.test"
	_, err = fetchURL(t, local(t, func(h *HTTP) { h.Network.TLS = wrongName }), base)
	if wantKind(t, err, ErrTLS); !isA[x509.HostnameError](err) {
		t.Errorf("%v", err)
	}
}

// forward is a proxy that says its name.
func forward(t *testing.T, name string, seen *sync.Map) *url.URL {
	t.Helper()
	u, err := url.Parse(serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r.URL.Host+" "+name, true)
		io.WriteString(w, name)
	}))
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func dead(t *testing.T) *url.URL {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	return &url.URL{Scheme: "http", Host: l.Addr().String()}
}

func TestProxiesInTurn(t *testing.T) {
	t.Parallel()
	var seen sync.Map
	a, b := forward(t, "a", &seen), forward(t, "b", &seen)
	h := local(t, func(h *HTTP) { h.AllowPrivate, h.Network.Proxies = false, []*url.URL{a, b} })
	count := map[string]int{}
	for range 10 {
		resp, err := fetchURL(t, h, "http://h.test/")
		if err != nil {
			t.Fatal(err)
		}
		count[string(resp.Body)]++
	}
	if count["a"] != 5 || count["b"] != 5 {
		t.Errorf("%v", count)
	}
	_, err := fetchURL(t, h, "http://169.254.169.254/")
	wantKind(t, err, ErrBlockedAddr)
}

// TestProxyThatIsGone: what it was to do another one does, and it is left alone
// for a while.
func TestProxyThatIsGone(t *testing.T) {
	t.Parallel()
	var seen sync.Map
	gone, b := dead(t), forward(t, "b", &seen)
	h := local(t, func(h *HTTP) { h.AllowPrivate, h.Network.Proxies = false, []*url.URL{gone, b} })
	for range 6 {
		if resp, err := fetchURL(t, h, "http://h.test/"); err != nil || string(resp.Body) != "b" {
			t.Fatalf("%+v, %v", resp, err)
		}
	}
	h = local(t, func(h *HTTP) { h.AllowPrivate, h.Network.Proxies = false, []*url.URL{gone, dead(t)} })
	_, err := fetchURL(t, h, "http://h.test/")
	if fe := wantKind(t, err, ErrConnect); !fe.Retryable() {
		t.Error("not retryable")
	}
}

// TestProxyThatRefusesUs: with a proxy that works a wrong password is that
// proxy's trouble; if all want one, the settings are wrong.
func TestProxyThatRefusesUs(t *testing.T) {
	t.Parallel()
	var seen sync.Map
	refuse := func() *url.URL {
		u, _ := url.Parse(serve(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
		return u
	}
	h := local(t, func(h *HTTP) { h.Network.Proxies = []*url.URL{refuse(), forward(t, "b", &seen), refuse()} })
	for range 6 {
		if resp, err := fetchURL(t, h, "http://h.test/"); err != nil || string(resp.Body) != "b" {
			t.Fatalf("%+v, %v", resp, err)
		}
	}
	for _, target := range []string{"http://h.test/", "https://h.test/"} {
		h = local(t, func(h *HTTP) { h.Network.Proxies = []*url.URL{refuse(), refuse()} })
		if _, err := fetchURL(t, h, target); !isA[*ConfigError](err) {
			t.Errorf("%v, want a ConfigError", err)
		}
	}
}
