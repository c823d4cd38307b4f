package chrome_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/frontier"
)

// The snippets of docs/guides/chrome.md; TestGuide compares.

func guideCrawl(ctx context.Context, agent, seed string, via crawler.Fetcher, sink crawler.Sink) error {
	// snippet: crawl
	browser := &chrome.Fetcher{UserAgent: agent, Via: via}
	defer browser.Close()
	c := crawler.Crawler{UserAgent: agent, Fetcher: browser, Sink: sink}
	return c.Run(ctx, seed)
}

func guideEscalate(agent string, base *crawler.HTTP) (crawler.Fetcher, *chrome.Fetcher) {
	// snippet: escalate
	browser := &chrome.Fetcher{UserAgent: agent, Via: base}
	escalate := &middleware.Escalate{To: browser, Budget: 5 * time.Minute}
	return escalate.Wrap(base), browser
}

func guidePace(agent string, base *crawler.HTTP) *chrome.Fetcher {
	// snippet: pace
	pace := &middleware.Pace{Gap: time.Second}
	return &chrome.Fetcher{
		UserAgent: agent,
		Via:       pace.Wrap(base),
		Timeout:   5 * time.Minute, // a page waits for each of its requests
		Settle:    time.Minute,
	}
}

func guideArchive(agent string, base *crawler.HTTP, w *warc.Writer) (crawler.Fetcher, *chrome.Fetcher) {
	// snippet: archive
	browser := &chrome.Fetcher{UserAgent: agent, Via: base}
	return w.Capture(browser), browser
}

func guideReplay(agent string, a *warc.Archive) *chrome.Fetcher {
	// snippet: replay
	return &chrome.Fetcher{UserAgent: agent, Via: &warc.Fetcher{Archive: a}}
}

func guideLoad(agent string, base *crawler.HTTP) *chrome.Fetcher {
	// snippet: load
	return &chrome.Fetcher{
		UserAgent: agent,
		Via:       base,
		Load: chrome.Load{
			Images: true,
			Block:  []string{"ads.example"},
			Robots: true,
			Allow: func(_ context.Context, method, url string, _ frontier.Request) error {
				if method != "GET" {
					return errors.New("this crawl only reads")
				}
				return nil
			},
		},
		Limits: chrome.Limits{Requests: 200, Bytes: 16 << 20},
	}
}

func guideChain(agent string, base *crawler.HTTP, text []byte) (*crawler.Crawler, *chrome.Fetcher, error) {
	// snippet: chain
	chain, err := action.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	browser := &chrome.Fetcher{
		UserAgent: agent,
		Via:       base,
		Chain: func(req frontier.Request) *action.Chain {
			if strings.Contains(req.URL, "/category/") {
				return chain
			}
			return nil
		},
	}
	c := &crawler.Crawler{UserAgent: agent, Fetcher: browser, Parser: &crawler.HTML{Refine: chrome.Refine}}
	return c, browser, nil
}

func guideTab(ctx context.Context, browser *chrome.Fetcher, url string) (title string, err error) {
	// snippet: tab
	err = browser.Tab(ctx, url, func(tab context.Context) error {
		if err := chromedp.Do(tab, chromedp.Navigate(url)); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(tab, 2*time.Second)
		defer cancel()
		if err := chromedp.Do(short, chromedp.WaitVisible(chromedp.CSS("#price"))); err != nil {
			return err // the tab goes on, only this wait is over
		}
		title, err = chromedp.Run(tab, chromedp.Title())
		return err
	})
	return title, err
}

// TestGuide holds the guide to the code above, which works.
func TestGuide(t *testing.T) {
	t.Parallel()
	needs(t)
	s := serve(t, pages{
		"/":           `<!doctype html><title>shop</title><div id=root></div><script>fetch("/data").then(r => r.text()).then(x => { root.innerHTML = x })</script>`,
		"/data":       as("text/plain", `<p id=price>12 ploughs</p><a href="/category/a">a</a>`),
		"/category/a": `<title>a</title><ul id=l></ul><button id=b onclick="l.insertAdjacentHTML('beforeend', '<li>one more</li>'); if (l.children.length > 2) b.remove()">more</button>`,
	})
	var got []string
	sink := crawler.Pages(func(_ context.Context, p *crawler.Page) error {
		got = append(got, p.Title+": "+p.Text)
		return nil
	})
	if err := guideCrawl(t.Context(), agent, s.URL+"/", local(), sink); err != nil || len(got) != 2 || got[0] != "shop: 12 ploughs a" && got[0] != "shop: 12 ploughs\na" {
		t.Errorf("the crawl puts %q, %v", got, err)
	}
	dir := t.TempDir()
	w, err := warc.OpenWriter(dir, warc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	escalated, one := guideEscalate(agent, local())
	captured, two := guideArchive(agent, local(), w)
	c, three, err := guideChain(agent, local(), []byte("steps:\n  - click-while: '#b'\n"))
	if err != nil {
		t.Fatal(err)
	}
	for browser, f := range map[*chrome.Fetcher]crawler.Fetcher{one: escalated, two: captured} {
		wantBody(t, fetch(t, f, s.URL+"/"), "<p id=\"price\">12 ploughs</p>")
		browser.Close()
	}
	defer three.Close()
	wantBody(t, fetch(t, c.Fetcher, s.URL+"/category/a"), "<li>one more</li><li>one more</li><li>one more</li></ul>")
	if title, err := guideTab(t.Context(), three, s.URL+"/"); err != nil || title != "shop" {
		t.Errorf("title %q, %v", title, err)
	}
	for _, never := range []*chrome.Fetcher{guideLoad(agent, local()), guidePace(agent, local())} {
		if err := never.Close(); err != nil {
			t.Error(err)
		}
	}
	replayed(t, w, dir, s)
	compare(t)
}

// replayed shows a page from an archive that a page and what it loads is in.
func replayed(t *testing.T, w *warc.Writer, dir string, s *site) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := warc.OpenArchive(dir)
	if err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprint(s.asked("/"), s.asked("/data"))
	f := guideReplay(agent, a)
	defer f.Close()
	wantBody(t, fetch(t, f, s.URL+"/"), "<p id=\"price\">12 ploughs</p>")
	if after := fmt.Sprint(s.asked("/"), s.asked("/data")); after != before {
		t.Errorf("the server was asked: %s, then %s", before, after)
	}
}

func compare(t *testing.T) {
	t.Helper()
	source, err := os.ReadFile("guide_test.go")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../../docs/guides/chrome.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"crawl", "escalate", "pace", "archive", "replay", "load", "chain", "tab"} {
		_, code, _ := strings.Cut(string(source), "\t// snippet: "+name+"\n")
		code, _, _ = strings.Cut(code, "\n}\n")
		want := "```go\n" + strings.ReplaceAll("\n"+code, "\n\t", "\n")[1:] + "\n```\n"
		if !strings.Contains(string(guide), want) {
			t.Errorf("the snippet %s of the guide is not\n%s", name, want)
		}
	}
}
