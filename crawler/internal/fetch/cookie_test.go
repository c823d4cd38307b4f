package fetch

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/publicsuffix"
)

func readCases(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "cookies", name))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "//") {
			text.WriteString(line)
		}
	}
	if err := json.Unmarshal([]byte(text.String()), into); err != nil {
		t.Fatal(err)
	}
}

func TestCookieDates(t *testing.T) {
	t.Parallel()
	passed, all := 0, 0
	for _, name := range []string{"examples.json", "bsd-examples.json"} {
		var cases []struct {
			Test     string
			Expected *string
		}
		readCases(t, name, &cases)
		for _, c := range cases {
			all++
			got, ok := parseCookieDate(c.Test)
			if ok != (c.Expected != nil) || ok && got.Format(http.TimeFormat) != *c.Expected {
				t.Errorf("%q: %v, %v", c.Test, got, ok)
				continue
			}
			passed++
		}
	}
	t.Logf("%d of %d dates pass", passed, all)
}

// TestCookieFlood: an answer may set so many cookies and no more, however large.
func TestCookieFlood(t *testing.T) {
	t.Parallel()
	jar, _ := cookiejar.New(nil)
	u, _ := url.Parse("http://a.test/")
	var lines []string
	for i := range 3 * maxCookies {
		lines = append(lines, "k"+strings.Repeat("x", i)+"=v", "big="+strings.Repeat("x", maxCookie))
	}
	(&chain{jar: jar}).keepCookies(u, http.Header{"Set-Cookie": lines})
	if n := len(jar.Cookies(u)); n != maxCookies/2 {
		t.Errorf("%d cookies are kept", n)
	}
}

func FuzzCookie(f *testing.F) {
	for _, s := range []string{"a=b; Path=/; Domain=.a.test; Max-Age=-1; Expires=Sun, 06 Nov 1994 08:49:37 GMT; Secure", "=", ";=;", "a=b; expires=1:1:1 31 feb 99"} {
		f.Add(s)
	}
	u, _ := url.Parse("http://a.test/d/p")
	f.Fuzz(func(t *testing.T, line string) {
		k := parseCookie(line)
		if k == nil {
			return
		}
		if k.Name == "" || len(k.Name)+len(k.Value) > maxCookie || strings.ContainsAny(k.Name+k.Value, ";\r\n\x00") {
			t.Errorf("%q: %+v", line, k)
		}
		jar, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
		jar.SetCookies(u, []*http.Cookie{k})
		h := http.Header{}
		addCookies(h, jar.Cookies(u))
		if !httpguts.ValidHeaderFieldValue(h.Get("Cookie")) {
			t.Errorf("%q: sends %q", line, h)
		}
	})
}

// TestCookieTimes: an hour or minute with something behind it is none (RFC 6265, 5.1.1).
func TestCookieTimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Wed, 09 Jun 2021 10:18:14 GMT": true, "Wed, 09 Jun 2021 1:1:1x GMT": true, "Wed, 09 Jun 2021 1a:33:44 GMT": false, "Wed, 09 Jun 2021 10:1a:44 GMT": false, "Wed, 09 Jun 2021 10:18 GMT": false, "Wed, 09 Jun 2021 :18:14 GMT": false,
	} {
		if _, ok := parseCookieDate(text); ok != want {
			t.Errorf("%q: %v, want %v", text, ok, want)
		}
	}
}

// TestTrail: cookies go where a browser would send them, and a trail stays small.
func TestTrail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ at, line, to, want string }{
		{"http://a.test/x", "k=v", "http://a.test/y", "k=v"},
		{"http://a.test/x", "k=v", "http://b.test/y", ""},
		{"http://a.test/x", "k=v", "http://s.a.test/", ""},
		{"http://s.a.test/x", "k=v; Domain=a.test", "http://a.test/", "k=v"},
		{"http://s.a.test/x", "k=v; Domain=test", "http://b.test/", ""},
		{"http://a.co.uk/x", "k=v; Domain=co.uk", "http://b.co.uk/", ""},
		{"http://a.test/x", "k=v; Domain=b.test", "http://b.test/", ""},
		{"http://a.test/d/x", "k=v", "http://a.test/y", ""},
		{"http://a.test/d/x", "k=v; Path=/", "http://a.test/y", "k=v"},
		{"https://a.test/x", "k=v; Secure", "http://a.test/y", ""},
		{"https://a.test/x", "k=v; Secure", "https://a.test/y", "k=v"},
		{"http://a.test/x", "k=v; Max-Age=0", "http://a.test/y", ""},
		{"http://a.test/100%", "k=v\x00x", "http://a.test/100%", "k=v"},
	} {
		u, err := requestURL(c.to)
		if err != nil {
			t.Fatal(err)
		}
		tr := Trail("").After(c.at, http.Header{"Set-Cookie": {c.line}})
		h := http.Header{}
		addCookies(h, tr.cookies(u))
		if got := h.Get("Cookie"); got != c.want {
			t.Errorf("%s sets %q: to %s goes %q, want %q", c.at, c.line, c.to, got, c.want)
		}
	}
	var tr Trail
	for i := range 10_000 {
		tr = tr.After("http://a.test/", http.Header{"Set-Cookie": {fmt.Sprintf("k%d=%s", i%2000, strings.Repeat("v", i%100))}})
	}
	u, _ := url.Parse("http://a.test/")
	if k := tr.cookies(u); len(tr) > maxTrail || k[len(k)-1].Name != "k1999" {
		t.Errorf("a trail of %d bytes, %v", len(tr), k)
	}
	tr = Trail("").After("http://a.test/", http.Header{"Set-Cookie": {"k=1", "k=2", "j=1"}}).After("http://a.test/x", http.Header{"Set-Cookie": {"k=3"}})
	if n := len(tr.steps()); n != 2 {
		t.Errorf("%d cookies are kept, of two: %q", n, tr)
	}
}
