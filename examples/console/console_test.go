package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler/job"
)

// childDir is the environment variable that makes this program a console over a folder.
const childDir = "QUARRY_TEST_CONSOLE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := run(context.Background(), []string{"-dir", dir, "-addr", "127.0.0.1:0"}, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// server is a console with the bundled shop.
func server(t *testing.T, token string) (*desk, *httptest.Server) {
	t.Helper()
	shop, err := serveShop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := openTestDesk(t, t.TempDir())
	if err := d.create("kettles", []byte(shopSpec(shop))); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(newWeb(d, token).handler())
	t.Cleanup(s.Close)
	return d, s
}

func get(t *testing.T, address string) (int, string) {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func post(t *testing.T, address string, form url.Values) (int, string) {
	t.Helper()
	resp, err := http.PostForm(address, form)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// ended waits for the end of a run.
func ended(t *testing.T, d *desk, name string) job.Run {
	t.Helper()
	e, err := d.find(name)
	if err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if r := e.job.Status().Run; r.Number > 0 && r.State != job.Running && !exists(e.path(runningFile)) {
			e.takeIn()
			return r
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("%+v", e.job.Status())
		}
	}
}

// TestJobFromNothing: a job is made, run, searched, recrawled, exported, copied and deleted.
func TestJobFromNothing(t *testing.T) {
	t.Parallel()
	d, s := server(t, "")
	spec := regexp.MustCompile(`name: Kettles.*\n`).ReplaceAllString(func() string {
		_, text := get(t, s.URL+"/jobs/kettles/job.yaml")
		return text
	}(), "name: Mine\n")
	if code, text := post(t, s.URL+"/save", url.Values{"name": {"mine"}, "spec": {strings.ReplaceAll(spec, "\n", "\r\n")}}); code != 200 || !strings.Contains(text, "never run") {
		t.Fatal(code, text)
	}
	post(t, s.URL+"/jobs/mine/start", nil)
	if r := ended(t, d, "mine"); r.State != job.Done || r.Pages.Records != 24 {
		t.Fatalf("%+v", r)
	}
	for query, want := range map[string][]string{
		"q=":                {"24 results", "page 1 of 2"},
		"q=&page=2":         {"24 results", "page 2 of 2"},
		"q=goosneck":        {"4 results", "<mark>gooseneck</mark>"},
		"q=name:teapot":     {"4 results"},
		"q=&f:maker=Dune":   {"6 results", "selected>Dune (6)"},
		"q=&from:price=70":  {"3 results"},
		"q=&from:price=x":   {"is no number"},
		"q=%22&sort=-price": {"result"},
		"q=zzzzzz":          {"0 results"},
		"q=&sort=nonsense":  {"24 results"},
		"q=&page=-3":        {"page 1 of 2"},
	} {
		_, text := get(t, s.URL+"/jobs/mine/search?"+query)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s: no %q in %s", query, w, regexp.MustCompile(`(?s)<tbody>.*</tbody>`).ReplaceAllString(text, ""))
			}
		}
	}
	post(t, s.URL+"/jobs/mine/recrawl", nil)
	if r := ended(t, d, "mine"); r.Pages.Same != 28 || r.Pages.New != 0 {
		t.Errorf("%+v", r)
	}
	if _, text := get(t, s.URL+"/jobs/mine/records.csv"); strings.Count(text, "\n") != 25 || !strings.Contains(text, "Dune teapot,Dune,40.27,EUR,4,no,") {
		t.Error(text)
	}
	if _, text := get(t, s.URL+"/jobs/mine/records.jsonl"); strings.Count(text, "\n") != 24 {
		t.Error(text)
	}
	// Other settings take effect without a visit.
	form := url.Values{"stemming": {"english"}, "stop_words": {"teapot"}, "min_length": {"2"}, "k1": {"1"}, "b": {"0.5"}, "max_edits": {"0"}, "weight:name": {"3"}}
	if code, text := post(t, s.URL+"/jobs/mine/index", form); code != 200 {
		t.Error(code, text)
	}
	if _, text := get(t, s.URL+"/jobs/mine/search?q=teapots"); strings.Contains(text, "4 results") {
		t.Error("a stop word is found")
	}
	if _, text := get(t, s.URL+"/jobs/mine/search?q=kettles"); !strings.Contains(text, "20 results") {
		t.Error("a stem is not found")
	}
	if _, text := get(t, s.URL+"/jobs/mine/search?q=ketles"); strings.Contains(text, "20 results") {
		t.Error("an error is forgiven")
	}
	form.Set("max_edits", "1")
	post(t, s.URL+"/jobs/mine/index", form)
	if _, text := get(t, s.URL+"/jobs/mine/search?q=ketles"); !strings.Contains(text, "20 results") {
		t.Error("an error is not forgiven")
	}
	form.Set("b", "7")
	if code, text := post(t, s.URL+"/jobs/mine/index", form); code != http.StatusBadRequest || !strings.Contains(text, "b: a number from 0 to 1") {
		t.Error(code, text)
	}
	for _, name := range []string{"kettles", "../x", "", "a b"} {
		if code, _ := post(t, s.URL+"/jobs/mine/copy", url.Values{"to": {name}}); code != http.StatusBadRequest && code != http.StatusConflict {
			t.Errorf("a copy named %q: %d", name, code)
		}
	}
	if code, _ := post(t, s.URL+"/jobs/mine/copy", url.Values{"to": {"copy"}}); code != 200 {
		t.Error(code)
	}
	if code, _ := post(t, s.URL+"/jobs/mine/remove", nil); code != 200 || exists(filepath.Join(d.dir, "mine")) {
		t.Error(code)
	}
	if code, _ := get(t, s.URL+"/jobs/mine"); code != http.StatusNotFound {
		t.Error(code)
	}
	if code, text := post(t, s.URL+"/save", url.Values{"name": {"bad"}, "spec": {"seds: a\norder: x\n"}}); code != 200 || !strings.Contains(text, "line 1, column 1") || exists(filepath.Join(d.dir, "bad")) {
		t.Error(code, text)
	}
}

// TestGuard: the console is for who is on this machine or knows the token, and other sites
// can neither change nor read anything.
func TestGuard(t *testing.T) {
	t.Parallel()
	_, open := server(t, "")
	ask := func(s *httptest.Server, method, path string, change func(*http.Request)) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return resp
	}
	for _, path := range []string{"/jobs/kettles/start", "/jobs/kettles/remove", "/save", "/try", "/pick", "/parse", "/jobs/kettles/index"} {
		for name, change := range map[string]func(*http.Request){
			"fetch metadata": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
			"origin":         func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
			"same site":      func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		} {
			if resp := ask(open, "POST", path, change); resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s by %s: %d", path, name, resp.StatusCode)
			}
		}
	}
	if resp := ask(open, "GET", "/", func(r *http.Request) { r.Host = "evil.example" }); resp.StatusCode != http.StatusMisdirectedRequest {
		t.Error(resp.StatusCode)
	}
	for _, path := range []string{"/", "/jobs/kettles/search"} {
		h := ask(open, "GET", path, func(*http.Request) {}).Header
		if csp := h.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "script-src 'self'") || h.Get("X-Frame-Options") != "DENY" || h.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: %v", path, h)
		}
	}
	_, closed := server(t, "sesame")
	for _, path := range []string{"/", "/jobs/kettles", "/jobs/kettles/status.json", "/console.js"} {
		if resp := ask(closed, "GET", path, func(*http.Request) {}); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without the token: %d", path, resp.StatusCode)
		}
	}
	enter := func(token string) []*http.Cookie {
		return ask(closed, "POST", "/enter", func(r *http.Request) {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Body = io.NopCloser(strings.NewReader(url.Values{"token": {token}}.Encode()))
		}).Cookies()
	}
	if c := enter("sesam"); len(c) > 0 {
		t.Error(c)
	}
	c := enter("sesame")
	if len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode {
		t.Fatal(c)
	}
	if resp := ask(closed, "GET", "/", func(r *http.Request) { r.AddCookie(c[0]); r.Host = "console.example" }); resp.StatusCode != http.StatusOK {
		t.Error(resp.StatusCode)
	}
}

// TestHarmless: of a page that is picked from nothing runs, loads or leads away.
func TestHarmless(t *testing.T) {
	t.Parallel()
	const page = `<!doctype html><html><head><base href="http://evil.example/"><meta http-equiv="refresh" content="0;url=http://evil.example/">
<link rel=stylesheet href="http://evil.example/a.css"><script>evil()</script></head><body onload="evil()" background="http://evil.example/b.png">
<h1 class=title ONCLICK=evil()>Title</h1><a class=go href="javascript:evil()" ping="http://evil.example/ping">go</a><img src=x onerror=evil() srcset="http://evil.example/c.png 2x">
<svg onload=evil()><a xlink:href="javascript:evil()"><text>t</text></a><script>evil()</script><use href="http://evil.example/d.svg#x"/></svg>
<form action="http://evil.example/"><button formaction="javascript:evil()">b</button><input name=q autofocus onfocus=evil()></form>
<iframe srcdoc="<script>evil()</script>"></iframe><object data="http://evil.example/e"></object><embed src="http://evil.example/f"><template><script>evil()</script></template>
<noscript><img src="http://evil.example/g"></noscript><math><maction actiontype="statusline" xlink:href="javascript:evil()">m</maction></math>
<video poster="http://evil.example/h"><source src="http://evil.example/i"></video><div data-quarry-href="x" style="background:url(http://evil.example/j)">d</div></body></html>`
	out, err := harmless([]byte(page))
	if err != nil {
		t.Fatal(err)
	}
	text := string(out)
	for _, bad := range []string{"<script", "onload", "onclick", "onerror", "onfocus", " href=", " src=", "srcset", "action=", "formaction", "ping=", "xlink:href", "<base", "<meta", "<link", "<iframe", "<object", "<embed", "<template", "poster", "background=", "autofocus"} {
		if strings.Contains(strings.ToLower(text), bad) {
			t.Errorf("%q is left in %s", bad, text)
		}
	}
	if !strings.Contains(text, `class="title"`) || !strings.Contains(text, `data-quarry-href="javascript:evil()"`) {
		t.Error(text)
	}
	tr := newTries()
	rec := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/pick/x", nil)
	r.SetPathValue("id", tr.keep(try{html: out}))
	secure(http.HandlerFunc(tr.frame)).ServeHTTP(rec, r)
	csp := rec.Header().Get("Content-Security-Policy")
	if !strings.Contains(csp, "sandbox allow-scripts;") || !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "allow-same-origin") {
		t.Error(csp)
	}
}

// TestKilled: jobs that ran when the console was killed run again when it is started, and have
// everything in the end.
func TestKilled(t *testing.T) {
	t.Parallel()
	kills := 10
	if testing.Short() {
		kills = 3
	}
	shop, err := serveShop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	names := []string{"one", "two", "three"}
	for _, name := range names {
		spec := strings.Replace(shopSpec(shop), "pace: {delay: 50ms}", "pace: {delay: 60ms, workers: 1}", 1)
		if err := job.Create(filepath.Join(dir, name), []byte(spec)); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, name, consoleFolder), 0o755), os.WriteFile(filepath.Join(dir, name, consoleFolder, runningFile), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(3, 3))
	for range kills {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), childDir+"="+dir)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100*time.Millisecond + time.Duration(r.IntN(300))*time.Millisecond)
		c.Process.Kill()
		c.Wait()
	}
	d := openTestDesk(t, dir)
	for _, name := range names {
		ended(t, d, name)
		e, err := d.find(name)
		if err != nil {
			t.Fatal(err)
		}
		e.takeIn()
		a, err := e.catalog.search(t.Context(), question{})
		if err != nil || a.Total != 24 {
			t.Errorf("%s: %d documents, %v, %+v", name, a.Total, err, e.job.Runs())
		}
	}
}

// TestDamage: a job that is damaged does not keep the console from the others, and an index
// is made anew.
func TestDamage(t *testing.T) {
	t.Parallel()
	shop, err := serveShop(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	d, err := openDesk(dir, 4, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"good", "bad"} {
		if err := d.create(name, []byte(shopSpec(shop))); err != nil {
			t.Fatal(err)
		}
	}
	e, err := d.find("good")
	if err != nil {
		t.Fatal(err)
	}
	d.start(e, false)
	ended(t, d, "good")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	at := func(name ...string) string { return filepath.Join(append([]string{dir}, name...)...) }
	lines, err := os.ReadFile(at("good", "pages.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range []error{
		os.WriteFile(at("bad", "job.yaml"), []byte("seeds: ["), 0o644),
		os.WriteFile(at("good", consoleFolder, placeFile), []byte(`{"file`), 0o644),
		os.WriteFile(at("good", "pages.jsonl"), append([]byte("garbage\n"), lines...), 0o644),
	} {
		if damage != nil {
			t.Fatal(damage)
		}
	}
	d = openTestDesk(t, dir)
	if e, err = d.find("good"); err != nil {
		t.Fatal(err)
	}
	e.takeIn()
	if _, err := e.came(); err == nil || !strings.Contains(err.Error(), "1 line cannot be read") {
		t.Errorf("%v", err)
	}
	if a, err := e.catalog.search(t.Context(), question{}); err != nil || a.Total != 24 {
		t.Errorf("%+v, %v", a, err)
	}
	s := httptest.NewServer(newWeb(d, "").handler())
	defer s.Close()
	if _, text := get(t, s.URL); !strings.Contains(text, "bad cannot be opened") || !strings.Contains(text, "good") {
		t.Error(text)
	}
}

// TestCommandLine: what makes no sense is refused.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-addr", "0.0.0.0:80"}, {"-addr", "nowhere"}, {"x"}, {"-workers", "0"}, {"-sesame"}} {
		if err := run(t.Context(), args, io.Discard); !isUsage(err) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if err := run(t.Context(), []string{"-h"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
}

// TestTry: a dry run shows pages, records and mistakes.
func TestTry(t *testing.T) {
	t.Parallel()
	_, s := server(t, "")
	_, spec := get(t, s.URL+"/jobs/kettles/job.yaml")
	ask := func(path, body string) (a tried) {
		t.Helper()
		resp, err := http.Post(s.URL+path, "application/yaml", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := ask("/try?pages=3", spec); len(a.Pages) != 3 || a.Error != "" || len(a.Pages[1].Records) != 1 || a.Pages[1].Records[0]["price"] == "" {
		t.Errorf("%+v", a)
	}
	if a := ask("/try", "seds: a"); len(a.Mistakes) == 0 {
		t.Errorf("%+v", a)
	}
}
