package middleware_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/frontier"
)

const (
	emptyShell = `<!doctype html><title>shop</title><noscript>You need to enable JavaScript.</noscript><div id="root"></div><script src="/app.js"></script>`
	fullPage   = `<!doctype html><title>shop</title><div id="root"><h1>Ploughs</h1><p>Twelve ploughs, from the small one for gardens to the large one.</p><a href="/a">a</a></div>`
)

func htmlOf(req frontier.Request, body string) *crawler.Response {
	return &crawler.Response{Request: req, URL: req.URL, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(body)}
}

func TestShell(t *testing.T) {
	t.Parallel()
	words := strings.Repeat("some words that a reader sees ", 40)
	for body, want := range map[string]bool{
		emptyShell: true,
		fullPage:   false,
		`<p>` + words + `</p><script src=x.js></script>`:                false,
		`<app-root></app-root><script type="module" src=x.js></script>`: true,
		`<p>short</p>`: false,
		`<p>short</p><script type="application/ld+json">{"a": 1}</script>`:                                   false,
		`<p>short</p><script>` + words + `</script>`:                                                         true,
		`<div id=app>` + words[:300] + `</div><script src=x.js></script>`:                                    true,
		`<p>` + words[:300] + `</p><script src=x.js></script>`:                                               false,
		`<p>` + words[:500] + `</p><noscript>Please turn on JavaScript</noscript><script src=x.js></script>`: true,
		`<p>` + words[:300] + `</p><script>` + strings.Repeat(words, 20) + `</script>`:                       true,
		`<style>` + words + `</style><title>` + words + `</title><script src=x.js></script>`:                 true,
		``: false,
	} {
		if got := middleware.Shell(htmlOf(frontier.Request{}, body)); got != want {
			t.Errorf("%v for %.100s", got, body)
		}
	}
	resp := htmlOf(frontier.Request{}, emptyShell)
	resp.Header.Set("Content-Type", "application/json")
	if middleware.Shell(resp) {
		t.Error("JSON is a shell")
	}
	resp = htmlOf(frontier.Request{}, emptyShell)
	if resp.Status = 404; middleware.Shell(resp) {
		t.Error("a 404 is a shell")
	}
}

// browser is a To: what it makes of a document, and how often it was asked.
type browser struct {
	page            string
	err             error
	shown, straight int
	takes           time.Duration
}

func (b *browser) Fetch(_ context.Context, req frontier.Request) (*crawler.Response, error) {
	b.straight++
	time.Sleep(b.takes)
	return htmlOf(req, b.page), b.err
}

func (b *browser) Render(_ context.Context, resp *crawler.Response) (*crawler.Response, error) {
	b.shown++
	time.Sleep(b.takes)
	if b.err != nil {
		return nil, b.err
	}
	return htmlOf(resp.Request, b.page), nil
}

func TestEscalate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                   string
		document               string
		browser                browser
		budget                 time.Duration
		pages                  int
		plain, shown, straight int // how often which was asked
		body                   string
		err                    bool
	}{
		{name: "page", document: fullPage, pages: 5, plain: 5, body: fullPage},
		{name: "shells", document: emptyShell, browser: browser{page: fullPage}, pages: 10, plain: 3, shown: 3, straight: 7, body: fullPage},
		{name: "looked at again", document: emptyShell, browser: browser{page: fullPage}, pages: 103, plain: 4, shown: 4, straight: 99, body: fullPage},
		{name: "nothing gained", document: emptyShell, browser: browser{page: emptyShell}, pages: 10, plain: 10, shown: 3, body: emptyShell},
		{name: "no more time", document: emptyShell, browser: browser{page: fullPage, takes: time.Minute}, budget: 5 * time.Minute, pages: 10, plain: 8, shown: 3, straight: 2, body: emptyShell},
		{name: "crashes", document: emptyShell, browser: browser{err: errors.New("crashed")}, pages: 2, plain: 2, shown: 2, err: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				plain := 0
				next := crawler.FetcherFunc(func(_ context.Context, req frontier.Request) (*crawler.Response, error) {
					plain++
					return htmlOf(req, c.document), nil
				})
				f := (&middleware.Escalate{To: &c.browser, Budget: c.budget}).Wrap(next)
				var resp *crawler.Response
				var err error
				for i := range c.pages {
					resp, err = f.Fetch(t.Context(), frontier.Request{URL: fmt.Sprintf("https://shop.example/item/%d", i)})
				}
				if plain != c.plain || c.browser.shown != c.shown || c.browser.straight != c.straight {
					t.Errorf("asked for %d documents, %d shown and %d straight, want %d, %d, %d", plain, c.browser.shown, c.browser.straight, c.plain, c.shown, c.straight)
				}
				if (err != nil) != c.err {
					t.Fatal(err)
				}
				if err == nil && string(resp.Body) != c.body {
					t.Errorf("the last is %s", resp.Body)
				}
			})
		})
	}
}

type fatal struct{ error }

func (fatal) Fatal() bool { return true }

// A page that the browser cannot show is tried again, and counts as it came in
// the end; a browser that is not there ends the crawl.
func TestEscalateTrouble(t *testing.T) {
	t.Parallel()
	b := &browser{err: errors.New("crashed")}
	next := crawler.FetcherFunc(func(_ context.Context, req frontier.Request) (*crawler.Response, error) {
		return htmlOf(req, emptyShell), nil
	})
	f := (&middleware.Escalate{To: b}).Wrap(next)
	for attempt, want := range []string{"crashed", "crashed", ""} {
		resp, err := f.Fetch(t.Context(), frontier.Request{URL: "https://a.example/", Attempt: attempt})
		if want == "" && (err != nil || string(resp.Body) != emptyShell) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("attempt %d: %v", attempt, err)
		}
	}
	b.err = fatal{errors.New("no browser")}
	if _, err := f.Fetch(t.Context(), frontier.Request{URL: "https://a.example/", Attempt: 9}); err != b.err {
		t.Errorf("got %v", err)
	}
	// A To that knows no Render fetches the page itself, and what is no GET is not its.
	synctest.Test(t, func(t *testing.T) {
		b := &browser{page: fullPage}
		f := (&middleware.Escalate{To: crawler.FetcherFunc(b.Fetch)}).Wrap(next)
		start := time.Now()
		resp, err := f.Fetch(t.Context(), frontier.Request{URL: "https://a.example/"})
		if err != nil || string(resp.Body) != fullPage || b.straight != 1 || time.Since(start) != time.Second {
			t.Errorf("%v, %d times after %v", err, b.straight, time.Since(start))
		}
		ctx := crawler.Ask{Method: http.MethodPost}.Within(t.Context())
		if resp, err := f.Fetch(ctx, frontier.Request{URL: "https://a.example/"}); err != nil || string(resp.Body) != emptyShell {
			t.Error("a POST went to the browser")
		}
	})
}

func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		at := make(map[string][]time.Duration)
		p := &middleware.Pace{Gap: 2 * time.Second, Host: func(host string) time.Duration {
			if host == "quick.example" {
				return -1
			}
			return 0
		}}
		f := p.Wrap(crawler.FetcherFunc(func(_ context.Context, req frontier.Request) (*crawler.Response, error) {
			at[req.URL] = append(at[req.URL], time.Since(start))
			return htmlOf(req, ""), nil
		}))
		for range 3 {
			for _, u := range []string{"https://a.example/x", "https://b.example/", "https://quick.example/"} {
				if _, err := f.Fetch(t.Context(), frontier.Request{URL: u}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for u, want := range map[string]string{"https://a.example/x": "[0s 2s 4s]", "https://b.example/": "[0s 2s 4s]", "https://quick.example/": "[0s 2s 4s]"} {
			if got := fmt.Sprint(at[u]); got != want {
				t.Errorf("%s at %s, want %s", u, got, want)
			}
		}
	})
}
