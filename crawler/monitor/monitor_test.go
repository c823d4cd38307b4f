package monitor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/frontier"
)

const agent = "test/1.0 (+https://quarry.test/bot)"

const small = `
-- http://a.test/robots.txt --
HTTP 200

User-agent: *
Disallow: /private/
Crawl-delay: 2
-- http://a.test/ --
<a href="/1">one</a> <a href="/gone">x</a> <a href="/private/x">x</a> <a href="/slow">x</a> <a href="/moved">x</a>
-- http://a.test/1 --
<title>One</title><a href="http://b.test/">off site</a>
-- http://a.test/gone --
HTTP 404

-- http://a.test/moved --
HTTP 301
Location: /1

-- http://a.test/slow --
HTTP 200
Test-Wait: 20s

<p>slow
`

// watched is a crawl of a web in memory with a Monitor; to be called in a bubble.
func watched(t testing.TB, web string, opt Options) (*crawler.Crawler, *Monitor) {
	t.Helper()
	w, err := crawlertest.Parse(web)
	if err != nil {
		t.Fatal(err)
	}
	f := frontier.New(frontier.Options{})
	t.Cleanup(func() { f.Close() })
	c := &crawler.Crawler{UserAgent: agent, Frontier: f, Fetcher: &crawler.HTTP{UserAgent: agent, Transport: w}, Workers: 3}
	return c, New(c, opt)
}

// ask sends a request to a handler.
func ask(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	r.Host = "localhost:8080"
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func state(t testing.TB, m *Monitor) (s State) {
	t.Helper()
	w := ask(m, "GET", "/api/state")
	if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil || w.Code != 200 {
		t.Errorf("%d %v\n%s", w.Code, err, w.Body)
	}
	return s
}

func TestState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, m := watched(t, small, Options{})
		told := 0
		chained := c.OnEvent
		c.OnEvent = func(e crawler.Event) { told++; chained(e) }
		if s := state(t, m); s.Status != "ready" || s.Took != 0 || len(s.Workers) != 0 {
			t.Errorf("before: %+v", s)
		}
		ended := make(chan error)
		go func() { ended <- c.Run(m.Watch(t.Context()), "http://a.test/") }()
		time.Sleep(17 * time.Second) // robots.txt and seven visits, two seconds apart; the slow one takes 20 s
		s := state(t, m)
		if s.Status != "running" || s.Took < 14 || s.Counts.Pages != 2 || s.Queue.Leased != 1 || s.Phases["fetching"] != 1 || s.Phases["waiting"] != 2 {
			t.Errorf("%+v", s)
		}
		if q := s.Queue; q.Due != q.Queued || q.Hosts != 1 || s.Hosts[0].Queued != q.Queued || q.VisitRate <= 0 {
			t.Errorf("queue %+v, host %+v", q, s.Hosts[0])
		}
		var slow Worker
		for _, w := range s.Workers {
			if w.URL != "" {
				slow = w
			}
		}
		if slow.URL != "http://a.test/slow" || slow.Phase.String() != "fetching" || slow.Age < 1 || slow.Age > 17 || slow.Visit < slow.Age {
			t.Errorf("worker %+v", slow)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		s = state(t, m)
		if s.Status != "ended" || s.Counts.Pages != 3 || s.Counts.Failed[crawler.ErrStatus] != 1 || s.Counts.Skipped[crawler.SkipRobots] != 1 || s.Queue.Queued != 0 {
			t.Errorf("%+v", s)
		}
		if len(s.Hosts) != 1 || s.Hosts[0].Name != "http://a.test" || s.Hosts[0].Pages != 3 || s.Hosts[0].Failed != 1 || s.Hosts[0].Gap < 2 || s.Hosts[0].Bytes != s.Counts.Bytes {
			t.Errorf("hosts %+v", s.Hosts)
		}
		if len(s.Trouble) != 1 || s.Trouble[0].URL != "http://a.test/gone" || !strings.Contains(s.Trouble[0].Error, "404") {
			t.Errorf("trouble %+v", s.Trouble)
		}
		pages := int64(0)
		for _, n := range s.Series.Pages {
			pages += n
		}
		if pages != 3 || len(s.Series.Pages) < 20 || len(s.Series.Queued) != len(s.Series.Pages) {
			t.Errorf("series %+v", s.Series)
		}
		took := s.Took
		time.Sleep(time.Hour)
		if s := m.State(true); s.Took != took || s.Series.Step != 60 || len(s.Series.Pages) > 2 {
			t.Errorf("an hour later: %+v", s)
		}
	})
}

// TestPauseByRequest: the buttons of the page pause and resume the crawl.
func TestPauseByRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, m := watched(t, small, Options{})
		ended := make(chan error)
		go func() { ended <- c.Run(m.Watch(t.Context()), "http://a.test/") }()
		time.Sleep(3 * time.Second)
		if w := ask(m, "POST", "/api/pause"); w.Code != http.StatusNoContent {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		time.Sleep(time.Hour)
		s := state(t, m)
		if s.Status != "paused" || s.Counts.Pages > 1 || s.Queue.Leased != 0 || s.Queue.Queued == 0 {
			t.Errorf("%+v", s)
		}
		if w := ask(m, "POST", "/api/resume"); w.Code != http.StatusNoContent {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if err := <-ended; err != nil || m.State(false).Counts.Pages != 3 {
			t.Errorf("%v, %+v", err, m.State(false))
		}
	})
}

type judge struct{}

func (judge) Why(url string) string {
	if strings.Contains(url, "private") {
		return "looks like a trap"
	}
	return ""
}

func TestExplain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, m := watched(t, small, Options{Judges: map[string]Judge{"trap": judge{}}})
		if x := m.Explain(t.Context(), "http://a.test/"); len(x.Steps) != 1 || x.Steps[0].Answer != "not begun" {
			t.Errorf("before: %+v", x)
		}
		ended := make(chan error)
		go func() { ended <- c.Run(m.Watch(t.Context()), "http://a.test/") }()
		time.Sleep(3 * time.Second)
		if got := answers(m.Explain(t.Context(), "http://a.test/slow")); !strings.Contains(got, "frontier: queued (depth 1,") || !strings.Contains(got, "found on http://a.test/)") {
			t.Errorf("while it waits: %s", got)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		for url, want := range map[string][]string{
			"HTTP://A.test:80/1#x":     {"canon: rewritten (http://a.test/1)", "scope: followed", "robots: allowed (Crawl-delay 2s)", "frontier: done", "last visit: fetched"},
			"http://a.test/private/x":  {"canon: canonical", "robots: forbidden (Crawl-delay 2s) stops", "trap: looks like a trap", "last visit: skipped (robots)"},
			"http://a.test/gone":       {"frontier: done", "last visit: failed", "404"},
			"http://a.test/moved":      {"last visit: skipped (redirect: http://a.test/1)"},
			"http://a.test/never":      {"frontier: never added", "last visit: none remembered"},
			"http://b.test/":           {"scope: not followed", "stops", "robots: not asked yet", "host: nothing known"},
			"mailto:somebody@a.test":   {"canon: refused", "stops"},
			"javascript:alert(1)":      {"canon: refused"},
			"http://a.test/1?utm_id=3": {"canon: rewritten (http://a.test/1)"},
		} {
			got := answers(m.Explain(t.Context(), url))
			for _, w := range want {
				if !strings.Contains(got, w) {
					t.Errorf("%s: no %q in\n%s", url, w, got)
				}
			}
		}
		w := ask(m, "GET", "/api/explain?url=http%3A%2F%2Fa.test%2Fgone")
		var x Explanation
		if err := json.Unmarshal(w.Body.Bytes(), &x); err != nil || x.Canonical != "http://a.test/gone" || len(x.Steps) < 6 {
			t.Errorf("%d %v %s", w.Code, err, w.Body)
		}
	})
}

func answers(x Explanation) string {
	var b strings.Builder
	for _, s := range x.Steps {
		fmt.Fprintf(&b, "%s: %s", s.Part, s.Answer)
		if s.Detail != "" {
			fmt.Fprintf(&b, " (%s)", s.Detail)
		}
		if s.Stops {
			b.WriteString(" stops")
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, m := watched(t, small, Options{})
		if err := c.Run(m.Watch(t.Context()), "http://a.test/"); err != nil {
			t.Fatal(err)
		}
		w := ask(m, "GET", "/metrics")
		for _, want := range []string{
			"quarry_pages_total 3\n", `quarry_failed_total{kind="status"} 1` + "\n", `quarry_skipped_total{reason="robots"} 1` + "\n",
			`quarry_urls{state="done"} 6` + "\n", `quarry_urls{state="queued"} 0` + "\n", `quarry_workers{phase="fetching"} 0` + "\n",
			"quarry_paused 0\n", "quarry_page_seconds_count 3\n", `quarry_page_seconds_bucket{le="+Inf"} 3` + "\n",
		} {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("no %q in\n%s", want, w.Body)
			}
		}
	})
}

// TestMetricsAreLinted: each metric of a crawl, of its fetches and of the process says what it means, and
// promtool has nothing to find fault with.
func TestMetricsAreLinted(t *testing.T) {
	t.Parallel()
	var text string
	synctest.Test(t, func(t *testing.T) {
		set := metrics.NewSet()
		c, m := watched(t, small, Options{Metrics: set, Folders: []string{t.TempDir()}})
		c.Fetcher = middleware.Metrics{Set: set}.Wrap(c.Fetcher)
		if w := ask(m, "GET", "/readyz"); w.Code != http.StatusServiceUnavailable {
			t.Errorf("ready before the run: %d", w.Code)
		}
		ended := make(chan error)
		go func() { ended <- c.Run(m.Watch(t.Context()), "http://a.test/") }()
		time.Sleep(5 * time.Second)
		if w := ask(m, "GET", "/readyz"); w.Code != http.StatusOK {
			t.Errorf("ready within the run: %d %s", w.Code, w.Body)
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if w := ask(m, "GET", "/healthz"); w.Code != http.StatusOK {
			t.Errorf("%d", w.Code)
		}
		text = ask(m, "GET", "/metrics").Body.String()
	})
	for _, want := range []string{"# TYPE quarry_pages_total counter\n", "# TYPE quarry_page_seconds histogram\n", "quarry_crawl_running 0\n", "# HELP process_", "quarry_disk_free_bytes{", `quarry_fetches_total{result="404"} 1`} {
		if !strings.Contains(text, want) && (runtime.GOOS == "linux" || !strings.Contains(want, "disk") && !strings.Contains(want, "process")) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("SKIPPED: promtool, of the package prometheus, is not installed")
	}
	cmd := exec.CommandContext(t.Context(), promtool, "check", "metrics")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool: %v\n%s", err, out)
	}
}

// TestReadOnly: who may only look cannot pause.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	m := New(&crawler.Crawler{}, Options{ReadOnly: true, Access: Access{Token: "secret"}})
	for _, tt := range []struct {
		method, target, said string
		code                 int
	}{
		{"GET", "/api/state", "", 401}, {"GET", "/api/state", "Bearer secret", 200}, {"POST", "/api/pause", "Bearer secret", 403}, {"POST", "/api/resume", "", 401}, {"GET", "/healthz", "", 200},
	} {
		if w := ask(m, tt.method, tt.target, "Authorization", tt.said); w.Code != tt.code {
			t.Errorf("%s %s %q: %d", tt.method, tt.target, tt.said, w.Code)
		}
	}
	if m.control.Paused() || !m.State(false).ReadOnly {
		t.Error("paused, or not said to be read-only")
	}
}

// TestWhoIsAnswered: only who came by a name of ours, and no other site's page
// pauses a crawl.
func TestWhoIsAnswered(t *testing.T) {
	t.Parallel()
	c := &crawler.Crawler{}
	m := New(c, Options{Access: Access{Names: []string{"crawl.example", "Other.Example"}}})
	for _, tt := range []struct {
		method, target string
		header         []string
		code           int
	}{
		{"GET", "/", nil, 200},
		{"GET", "/page.js", nil, 200},
		{"GET", "/page.css", nil, 200},
		{"GET", "/", []string{"Host", "127.0.0.1:80"}, 200},
		{"GET", "/", []string{"Host", "[::1]:80"}, 200},
		{"GET", "/", []string{"Host", "[::1]"}, 200},
		{"GET", "/", []string{"Host", "crawl.example:8080"}, 200},
		{"GET", "/", []string{"Host", "other.example:8080"}, 200},
		{"GET", "/api/state", []string{"Host", "evil.example"}, 403},
		{"GET", "/metrics", []string{"Host", "127.0.0.1.evil.example:80"}, 403},
		{"GET", "/api/state?range=1y", nil, 400},
		{"GET", "/api/explain", nil, 400},
		{"GET", "/api/explain?url=" + strings.Repeat("x", maxURL+1), nil, 400},
		{"GET", "/api/pause", nil, 404},
		{"GET", "/none", nil, 404},
		{"POST", "/api/pause", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"POST", "/api/pause", []string{"Origin", "http://evil.example"}, 403},
		{"POST", "/api/pause", []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://localhost:8080"}, 204},
		{"POST", "/api/resume", nil, 204},
	} {
		w := ask(m, tt.method, tt.target, tt.header...)
		if w.Code != tt.code {
			t.Errorf("%s %.40s %q: %d, want %d", tt.method, tt.target, tt.header, w.Code, tt.code)
		}
		if tt.code == 200 && (w.Header().Get("Content-Security-Policy") == "" || w.Header().Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("%s: header %v", tt.target, w.Header())
		}
	}
	if m.control.Paused() {
		t.Error("paused")
	}
}

// TestLongErrors: what a server makes of an error does not fill the memory.
func TestLongErrors(t *testing.T) {
	t.Parallel()
	c := &crawler.Crawler{}
	m := New(c, Options{})
	c.OnEvent(crawler.Event{Kind: crawler.Failed, URL: "http://a.test/", Err: errors.New(strings.Repeat("ü", 1<<20))})
	trouble := m.State(false).Trouble
	if len(trouble) != 1 || len(trouble[0].Error) > longestError+3 || !strings.HasPrefix(trouble[0].Error, "üü") {
		t.Errorf("%d visits, the first of %d bytes", len(trouble), len(trouble[0].Error))
	}
}

func TestListen(t *testing.T) {
	t.Parallel()
	m := New(&crawler.Crawler{}, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	url, err := m.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.Get(url)
	if err != nil || r.StatusCode != 200 {
		t.Fatalf("%v, %v", r, err)
	}
	r.Body.Close()
	if _, err := m.Listen(ctx, strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")); err == nil {
		t.Error("two at one address")
	}
	cancel()
	for range 100 {
		if _, err := http.Get(url); err != nil {
			return
		}
	}
	t.Error("still there")
}
