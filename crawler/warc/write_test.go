package warc_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nlnwa/gowarc/v3"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/frontier"
)

const testAgent = "warctest/1.0 (+https://bot.example/about)"

// small is a web with what an archive has to keep apart: redirects, a body that
// is compressed, one that comes twice, one that is missing, robots.txt.
func small(t testing.TB) *crawlertest.Web {
	t.Helper()
	web, err := crawlertest.Parse(`
-- http://a.test/robots.txt --
HTTP 200
Content-Type: text/plain

User-agent: *
Disallow: /private
-- http://a.test/ --
<title>Home</title>
<a href=/moved>moved</a> <a href=/twin1>one</a> <a href=/twin2>two</a> <a href=/packed>packed</a>
<a href=/gone>gone</a> <a href=/private>no</a> <a href=/latin>latin</a> <a href=/empty>empty</a>
-- http://a.test/moved --
HTTP 301
Location: /new
Set-Cookie: session=secret

-- http://a.test/new --
<title>New</title><p>where it moved
-- http://a.test/twin1 --
<title>Twin</title><p>the same text under two addresses
-- http://a.test/twin2 --
<title>Twin</title><p>the same text under two addresses
-- http://a.test/latin --
HTTP 200
Content-Type: text/html; charset=iso-8859-1

<title>Caf` + "\xe9" + `</title>
-- http://a.test/empty --
HTTP 200
Content-Type: text/html

-- http://a.test/gone --
HTTP 404
Content-Type: text/html

nothing here
`)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, "<title>Packed</title><p>"+strings.Repeat("squeezed ", 100))
	z.Close()
	web.Add("http://a.test/packed", "HTTP 200\nContent-Type: text/html\nContent-Encoding: gzip\n\n"+packed.String())
	return web
}

// pages collects what a crawl puts.
type pages struct {
	mu  sync.Mutex
	all map[string]crawler.Page
}

func (p *pages) Put(_ context.Context, r *crawler.Result) error {
	page := r.Page
	if page == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[string]crawler.Page{}
	}
	p.all[page.URL] = *page
	return nil
}

// crawl visits a web with a fetcher, and returns the pages.
func crawl(t testing.TB, f crawler.Fetcher, seeds ...string) map[string]crawler.Page {
	t.Helper()
	var got pages
	c := crawler.Crawler{UserAgent: testAgent, Fetcher: f, Sink: &got, Workers: 1, // twins written at the same time are both written whole
		Frontier: frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1, PerHost: -1, PerDomain: -1}})}
	if err := c.Run(t.Context(), seeds...); err != nil {
		t.Fatal(err)
	}
	return got.all
}

// archive crawls the web and archives it in a folder.
func archive(t testing.TB, web http.RoundTripper, dir string, opt warc.Options) map[string]crawler.Page {
	t.Helper()
	w, err := warc.OpenWriter(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	got := crawl(t, w.Capture(&crawler.HTTP{UserAgent: testAgent, Transport: web}), "http://a.test/")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return got
}

func files(t testing.TB, pattern ...string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestIndependentReader has a library of other make read what was written, with
// all its checks on. Its readers are made one after the other, since each sets the
// same global variable.
func TestIndependentReader(t *testing.T) {
	t.Parallel()
	for name, opt := range map[string]warc.Options{"gzip": {}, "plain": {Plain: true}, "sha256": {SHA256: true}, "rotated": {MaxFile: 2000, Info: warc.Header{{"operator", "us"}}}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			archive(t, small(t), dir, opt)
			kinds := map[string]int{}
			for _, file := range files(t, dir, "*.warc*") {
				if strings.HasSuffix(file, ".lock") {
					continue
				}
				r, err := gowarc.NewWarcFileReader(file, 0, gowarc.WithStrictValidation())
				if err != nil {
					t.Fatal(err)
				}
				for rec, err := range r.Records() {
					if err != nil {
						t.Fatalf("%s: %v", file, err)
					}
					block, err := rec.WarcRecord.Block().RawBytes()
					if err == nil {
						_, err = io.Copy(io.Discard, block)
					}
					if err == nil {
						var wrong []error
						wrong, err = rec.WarcRecord.ValidateDigest()
						rec.Validation = append(rec.Validation, wrong...)
					}
					if err != nil || len(rec.Validation) > 0 {
						t.Errorf("%s: %v: %v, %v", file, rec.WarcRecord, err, rec.Validation)
					}
					kinds[rec.WarcRecord.Type().String()]++
				}
				r.Close()
			}
			infos := kinds[warc.Warcinfo]
			delete(kinds, warc.Warcinfo)
			if want := map[string]int{"response": 9, "revisit": 1, "request": 10, "metadata": 10}; !maps.Equal(kinds, want) {
				t.Errorf("records %v, want %v", kinds, want)
			}
			if (name == "rotated") != (infos > 2) {
				t.Errorf("%d files", infos)
			}
		})
	}
}

// TestOwnReader reads the same, verifies digests, and finds each capture where
// the index says.
func TestOwnReader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	archive(t, small(t), dir, warc.Options{MaxFile: 3000})
	a, err := warc.OpenArchive(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for rec, err := range a.Records() {
		if err == nil {
			err = rec.Verify()
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if want := 30 + len(files(t, dir, "*.warc.gz")); n != want {
		t.Errorf("%d records, want %d", n, want)
	}
	lines := 0
	for _, name := range files(t, dir, "*.cdxj") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all := strings.SplitAfter(string(text), "\n")
		if !slices.IsSorted(all[:len(all)-1]) {
			t.Errorf("%s is not sorted", name)
		}
		for _, line := range all[:len(all)-1] {
			lines++
			e, err := warc.ParseEntry(strings.TrimSuffix(line, "\n"))
			if err != nil || e.String()+"\n" != line {
				t.Fatalf("%q: %v, %v", line, e, err)
			}
			e.File = filepath.Join(dir, e.File)
			rec, file, err := a.Load(e)
			if err != nil {
				t.Fatal(err)
			}
			if rec.URL != e.URL || rec.Header.Get("WARC-Payload-Digest") != e.Digest {
				t.Errorf("%q leads to %v", line, rec.Header)
			}
			file.Close()
		}
	}
	if lines != 10 {
		t.Errorf("%d lines in the indexes, want 10", lines)
	}
}

// TestTrueExchange: what is written is what was sent and received.
func TestTrueExchange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	archive(t, small(t), dir, warc.Options{})
	a, err := warc.OpenArchive(dir)
	if err != nil {
		t.Fatal(err)
	}
	took := regexp.MustCompile(`fetchTimeMs: \d+\r\n`)
	var text strings.Builder
	for rec, err := range a.Records() {
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(rec.Block)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(block, []byte("secret")) {
			t.Errorf("a secret is in the archive:\n%s", block)
		}
		fmt.Fprintf(&text, "%s %s\n%s\n", rec.Type, rec.URL, took.ReplaceAll(block, []byte("fetchTimeMs: N\r\n")))
	}
	for _, want := range []string{
		"response http://a.test/robots.txt\nHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nUser-agent: *",
		"request http://a.test/robots.txt\nGET /robots.txt HTTP/1.1\r\nHost: a.test\r\nAccept: ",
		"response http://a.test/moved\nHTTP/1.1 301 Moved Permanently\r\nContent-Type: text/html; charset=utf-8\r\nLocation: /new\r\n\r\n",
		"Content-Encoding: gzip\r\nContent-Type: text/html\r\n\r\n\x1f\x8b\x08",
		"metadata http://a.test/twin1\nfetchTimeMs: N\r\nvia: http://a.test/\r\nhopsFromSeed: L\r\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in the archive:\n%s", want, text.String())
		}
	}
}

// TestReplay crawls from an archive what was crawled into it.
func TestReplay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := archive(t, small(t), dir, warc.Options{MaxFile: 3000})
	a, err := warc.OpenArchive(dir)
	if err != nil {
		t.Fatal(err)
	}
	same(t, crawl(t, &warc.Fetcher{Archive: a}, "http://a.test/"), want)

	// And page by page.
	got := map[string]crawler.Page{}
	for resp, err := range a.Responses(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if page, err := new(crawler.HTML).Parse(t.Context(), resp); err == nil && resp.Status == 200 && !strings.HasSuffix(resp.URL, "robots.txt") {
			got[page.URL] = *page
		}
	}
	same(t, got, want)
	if _, err := (&warc.Fetcher{Archive: a}).Fetch(t.Context(), frontier.Request{URL: "http://b.test/"}); err != nil {
		t.Errorf("not in the archive: %v", err)
	}
}

// same compares pages but for what is of the visit.
func same(t *testing.T, got, want map[string]crawler.Page) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("pages %v, want %v", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
	for url, w := range want {
		g := got[url]
		if g.Response == nil {
			continue
		}
		if g.Title != w.Title || g.Text != w.Text || len(g.Links) != len(w.Links) || !bytes.Equal(g.Response.Body, w.Response.Body) ||
			g.Response.Status != w.Response.Status || g.Response.Wire != w.Response.Wire || g.Response.Fetched.Sub(w.Response.Fetched).Abs() > 1e9 {
			t.Errorf("%s: %+v, want %+v", url, g.Response, w.Response)
		}
	}
}

// TestAnswersThatBreakOff are kept as far as they came, and come back as then.
func TestAnswersThatBreakOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := warc.OpenWriter(dir, warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	broken := tripFunc(func(r *http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader("<title>Half"), failing{})
		if r.URL.Path == "/long" {
			body = strings.NewReader(strings.Repeat("long ", 1000))
		}
		return &http.Response{StatusCode: 200, ProtoMajor: 2, Header: http.Header{"Content-Type": {"text/html"}}, Body: io.NopCloser(body), ContentLength: -1}, nil
	})
	f := w.Capture(&crawler.HTTP{UserAgent: testAgent, Transport: broken, MaxBody: 100})
	for try := range 2 {
		resp, err := f.Fetch(t.Context(), frontier.Request{URL: "http://a.test/", Attempt: try})
		if (try == 0) != errors.Is(err, crawler.ErrBroken) || (try == 1) != (resp != nil && resp.Truncated) {
			t.Fatalf("try %d: %v, %v", try, resp, err)
		}
	}
	if resp, err := f.Fetch(t.Context(), frontier.Request{URL: "http://a.test/long"}); err != nil || !resp.Truncated {
		t.Fatalf("%v, %v", resp, err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := warc.OpenArchive(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for rec := range a.Records() {
		if rec.Type == warc.Response {
			got = append(got, rec.Header.Get("WARC-Truncated")+" "+rec.Header.Get("Quarry-Failed")+" "+rec.Header.Get("WARC-Protocol"))
		}
	}
	if want := []string{"disconnect broken h2", "disconnect  h2", "length  h2"}; !slices.Equal(got, want) {
		t.Errorf("records %q, want %q", got, want)
	}
	var again []string
	for resp, err := range a.Responses(t.Context()) {
		if err != nil {
			again = append(again, err.Error())
			continue
		}
		again = append(again, fmt.Sprintf("%s %v %d", resp.URL, resp.Truncated, min(len(resp.Body), 100)))
	}
	if want := []string{"crawler: http://a.test/: broken: when it was archived", "http://a.test/ true 11", "http://a.test/long true 100"}; !slices.Equal(again, want) {
		t.Errorf("replayed %q, want %q", again, want)
	}
}

type tripFunc func(*http.Request) (*http.Response, error)

func (f tripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("connection reset") }

// TestNotModified: a 304 refers to the page that it confirms, also in a later
// run.
func TestNotModified(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	status := 200
	web := tripFunc(func(r *http.Request) (*http.Response, error) {
		body := ""
		if status == 200 {
			body = "<title>Once</title>"
		}
		return &http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"text/html"}},
			Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
	})
	for _, status = range []int{200, 304, 304} {
		w, err := warc.OpenWriter(dir, warc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Capture(&crawler.HTTP{UserAgent: testAgent, Transport: web}).Fetch(t.Context(), frontier.Request{URL: "http://a.test/"}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	a, err := warc.OpenArchive(dir)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for rec, err := range a.Records() {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type == warc.Revisit && (rec.Header.Get("WARC-Refers-To-Target-URI") != "http://a.test/" ||
			!strings.HasSuffix(rec.Header.Get("WARC-Profile"), "server-not-modified")) {
			t.Errorf("revisit %v", rec.Header)
		}
		if rec.Type == warc.Response || rec.Type == warc.Revisit {
			kinds = append(kinds, rec.Type)
		}
	}
	if !slices.Equal(kinds, []string{"response", "revisit", "revisit"}) {
		t.Errorf("records %q", kinds)
	}
	resp, err := (&warc.Fetcher{Archive: a}).Fetch(t.Context(), frontier.Request{URL: "http://a.test/"})
	if err != nil || resp.Status != 200 || string(resp.Body) != "<title>Once</title>" {
		t.Errorf("%v, %v", resp, err)
	}
}

// TestPut writes what another Fetcher brought.
func TestPut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := warc.OpenWriter(dir, warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	resp := &crawler.Response{Request: frontier.Request{URL: "http://a.test/"}, URL: "http://a.test/", Status: 200,
		Header: http.Header{"Content-Type": {"text/html"}, "Content-Encoding": {"br"}}, Body: []byte("<title>Seen</title>")}
	if err := w.Put(t.Context(), fresh(&crawler.Page{Response: resp})); err != nil {
		t.Fatal(err)
	}
	browser := crawler.FetcherFunc(func(context.Context, frontier.Request) (*crawler.Response, error) { return resp, nil })
	if _, err := w.Capture(browser).Fetch(t.Context(), resp.Request); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Put(t.Context(), fresh(&crawler.Page{Response: resp})); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	a, err := warc.OpenArchive(dir)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for got, err := range a.Responses(t.Context()) {
		if err != nil || string(got.Body) != "<title>Seen</title>" || got.Header.Get("X-Crawler-Content-Encoding") != "br" {
			t.Errorf("%v, %v", got, err)
		}
		n++
	}
	if n != 2 {
		t.Errorf("%d answers, want 2", n)
	}
}

// fresh is what a Sink gets of a page that it does not have.
func fresh(page *crawler.Page) *crawler.Result {
	return &crawler.Result{Kind: crawler.New, URL: page.URL, Page: page}
}
