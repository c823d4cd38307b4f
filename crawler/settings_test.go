package crawler

import (
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestSettings: what could never work, or would do harm, is refused before
// anything is asked for, and the error says what is wrong.
func TestSettings(t *testing.T) {
	t.Parallel()
	proxy := func(s string) *url.URL {
		u, err := url.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	secret := http.Header{"Authorization": {"s3cret\n"}}
	for _, c := range []struct {
		http *HTTP
		why  string
	}{
		{&HTTP{UserAgent: ""}, "user agent"},
		{&HTTP{UserAgent: "  "}, "required"},
		{&HTTP{UserAgent: "acme/1.0"}, "contact"},
		{&HTTP{UserAgent: "(+https://a.example)"}, "product token"},
		{&HTTP{UserAgent: "acme (https://a.example)\r\nX: y"}, "one line"},
		{&HTTP{UserAgent: "acme (https://a.example)\x00"}, "control characters"},
		{&HTTP{MaxBody: -1}, "bytes \"-1\": must not be negative"},
		{&HTTP{Timeout: -1}, "timeout"},
		{&HTTP{Redirects: -1}, "redirects"},
		{&HTTP{Header: http.Header{"authorization": {"x"}}}, "every host"},
		{&HTTP{Header: http.Header{"X Y": {"x"}}}, "no name of a header"},
		{&HTTP{Header: http.Header{"": {"x"}}}, "no name of a header"},
		{&HTTP{Header: http.Header{"X": {"a\nb"}}}, "control characters"},
		{&HTTP{Credentials: map[string]http.Header{"a.example": nil}}, "scheme://host"},
		{&HTTP{Credentials: map[string]http.Header{"https://a.example/path": nil}}, "scheme://host"},
		{&HTTP{Credentials: map[string]http.Header{"https://a.example": secret}}, "control characters"},
		{&HTTP{Proxy: proxy("ftp://proxy.example/")}, "socks5"},
		{&HTTP{Proxy: proxy("proxy.example:80")}, "socks5"},
		{&HTTP{Proxy: proxy("http://:80")}, "no host"},
		{&HTTP{Proxy: proxy("http://u:s3cret@proxy.example:99999")}, "port"},
		{&HTTP{Proxy: proxy("http://proxy.example:0")}, "port"},
		{&HTTP{Network: Network{Proxies: []*url.URL{proxy("http://proxy.example"), proxy("ftp://proxy.example")}}}, "socks5"},
		{&HTTP{Network: Network{Proxies: []*url.URL{nil}}}, "nil"},
		{&HTTP{Proxy: proxy("http://proxy.example"), Network: Network{Proxies: []*url.URL{proxy("http://b.example")}}}, "one of them"},
		{&HTTP{Network: Network{Certificates: map[string]tls.Certificate{"a.example": {}}}}, "scheme://host"},
		{&HTTP{Network: Network{Certificates: map[string]tls.Certificate{"http://a.example": {}}}}, "https"},
		{&HTTP{Transport: pages{}, Network: Network{Certificates: map[string]tls.Certificate{"https://a.example": {}}}}, "no Transport"},
	} {
		h := c.http
		if h.UserAgent == "" && c.why != "user agent" {
			h.UserAgent = testAgent
		}
		_, err := fetchURL(t, h, "http://a.example/")
		if ce, ok := errors.AsType[*ConfigError](err); !ok || !strings.Contains(ce.Error(), c.why) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v, want a ConfigError about %q", err, c.why)
		}
	}
	for _, ua := range []string{"acme bot@acme.example", "acme2/1.0 (+https://a.example)", "Mozilla/5.0 (compatible; acme/1.0; +https://a.example)"} {
		if err := checkUserAgent(ua); err != nil {
			t.Errorf("%q: %v", ua, err)
		}
	}
}

// TestCredentialsOfAnOriginInCapitals are sent like any other.
func TestCredentialsOfAnOriginInCapitals(t *testing.T) {
	t.Parallel()
	rec := &recorder{pages: pages{"https://a.example/": "200 ok"}}
	h := &HTTP{UserAgent: testAgent, Transport: rec, Credentials: map[string]http.Header{"HTTPS://A.example": {"x-api-key": {"z"}}}}
	if _, err := fetchURL(t, h, "https://a.example/"); err != nil || rec.headers[0].Get("X-Api-Key") != "z" {
		t.Errorf("%v, sent %v", err, rec.headers)
	}
}
