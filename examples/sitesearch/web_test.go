package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/index"
)

// engineOf indexes pages in memory.
func engineOf(t *testing.T, pages ...*crawler.Page) *engine {
	t.Helper()
	ix, err := index.New(index.Options{Schema: schema()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, p := range pages {
		if err := w.Add(t.Context(), document(p)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &engine{index: ix}
}

// numbered makes pages that all hold the word "page" and their own number.
func numbered(n int) (pages []*crawler.Page) {
	for i := range n {
		pages = append(pages, &crawler.Page{URL: fmt.Sprintf("http://a.test/docs/%03d.html", i), Title: fmt.Sprintf("Page %d", i), Text: fmt.Sprintf("This is page n%d.", i)})
	}
	return pages
}

func webOf(e *engine, s status) http.Handler {
	page := &web{engine: e, status: func() status { return s }, log: slog.New(slog.DiscardHandler)}
	return page.handler()
}

func ask(t *testing.T, h http.Handler, method, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

func askDoc(t *testing.T, h http.Handler, target string) *goquery.Document {
	t.Helper()
	w := ask(t, h, "GET", target)
	if w.Code != http.StatusOK {
		t.Errorf("%s: status %d", target, w.Code)
	}
	doc, err := goquery.NewDocumentFromReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	h := webOf(engineOf(t), status{})
	for target, want := range map[string]string{
		"/":                 "text/html; charset=utf-8",
		"/?q=x":             "text/html; charset=utf-8",
		"/nowhere":          "text/html; charset=utf-8",
		"/static/style.css": "text/css; charset=utf-8",
		"/static/search.js": "text/javascript; charset=utf-8",
		"/static/icon.svg":  "image/svg+xml",
		"/api/search?q=x":   "application/json",
		"/api/status":       "application/json",
		"/api/nowhere":      "application/json",
	} {
		got := ask(t, h, "GET", target).Header()
		if got.Get("Content-Type") != want {
			t.Errorf("%s is %q, want %q", target, got.Get("Content-Type"), want)
		}
		csp := got.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "script-src 'self'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: policy %q lacks %q", target, csp, part)
			}
		}
		if strings.Contains(csp, "unsafe") || got.Get("X-Content-Type-Options") != "nosniff" || got.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%s: headers %v", target, got)
		}
	}
	for _, target := range []string{"/static/", "/static/page.html", "/page.html", "/static/../page.html"} {
		if w := ask(t, h, "GET", target); w.Code == http.StatusOK {
			t.Errorf("%s is served", target)
		}
	}
}

// What a hostile page calls itself stays text.
func TestEscaping(t *testing.T) {
	t.Parallel()
	const evil = `<script>alert(1)</script><img src=x onerror=alert(2)> "quoted" & 'single'`
	e := engineOf(t, &crawler.Page{URL: "http://a.test/%3Cscript%3Ealert(3)%3C/script%3E?a=<b>&c='d'", Title: evil + " title", Text: "Before " + evil + " after alert."})
	for _, q := range []string{"alert", evil, `"><script>alert(4)</script>`} {
		h := webOf(e, status{})
		body := ask(t, h, "GET", "/?q="+url.QueryEscape(q)).Body.String()
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if n := doc.Find("script").Length(); n != 1 {
			t.Errorf("%s: %d scripts in the page:\n%s", q, n, body)
		}
		if doc.Find("img, [onerror]").Length() > 0 {
			t.Errorf("%s: an image got into the page:\n%s", q, body)
		}
	}
	doc := askDoc(t, webOf(e, status{}), "/?q=alert")
	if got := doc.Find(".hit h2").Text(); got != evil+" title" {
		t.Errorf("title shown as %q", got)
	}
	if got := doc.Find(".hits mark").First().Text(); got != "alert" {
		t.Errorf("marked %q", got)
	}
}

// An address is a link only when it is one of the web.
func TestHitLinks(t *testing.T) {
	t.Parallel()
	e := engineOf(t, &crawler.Page{URL: "javascript:alert(1)", Title: "Evil", Text: "evil"})
	if got := askDoc(t, webOf(e, status{}), "/?q=evil").Find(".hit").AttrOr("href", ""); strings.HasPrefix(got, "javascript") {
		t.Errorf("a hit links to %q", got)
	}
	h := hit{URL: "http://a.test:8080/docs/a%20b/page.html?x=1&y=2"}
	if got := strings.Join(h.Trail(), " > "); got != "a.test:8080 > docs > a b > page.html?x=1&y=2" {
		t.Errorf("trail %q", got)
	}
	if got := (hit{URL: "http://a.test/"}).Trail(); len(got) != 1 || got[0] != "a.test" {
		t.Errorf("trail of a root %q", got)
	}
}

func TestPagination(t *testing.T) {
	t.Parallel()
	h := webOf(engineOf(t, numbered(95)...), status{Indexed: 95})
	seen := map[string]bool{}
	target := "/?q=page"
	pages := 0
	for target != "" {
		pages++
		doc := askDoc(t, h, target)
		for _, n := range doc.Find(".hit").EachIter() {
			seen[n.AttrOr("href", "")] = true
		}
		if got := doc.Find(".pages [aria-current]").Text(); got != fmt.Sprint(pages) {
			t.Errorf("%s: current page %q, want %d", target, got, pages)
		}
		if got, want := doc.Find(".hits").AttrOr("start", ""), fmt.Sprint((pages-1)*10+1); got != want {
			t.Errorf("%s: first hit is number %s, want %s", target, got, want)
		}
		target = doc.Find(`.pages a[rel=next]`).AttrOr("href", "")
	}
	if pages != 10 || len(seen) != 95 {
		t.Errorf("%d pages with %d different hits, want 10 with 95", pages, len(seen))
	}
	doc := askDoc(t, h, "/?q=page&page=99")
	if got := doc.Find(".pages a[rel=prev]").AttrOr("href", ""); got != "/?page=10&q=page" {
		t.Errorf("from behind the last page leads back %q", got)
	}
	if n := askDoc(t, h, "/?q=n7").Find(".pages").Length(); n != 0 {
		t.Error("one page of results has links to pages")
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	full, empty := engineOf(t, numbered(3)...), engineOf(t)
	for _, test := range []struct {
		name   string
		h      http.Handler
		target string
		want   []string
	}{
		{"start", webOf(full, status{Indexed: 3}), "/", []string{"Search 3 pages", "Type a few words"}},
		{"start without pages", webOf(empty, status{}), "/", []string{"The index is empty"}},
		{"start of a crawl", webOf(empty, status{Running: true}), "/", []string{"on their way", "Crawling: 0 pages so far", `<noscript><meta http-equiv="refresh"`}},
		{"blank query", webOf(full, status{Indexed: 3}), "/?q=+++", []string{"Type a few words"}},
		{"nothing found", webOf(full, status{}), "/?q=zebra", []string{"No page matches", "0 pages in"}},
		{"nothing found yet", webOf(full, status{Running: true}), "/?q=zebra", []string{"still going on"}},
		{"empty index", webOf(empty, status{}), "/?q=zebra", []string{"The index is empty"}},
		{"misspelt", webOf(full, status{}), "/?q=pagge", []string{"Did you mean", `href="/?q=page"`}},
		{"operators only", webOf(full, status{}), "/?q=" + strings.Repeat("(", 10_000), []string{"Not understood in the query"}},
	} {
		w := ask(t, test.h, "GET", test.target)
		if w.Code != http.StatusOK {
			t.Errorf("%s: status %d", test.name, w.Code)
		}
		for _, want := range test.want {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: the page lacks %q", test.name, want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	e := engineOf(t, numbered(3)...)
	h := webOf(e, status{})
	broken := engineOf(t)
	broken.index.Close()
	for _, test := range []struct {
		h              http.Handler
		method, target string
		status         int
		code           string
	}{
		{h, "GET", "/api/search?q=page&page=0", 400, "bad_page"},
		{h, "GET", "/api/search?q=page&page=x", 400, "bad_page"},
		{h, "GET", "/api/search?q=page&page=1001", 400, "bad_page"},
		{h, "GET", "/api/search?q=page&page=99999999999999999999", 400, "bad_page"},
		{h, "GET", "/api/search?q=page&size=101", 400, "bad_size"},
		{h, "GET", "/api/search?q=page&size=-1", 400, "bad_size"},
		{h, "GET", "/api/search?q=page&size=100&page=101", 400, "bad_page"},
		{h, "GET", "/api/search", 400, "bad_query"},
		{h, "GET", "/api/search?q=" + strings.Repeat("a", maxQuery+1), 400, "bad_query"},
		{h, "POST", "/api/search?q=page", 405, "bad_method"},
		{h, "DELETE", "/api/status", 405, "bad_method"},
		{h, "GET", "/api/else", 404, "not_found"},
		{webOf(broken, status{}), "GET", "/api/search?q=page", 500, "internal"},
	} {
		w := ask(t, test.h, test.method, test.target)
		var got struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Errorf("%s %.60s: %v in %s", test.method, test.target, err, w.Body)
		}
		if w.Code != test.status || got.Error.Code != test.code || got.Error.Message == "" {
			t.Errorf("%s %.60s: %d %+v, want %d %s", test.method, test.target, w.Code, got, test.status, test.code)
		}
	}
	for target, code := range map[string]int{"/?q=page&page=x": 400, "/nowhere": 404, "/?q=page&size=0": 400} {
		if w := ask(t, h, "GET", target); w.Code != code || !strings.Contains(w.Body.String(), "That did not work") {
			t.Errorf("%s: status %d, want %d and a page that says so", target, w.Code, code)
		}
	}
	if w := ask(t, h, "POST", "/"); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
		t.Errorf("POST: status %d", w.Code)
	}
	if w := ask(t, webOf(broken, status{}), "GET", "/?q=mysterious"); w.Code != 500 || !strings.Contains(w.Body.String(), "could not answer") || !strings.Contains(w.Body.String(), `value="mysterious"`) {
		t.Errorf("a broken index gives status %d: %s", w.Code, w.Body)
	}
}

func TestAPI(t *testing.T) {
	t.Parallel()
	h := webOf(engineOf(t, numbered(30)...), status{Running: true, Pages: 5, Indexed: 30, Waiting: 2, Failed: 1})
	var got struct {
		asked
		Hint       string
		Page, Size int
	}
	dec := json.NewDecoder(bytes.NewReader(ask(t, h, "GET", "/api/search?q=page+n25&page=1&size=5").Body.Bytes()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Query != "page n25" || got.Total != (total{1, true}) || len(got.Hits) != 1 || got.Page != 1 || got.Size != 5 || got.TookUS <= 0 {
		t.Errorf("answer %+v", got)
	}
	want := apiHit{"http://a.test/docs/025.html", "Page 25", got.Hits[0].Score, "This is <mark>page</mark> <mark>n25</mark>."}
	if got.Hits[0] != want {
		t.Errorf("hit %+v, want %+v", got.Hits[0], want)
	}
	if body := ask(t, h, "GET", "/api/search?q=zebra").Body.String(); !strings.Contains(body, `"hits":[]`) {
		t.Errorf("no hits are %s", body)
	}
	if body := ask(t, h, "GET", "/api/status").Body.String(); body != `{"running":true,"pages":5,"indexed":30,"waiting":2,"failed":1,"text":"Crawling: 5 pages so far, 2 waiting, 1 failed."}`+"\n" {
		t.Errorf("status is %s", body)
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %q, want %q", n, got, want)
		}
	}
	a := answer{Took: 1500 * time.Microsecond, page: 2, size: 10, Hits: make([]hit, 3)}
	a.Total.Value = 1013
	if got := a.Found(); got != "11 to 13 of more than 1,013 pages, 1.5 ms" {
		t.Errorf("Found says %q", got)
	}
	for s, want := range map[status]string{
		{}:                        "No crawl is going on.",
		{Pages: 1}:                "Crawl finished: 1 page.",
		{Pages: 1, Waiting: 1000}: "Crawl stopped: 1 page, 1,000 still waiting.",
	} {
		if s.String() != want {
			t.Errorf("%+v is %q, want %q", s, s, want)
		}
	}
}
