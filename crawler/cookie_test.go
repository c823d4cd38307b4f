package crawler

import (
	"cmp"
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
			to, err := from.Parse(cmp.Or(c.SentTo, "/cookie-parser-result?"+c.Test))
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
