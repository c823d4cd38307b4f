package crawler

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestKeyExchange: servers that know nothing but RSA key exchange are read, unless
// the settings name suites of their own; others are asked for something better.
func TestKeyExchange(t *testing.T) {
	t.Parallel()
	for _, suite := range []uint16{tls.TLS_RSA_WITH_AES_128_CBC_SHA, tls.TLS_RSA_WITH_AES_256_CBC_SHA, tls.TLS_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_256_GCM_SHA384} {
		base, trust, _ := secure(t, false, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, tls.CipherSuiteName(r.TLS.CipherSuite))
		},
			func(s *httptest.Server) {
				s.TLS = &tls.Config{MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite}}
			})
		resp, err := fetchURL(t, local(t, func(h *HTTP) { h.Network.TLS = trust }), base)
		if err != nil || string(resp.Body) != tls.CipherSuiteName(suite) {
			t.Errorf("%s: %v", tls.CipherSuiteName(suite), err)
		}
		modern := trust.Clone()
		for _, s := range tls.CipherSuites() {
			modern.CipherSuites = append(modern.CipherSuites, s.ID)
		}
		_, err = fetchURL(t, local(t, func(h *HTTP) { h.Network.TLS = modern }), base)
		wantKind(t, err, ErrTLS)
	}
	all := []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_RSA_WITH_AES_256_GCM_SHA384, tls.TLS_RSA_WITH_AES_128_CBC_SHA, tls.TLS_RSA_WITH_AES_256_CBC_SHA}
	for _, s := range tls.CipherSuites() {
		all = append(all, s.ID)
	}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		base, trust, _ := secure(t, false, func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, tls.CipherSuiteName(r.TLS.CipherSuite))
		},
			func(s *httptest.Server) {
				s.TLS = &tls.Config{MaxVersion: version, CipherSuites: all} // both know them all
			})
		resp, err := fetchURL(t, local(t, func(h *HTTP) { h.Network.TLS = trust }), base)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range tls.InsecureCipherSuites() {
			if s.Name == string(resp.Body) {
				t.Errorf("%x: %s where something better was there", version, s.Name)
			}
		}
	}
}
