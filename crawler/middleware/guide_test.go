package middleware_test

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/crawler/session"
	"github.com/webquarry/quarry/frontier"
)

// The snippets of docs/guides/fetching.md; TestGuide compares.

func settings(jar http.CookieJar) *crawler.HTTP {
	// snippet: settings
	return &crawler.HTTP{
		UserAgent: "acme/1.0 (+https://acme.example/bot)",
		MaxBody:   4 << 20,          // bytes, decoded
		Timeout:   30 * time.Second, // for a page in all
		Header:    http.Header{"Accept-Language": {"de, en;q=0.5"}},
		Credentials: map[string]http.Header{
			"https://intern.example": {"Authorization": {"Bearer s3cret"}},
		},
		Cookies: jar,
	}
}

func ways(a, b *url.URL, cert tls.Certificate) *crawler.HTTP {
	// snippet: network
	return &crawler.HTTP{
		UserAgent: "acme/1.0 (+https://acme.example/bot)",
		Network: crawler.Network{
			Proxies:      []*url.URL{a, b},
			Sticky:       true, // a host keeps its proxy
			Certificates: map[string]tls.Certificate{"https://partner.example": cert},
			DNSTTL:       time.Minute,
		},
	}
}

func loggedIn(dir string) (crawler.Fetcher, *session.Jar, error) {
	// snippet: login
	jar, err := session.Open(filepath.Join(dir, "cookies"))
	if err != nil {
		return nil, nil, err
	}
	login := &session.Login{
		URL:    "https://forum.example/login",
		Fields: map[string]string{"user": "me", "password": os.Getenv("FORUM_PASSWORD")},
		LoggedOut: func(resp *crawler.Response) bool {
			return strings.Contains(string(resp.Body), `href="/login"`)
		},
	}
	return login.Wrap(&crawler.HTTP{UserAgent: agent, Cookies: jar}), jar, nil
}

func around(h *crawler.HTTP, dir string) (crawler.Fetcher, error) {
	// snippet: middleware
	store, err := middleware.OpenDisk(dir, 10<<30)
	if err != nil {
		return nil, err
	}
	return middleware.Chain(h,
		middleware.Log{Logger: slog.Default(), Level: slog.LevelDebug}.Wrap, // outermost
		middleware.Metrics{}.Wrap,
		(&middleware.Cache{Store: store}).Wrap,
		(&middleware.Rate{Requests: 50, Bytes: 5e6}).Wrap, // of what the cache does not answer
		middleware.Head{}.Wrap,
		middleware.Retry{}.Wrap), nil // innermost
}

func shaped() crawler.Middleware {
	// snippet: shape
	return middleware.Shape(func(req frontier.Request) crawler.Ask {
		if req.Label == "mobile" {
			return crawler.Ask{Header: http.Header{"Sec-Ch-Ua-Mobile": {"?1"}}}
		}
		return crawler.Ask{} // a plain GET
	})
}

// TestGuide holds the guide to the code above, which works.
func TestGuide(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, jar, err := loggedIn(dir)
	if err != nil || f == nil {
		t.Fatal(err)
	}
	defer jar.Close()
	h := settings(jar)
	h.Transport = web()
	whole, err := around(h, filepath.Join(dir, "cache"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []crawler.Fetcher{whole, shaped()(whole)} {
		if resp, err := f.Fetch(context.Background(), frontier.Request{URL: "http://a.test/", Label: "mobile"}); err != nil || resp.Status != 200 {
			t.Errorf("%+v, %v", resp, err)
		}
	}
	a := &url.URL{Scheme: "http", Host: "127.0.0.1:1"}
	if _, err := ways(a, a, tls.Certificate{}).Fetch(context.Background(), frontier.Request{URL: "http://127.0.0.1/"}); err == nil {
		t.Error("a private address is fetched")
	}
	source, err := os.ReadFile("guide_test.go")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../../docs/guides/fetching.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"settings", "network", "login", "middleware", "shape"} {
		_, code, _ := strings.Cut(string(source), "\t// snippet: "+name+"\n")
		code, _, _ = strings.Cut(code, "\n}\n")
		want := "```go\n" + strings.ReplaceAll("\n"+code, "\n\t", "\n")[1:] + "\n```\n"
		if !strings.Contains(string(guide), want) {
			t.Errorf("the snippet %s of the guide is not\n%s", name, want)
		}
	}
}
