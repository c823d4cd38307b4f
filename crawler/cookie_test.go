package crawler

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/publicsuffix"

	"github.com/webquarry/quarry/frontier"
)

func readCases(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "cookies", name))
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

// TestCookieSuite runs the cases of the HTTP State working group through a whole
// fetch. They are of the time before August 2019, and so is the clock.
func TestCookieSuite(t *testing.T) {
	t.Parallel()
	var cases []struct {
		Test     string
		Received []string
		Sent     []struct{ Name, Value string }
		SentTo   string `json:"sent-to"`
	}
	readCases(t, "parser.json", &cases)
	passed := 0
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)))
		for _, c := range cases {
			jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
			if err != nil {
				t.Fatal(err)
			}
			var got string
			h := &HTTP{UserAgent: testAgent, Cookies: jar, Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				got = r.Header.Get("Cookie")
				resp := &http.Response{Request: r, StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(""))}
				if r.URL.Path == "/cookie-parser" {
					resp.Header["Set-Cookie"] = c.Received
				}
				return resp, nil
			})}
			from, _ := url.Parse("http://home.example.org:8888/cookie-parser?" + c.Test)
			to, err := from.Parse(orString(c.SentTo, "/cookie-parser-result?"+c.Test))
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range []*url.URL{from, to} {
				if _, err := h.Fetch(t.Context(), frontier.Request{URL: u.String()}); err != nil {
					t.Fatal(err)
				}
			}
			var want []string
			for _, k := range c.Sent {
				want = append(want, k.Name+"="+k.Value)
			}
			if got != strings.Join(want, "; ") {
				t.Errorf("%s: %q: sent %q, want %q", c.Test, c.Received, got, strings.Join(want, "; "))
				continue
			}
			passed++
		}
	})
	t.Logf("%d of %d cookie cases pass", passed, len(cases))
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
