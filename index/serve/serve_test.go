package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/serve"
	"github.com/webquarry/quarry/index/suggest"
)

// page is a document of the tests.
type page struct{ url, title, text, host string }

// indexOf indexes pages in memory.
func indexOf(t *testing.T, pages ...page) *index.Index {
	t.Helper()
	ix, err := index.New(index.Options{Schema: index.Schema{
		{Name: "title", Weight: 3, Stored: true},
		{Name: "body", Stored: true},
		{Name: "host", Kind: index.Keyword, Column: true},
		{Name: "at", Kind: index.Integer},
		{Name: "word", Kind: index.Keyword},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, p := range pages {
		err := w.Add(t.Context(), index.Document{Key: p.url, Fields: []index.Field{{Name: "title", Value: p.title}, {Name: "body", Value: p.text},
			{Name: "host", Value: p.host}, {Name: "at", Value: int64(i)}, {Name: "word", Value: suggest.Words(p.title, p.text)}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return ix
}

// numbered makes pages that all hold the word "page" and their own number.
func numbered(n int) (pages []page) {
	for i := range n {
		pages = append(pages, page{fmt.Sprintf("http://a.test/docs/%03d.html", i), fmt.Sprintf("Page %d", i), fmt.Sprintf("This is page n%d.", i), fmt.Sprintf("h%d.test", i%3)})
	}
	return pages
}

func handler(ix *index.Index, s serve.Status) http.Handler {
	return serve.New(ix, serve.Options{
		Fields:  []string{"title", "body"},
		Text:    []string{"body"},
		Suggest: &suggest.Suggester{Index: ix, Field: "word"},
		Facets:  []serve.Facet{{Field: "host", Label: "Host"}},
		Orders:  []serve.Order{{Name: "newest", Label: "Newest first", Sort: []index.SortBy{{Field: "at", Descending: true}}}},
		Status:  func() serve.Status { return s },
	})
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
	h := handler(indexOf(t), serve.Status{})
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
	e := indexOf(t, page{url: "http://a.test/%3Cscript%3Ealert(3)%3C/script%3E?a=<b>&c='d'", title: evil + " title", text: "Before " + evil + " after alert."})
	for _, q := range []string{"alert", evil, `"><script>alert(4)</script>`} {
		h := handler(e, serve.Status{})
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
	doc := askDoc(t, handler(e, serve.Status{}), "/?q=alert")
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
	e := indexOf(t, page{url: "javascript:alert(1)", title: "Evil", text: "evil"})
	if got := askDoc(t, handler(e, serve.Status{}), "/?q=evil").Find(".hit").AttrOr("href", ""); strings.HasPrefix(got, "javascript") {
		t.Errorf("a hit links to %q", got)
	}
	h := serve.Hit{URL: "http://a.test:8080/docs/a%20b/page.html?x=1&y=2"}
	if got := strings.Join(h.Trail(), " > "); got != "a.test:8080 > docs > a b > page.html?x=1&y=2" {
		t.Errorf("trail %q", got)
	}
	if got := (serve.Hit{URL: "http://a.test/"}).Trail(); len(got) != 1 || got[0] != "a.test" {
		t.Errorf("trail of a root %q", got)
	}
}

func TestPagination(t *testing.T) {
	t.Parallel()
	h := handler(indexOf(t, numbered(95)...), serve.Status{Documents: 95})
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
	full, empty := indexOf(t, numbered(3)...), indexOf(t)
	for _, test := range []struct {
		name   string
		h      http.Handler
		target string
		want   []string
	}{
		{"start", handler(full, serve.Status{Documents: 3}), "/", []string{`Search <span id="documents">3 pages</span>`, "Type a few words"}},
		{"start without pages", handler(empty, serve.Status{}), "/", []string{"The index is empty"}},
		{"start of a crawl", handler(empty, serve.Status{Running: true}), "/", []string{"on their way", `<noscript><meta http-equiv="refresh"`}},
		{"blank query", handler(full, serve.Status{Documents: 3}), "/?q=+++", []string{"Type a few words"}},
		{"nothing found", handler(full, serve.Status{}), "/?q=zebra", []string{"No page matches", "0 pages in"}},
		{"nothing found yet", handler(full, serve.Status{Running: true}), "/?q=zebra", []string{"still going on"}},
		{"empty index", handler(empty, serve.Status{}), "/?q=zebra", []string{"The index is empty"}},
		{"misspelt", handler(full, serve.Status{}), "/?q=pagge", []string{"Did you mean", `href="/?q=page"`}},
		{"operators only", handler(full, serve.Status{}), "/?q=" + strings.Repeat("(", 10_000), []string{"Not understood in the query"}},
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
	e := indexOf(t, numbered(3)...)
	h := handler(e, serve.Status{})
	broken := indexOf(t)
	broken.Close()
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
		{h, "GET", "/api/search?q=page&order=oldest", 400, "bad_order"},
		{h, "GET", "/api/search", 400, "bad_query"},
		{h, "GET", "/api/search?q=" + strings.Repeat("a", 16_385), 400, "bad_query"},
		{h, "POST", "/api/search?q=page", 405, "bad_method"},
		{h, "DELETE", "/api/status", 405, "bad_method"},
		{h, "GET", "/api/else", 404, "not_found"},
		{handler(broken, serve.Status{}), "GET", "/api/search?q=page", 500, "internal"},
	} {
		w := ask(t, test.h, test.method, test.target)
		var got struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Errorf("%s %.60s: %v in %s", test.method, test.target, err, w.Body)
		}
		if w.Code != test.status || got.Error.Code != test.code || got.Error.Message == "" || strings.HasSuffix(got.Error.Message, " ") {
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
	if w := ask(t, handler(broken, serve.Status{}), "GET", "/?q=mysterious"); w.Code != 500 || !strings.Contains(w.Body.String(), "could not answer") || !strings.Contains(w.Body.String(), `value="mysterious"`) {
		t.Errorf("a broken index gives status %d: %s", w.Code, w.Body)
	}
}

func TestAPI(t *testing.T) {
	t.Parallel()
	h := handler(indexOf(t, numbered(30)...), serve.Status{Running: true, Documents: 30, Text: "Busy.", Details: map[string]int{"waiting": 2}})
	var got serve.Answer
	dec := json.NewDecoder(bytes.NewReader(ask(t, h, "GET", "/api/search?q=page+n25&page=1&size=5").Body.Bytes()))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if got.Query != "page n25" || got.Total != (serve.Total{Value: 30, Exact: true}) || got.AllWords != (serve.Total{Value: 1, Exact: true}) || len(got.Hits) != 5 || got.Page != 1 || got.Size != 5 || got.TookUS <= 0 {
		t.Errorf("answer %+v", got)
	}
	want := serve.Hit{Key: "http://a.test/docs/025.html", URL: "http://a.test/docs/025.html", Title: "Page 25", Score: got.Hits[0].Score,
		SnippetHTML: "This is <mark>page n25</mark>."}
	if got.Hits[0] != want {
		t.Errorf("hit %+v, want %+v", got.Hits[0], want)
	}
	if body := ask(t, h, "GET", "/api/search?q=zebra").Body.String(); !strings.Contains(body, `"hits":[]`) {
		t.Errorf("no hits are %s", body)
	}
	if body := ask(t, h, "GET", "/api/status").Body.String(); body != `{"running":true,"documents":30,"text":"Busy.","details":{"waiting":2}}`+"\n" {
		t.Errorf("status is %s", body)
	}
	if body := ask(t, h, "GET", "/api/suggest?q=th").Body.String(); body != `{"completions":[{"text":"this","word":"this","docs":30}]}`+"\n" {
		t.Errorf("completions are %s", body)
	}
	if body := ask(t, h, "GET", "/api/suggest?q=zzz").Body.String(); body != `{"completions":[]}`+"\n" {
		t.Errorf("no completions are %s", body)
	}
}

// Facets count what there is beside what an answer is narrowed to.
func TestFacets(t *testing.T) {
	t.Parallel()
	h := handler(indexOf(t, numbered(30)...), serve.Status{Documents: 30})
	for _, test := range []struct {
		narrow  string
		matches int
		want    []serve.FacetValue
	}{
		{"", 30, []serve.FacetValue{{"h0.test", 10, false}, {"h1.test", 10, false}, {"h2.test", 10, false}}},
		{"&host=h1.test", 10, []serve.FacetValue{{"h0.test", 10, false}, {"h1.test", 10, true}, {"h2.test", 10, false}}},
		{"&host=h1.test&host=h2.test&host=h1.test", 20, []serve.FacetValue{{"h0.test", 10, false}, {"h1.test", 10, true}, {"h2.test", 10, true}}},
		{"&host=nowhere.test", 0, []serve.FacetValue{{"h0.test", 10, false}, {"h1.test", 10, false}, {"h2.test", 10, false}, {"nowhere.test", 0, true}}},
	} {
		var got serve.Answer
		if err := json.Unmarshal(ask(t, h, "GET", "/api/search?q=page"+test.narrow).Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if got.Total.Value != test.matches || len(got.Facets) != 1 || !slices.Equal(got.Facets[0].Values, test.want) {
			t.Errorf("%s: %d matches, %+v", test.narrow, got.Total.Value, got.Facets)
		}
	}
	doc := askDoc(t, h, "/?q=page&host=h1.test")
	if got := doc.Find(`input[name=host][checked]`).AttrOr("value", ""); got != "h1.test" || doc.Find(`input[name=host]`).Length() != 3 {
		t.Errorf("of the facet %q is chosen", got)
	}
	doc = askDoc(t, h, "/?q=page&host=nowhere.test")
	if got := doc.Find(".note a").AttrOr("href", ""); got != "/?q=page" {
		t.Errorf("without the filters is %q", got)
	}
}

func TestOrders(t *testing.T) {
	t.Parallel()
	h := handler(indexOf(t, numbered(30)...), serve.Status{})
	doc := askDoc(t, h, "/?q=page&order=newest&size=5")
	if got := doc.Find(".hit h2").First().Text(); got != "Page 29" {
		t.Errorf("the newest is %q", got)
	}
	if got := doc.Find(".pages a[rel=next]").AttrOr("href", ""); got != "/?order=newest&page=2&q=page&size=5" {
		t.Errorf("the next page is %q", got)
	}
	if got := doc.Find("#order option[selected]").AttrOr("value", ""); got != "newest" {
		t.Errorf("order %q is shown", got)
	}
}

// A handler answers below a path, and where it is mounted by another.
func TestPath(t *testing.T) {
	t.Parallel()
	h := serve.New(indexOf(t, numbered(30)...), serve.Options{Path: "/find/", Noun: "article", Title: "Archive"})
	mux := http.NewServeMux()
	mux.Handle("/find/", h)
	doc := askDoc(t, mux, "/find/?q=page")
	for _, css := range []string{"link[rel=stylesheet]", ".pages a", ".name"} {
		if got := doc.Find(css).First().AttrOr("href", ""); !strings.HasPrefix(got, "/find/") {
			t.Errorf("%s leads to %q", css, got)
		}
	}
	if got := doc.Find(".count").Text(); !strings.HasPrefix(got, "30 articles in ") {
		t.Errorf("it says %q", got)
	}
	if got := doc.Find("#status").Text(); got != "30 articles." {
		t.Errorf("at the foot it says %q", got)
	}
	if w := ask(t, mux, "GET", "/find/static/style.css"); w.Code != http.StatusOK {
		t.Errorf("the style has status %d", w.Code)
	}
	if w := ask(t, mux, "GET", "/find/nowhere"); w.Code != http.StatusNotFound {
		t.Errorf("nowhere has status %d", w.Code)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	ix := indexOf(t, numbered(1)...)
	h := serve.New(ix, serve.Options{})
	if w := ask(t, h, "GET", "/healthz"); w.Code != http.StatusOK || w.Body.String() != "{\"ok\":true}\n" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	ix.Close()
	if w := ask(t, h, "GET", "/healthz"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("of a closed index: %d %s", w.Code, w.Body)
	}
}

// Searches beyond the limit wait a second, and are then told to come again.
func TestLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limit := serve.NewLimit(2)
		var dones []func()
		for range 2 {
			done, err := limit.Wait(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			dones = append(dones, done)
		}
		start := time.Now()
		_, err := limit.Wait(t.Context())
		if busy, ok := errors.AsType[*serve.Error](err); !ok || busy.Status != http.StatusServiceUnavailable || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := limit.Wait(gone); err != context.Canceled {
			t.Errorf("of a client that has gone: %v", err)
		}
		time.AfterFunc(time.Second/2, dones[0])
		if done, err := limit.Wait(t.Context()); err != nil {
			t.Error(err)
		} else {
			done()
		}
	})
}

// The default address gives way to another program, one that was asked for does not.
func TestListen(t *testing.T) {
	t.Parallel()
	first, err := serve.Listen(t.Context(), "127.0.0.1:0", true)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	taken := first.Addr().String()
	if l, err := serve.Listen(t.Context(), taken, true); err == nil {
		l.Close()
		t.Errorf("%s was opened twice", taken)
	}
	l, err := serve.Listen(t.Context(), taken, false)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if got := l.Addr().String(); got == taken || !strings.HasPrefix(got, "127.0.0.1:") {
		t.Errorf("instead of %s it opened %s", taken, got)
	}
}

func TestPlural(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234", -123: "-123"} {
		if got := serve.Grouped(n); got != want {
			t.Errorf("Grouped(%d) = %q, want %q", n, got, want)
		}
	}
	a := serve.Answer{TookUS: 1500, Page: 2, Size: 10, Hits: make([]serve.Hit, 3), Total: serve.Total{Value: 1013}}
	if got := a.Found("page"); got != "11 to 13 of more than 1,013 pages, 1.5 ms" {
		t.Errorf("Found says %q", got)
	}
}
