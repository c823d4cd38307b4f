package crawlertest

import (
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const sample = `A comment.

-- http://a.test/ --
<title>Home</title>

-- http://a.test/busy --
HTTP 503
Retry-After: 120
Content-Type: text/plain

come back later
-- http://a.test/busy --
<title>Busy no more</title>
-- http://b.test/slow?x=1 --
HTTP 200
Test-Wait: 30s

slow
-- https://b.test/dead --
HTTP 200
Test-Error: no route to host
`

func parse(t *testing.T, text string) *Web {
	t.Helper()
	w, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func get(t *testing.T, rt http.RoundTripper, u string) (int, http.Header, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return 0, nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, string(body), err
}

func TestWeb(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := parse(t, sample)
		for _, c := range []struct {
			url    string
			status int
			ctype  string
			body   string
			took   time.Duration
		}{
			{"http://a.test/#frag", 200, "text/html; charset=utf-8", "<title>Home</title>\n\n", 0},
			{"http://a.test/busy", 503, "text/plain", "come back later\n", 0},
			{"http://a.test/busy", 200, "text/html; charset=utf-8", "<title>Busy no more</title>\n", 0},
			{"http://a.test/busy", 200, "text/html; charset=utf-8", "<title>Busy no more</title>\n", 0},
			{"http://b.test/slow?x=1", 200, "text/html; charset=utf-8", "slow\n", 30 * time.Second},
			{"http://a.test/robots.txt", 404, "", "", 0},
		} {
			start := time.Now()
			status, header, body, err := get(t, w, c.url)
			if err != nil || status != c.status || header.Get("Content-Type") != c.ctype || body != c.body || time.Since(start) != c.took {
				t.Errorf("%s: %d %v %q %v", c.url, status, header, body, err)
			}
			if header.Get("Test-Wait") != "" {
				t.Error("Test-Wait was sent")
			}
		}
		if _, _, _, err := get(t, w, "https://b.test/dead"); err == nil || err.Error() != "no route to host" {
			t.Errorf("error %v", err)
		}
		if _, _, _, err := get(t, w, "http://a.test/nowhere"); err == nil || !slices.Equal(w.Unknown(), []string{"http://a.test/nowhere"}) {
			t.Errorf("error %v, unknown %q", err, w.Unknown())
		}
		if n := len(w.Requests()); n != 8 {
			t.Errorf("%d requests noted", n)
		}
	})
}

func TestBadFiles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\n-- /path --\n":                                     "line 2",
		"-- ftp://a.test/ --\n":                               "line 1",
		"-- http://a.test/ --\nHTTP many\n":                   "line 1: http://a.test/: status",
		"-- http://a.test/ --\nHTTP 99\n":                     "status",
		"-- http://a.test/ --\nHTTP 200\nno header":           "line 1",
		"-- http://a.test/ --\nHTTP 200\nTest-Wait: long\n\n": "duration",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Add took a page that cannot be read")
		}
	}()
	parse(t, "").Add("http://a.test/", "HTTP x")
}

func TestServe(t *testing.T) {
	t.Parallel()
	w := parse(t, strings.ReplaceAll(sample, "https://b.test", "http://b.test"))
	addr := w.Serve(t)
	proxied := &http.Transport{Proxy: http.ProxyURL(addr)}
	defer proxied.CloseIdleConnections()
	if status, _, body, err := get(t, proxied, "http://a.test/"); err != nil || status != 200 || body != "<title>Home</title>\n\n" {
		t.Errorf("by proxy: %d %q %v", status, body, err)
	}
	direct := new(http.Transport)
	defer direct.CloseIdleConnections()
	if status, header, _, err := get(t, direct, addr.String()+"/busy"); err != nil || status != 503 || header.Get("Retry-After") != "120" {
		t.Errorf("directly: %d %v", status, err)
	}
	if _, _, _, err := get(t, proxied, "http://b.test/dead"); err == nil {
		t.Error("a dead page answers")
	}
	req := &http.Request{Method: "GET", URL: &url.URL{Scheme: "http", Host: addr.Host, Path: "/nothing"}, Host: "b.test", Header: http.Header{}}
	if resp, err := direct.RoundTrip(req); err == nil || !slices.Contains(w.Unknown(), "http://b.test/nothing") {
		t.Errorf("by Host header: %v %v, unknown %q", resp, err, w.Unknown())
	}
}

// failures counts what a check finds wrong.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Errorf(string, ...any) { f.n++ }
func (f *failures) Helper()               {}

func TestChecks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := parse(t, "-- http://a.test/1 --\nx\n-- http://a.test/2 --\nx\n")
		visit := func(path string) {
			w.RoundTrip(&http.Request{URL: &url.URL{Scheme: "http", Host: "a.test", Path: path}})
			time.Sleep(time.Second)
		}
		found := func(check func(testing.TB)) int {
			f := new(failures)
			check(f)
			return f.n
		}
		each := func(t testing.TB) { w.EachOnce(t) }
		visit("/robots.txt")
		visit("/1")
		if n := found(each); n != 1 {
			t.Errorf("one page missing: %d complaints", n)
		}
		visit("/2")
		w.EachOnce(t)
		w.Gaps(t, time.Second)
		if n := found(func(t testing.TB) { w.Gaps(t, 2*time.Second) }); n != 2 {
			t.Errorf("two gaps too small: %d complaints", n)
		}
		visit("/2")
		if n := found(each); n != 1 {
			t.Errorf("one page twice: %d complaints", n)
		}
		if n := found(func(t testing.TB) { w.EachOnce(t, "http://a.test/1") }); n != 1 {
			t.Errorf("a page not wanted: %d complaints", n)
		}
		w.RoundTrip(&http.Request{URL: &url.URL{Scheme: "http", Host: "b.test", Path: "/"}})
		if n := found(func(t testing.TB) { w.Gaps(t, time.Second) }); n != 1 {
			t.Errorf("robots.txt not first: %d complaints", n)
		}
	})
}

// FuzzParse: a file either is read or refused, and what was read answers.
func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Add("-- http://a.test/ --\nHTTP 200\n:\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := Parse(text)
		if err != nil {
			return
		}
		for _, u := range w.URLs() {
			if p, err := url.Parse(u); err == nil && w.answers(u) > 0 && w.pages[u][0].wait == 0 {
				w.RoundTrip(&http.Request{URL: p})
			}
		}
	})
}
