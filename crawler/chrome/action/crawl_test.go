package action_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/chrome"
	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/frontier"
)

func inGo(ctx context.Context, schema *extract.Schema) (*action.Result, error) {
	// snippet: chain
	chain := &action.Chain{Steps: action.Steps{
		{Do: action.Navigate{URL: "https://shop.example/lamps"}},
		{Do: action.Dismiss{}},
		{Do: action.ClickWhile{Selector: action.Selector{CSS: "#more"}, Max: 20}, Timeout: time.Minute},
		{Do: action.Extract{Schema: schema}},
	}}
	browser := &chrome.Fetcher{UserAgent: "acme/1.0 (+https://acme.example/bot)", Timeout: 5 * time.Minute}
	defer browser.Close()
	var result *action.Result
	err := browser.Tab(ctx, "https://shop.example/lamps", func(tab context.Context) (err error) {
		result, err = new(action.Runner).Run(tab, chain)
		return err
	})
	// end
	return result, err
}

func inCrawl(agent string, chainOf func(frontier.Request) *action.Chain) crawler.Crawler {
	// snippet: crawl
	browser := &chrome.Fetcher{UserAgent: agent, Chain: chainOf}
	defer browser.Close()
	c := crawler.Crawler{
		UserAgent: agent,
		Fetcher:   &action.Snapshots{Next: browser},
		Parser:    &crawler.HTML{Refine: chrome.Refine},
	}
	// end
	return c
}

// TestGuideSnippets: the Go of the guide is that of the functions above.
func TestGuideSnippets(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../docs/guides/actions.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("crawl_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)<!-- snippet: (\\w+) -->\n```go\n(.*?)```\n").FindAllStringSubmatch(string(guide), -1)
	if len(blocks) != 2 || strings.Count(string(guide), "```go\n") != 2 {
		t.Fatalf("%d snippets", len(blocks))
	}
	for _, b := range blocks {
		_, code, _ := strings.Cut(string(source), "// snippet: "+b[1]+"\n")
		code, _, _ = strings.Cut(code, "\t// end\n")
		if code = strings.ReplaceAll("\n"+code, "\n\t", "\n")[1:]; code != b[2] {
			t.Errorf("snippet %q is not what its function holds:\n%s", b[1], b[2])
		}
	}
	if c := inCrawl("acme/1.0 (+https://acme.example/bot)", nil); c.Fetcher == nil {
		t.Error("no Fetcher")
	}
	_ = inGo // would ask the world
}

// TestCrawl: snapshots become pages, links found are followed, records come with
// their page.
func TestCrawl(t *testing.T) {
	t.Parallel()
	if _, err := chrome.Find(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	var mu sync.Mutex
	asked := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.RequestURI()]++
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.RequestURI() {
		case "/":
			fmt.Fprint(w, `<title>root</title><b id=b>nothing yet</b><div onclick="location = '/hidden'">go</div><script>b.onclick = () => b.textContent = 'a secret'</script><a href=/list>list</a>`)
		case "/list", "/list?p=2", "/list?p=3":
			n, _ := strconv.Atoi(r.FormValue("p"))
			n = max(n, 1)
			fmt.Fprintf(w, `<title>list %d</title><p class=row>row %d</p>`, n, n)
			if n < 3 {
				fmt.Fprintf(w, `<a rel=next href="/list?p=%d">next</a>`, n+1)
			}
		case "/hidden":
			fmt.Fprint(w, `<title>hidden</title>`)
		case "/broken":
			fmt.Fprint(w, `<title>broken</title>`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	chains := map[string]string{
		"/":       "steps: [snapshot, {click: b}, snapshot, find-links]",
		"/list":   "steps: [{paginate: {css: '[rel=next]', do: [snapshot, {extract: {schema: {each: .row, fields: {name: {xpath: .}}}}}]}}]",
		"/broken": "steps: [{click: .none, timeout: 1s}]",
	}
	agent := "acme/1.0 (+https://acme.example/bot)"
	http := &crawler.HTTP{UserAgent: agent, AllowPrivate: true}
	browser := &chrome.Fetcher{UserAgent: agent, Via: http, Chain: func(req frontier.Request) *action.Chain {
		text, ok := chains[strings.TrimPrefix(req.URL, s.URL)]
		if !ok {
			return nil
		}
		c, err := action.Parse([]byte(text))
		if err != nil {
			t.Error(err)
		}
		return c
	}}
	t.Cleanup(func() { browser.Close() })
	got := map[string]*crawler.Page{}
	var failed error
	c := crawler.Crawler{UserAgent: agent, Fetcher: &action.Snapshots{Next: browser}, Parser: &crawler.HTML{Refine: chrome.Refine}, IgnoreRobots: true,
		Frontier: frontier.New(frontier.Options{Limits: frontier.Limits{Delay: -1}}),
		Revisit:  func(frontier.Request, *crawler.Response, error) frontier.Outcome { return frontier.Outcome{} },
		Sink: crawler.Pages(func(_ context.Context, p *crawler.Page) error {
			mu.Lock()
			defer mu.Unlock()
			got[strings.TrimPrefix(p.URL, s.URL)] = p
			return nil
		}),
		OnEvent: func(e crawler.Event) {
			if e.Kind == crawler.Failed {
				failed = e.Err
			}
		}}
	if err := c.Run(t.Context(), s.URL+"/", s.URL+"/broken"); err != nil {
		t.Fatal(err)
	}
	var titles []string
	for path, p := range got {
		titles = append(titles, path+" "+p.Title)
	}
	slices.Sort(titles)
	if want := []string{"/ root", "/hidden hidden", "/list list 1", "/list?p=2 list 2", "/list?p=3 list 3"}; !slices.Equal(titles, want) {
		t.Errorf("%q", titles)
	}
	if p := got["/"]; p != nil && (!strings.Contains(p.Text, "nothing yet") || !strings.Contains(p.Text, "a secret") || len(p.Records) != 0) {
		t.Errorf("%q, records %v", p.Text, p.Records)
	}
	if p := got["/list"]; p != nil && fmt.Sprint(p.Records) != "[map[name:row 1] map[name:row 2] map[name:row 3]]" {
		t.Error(p.Records)
	}
	if failed == nil || !strings.Contains(failed.Error(), `step 1, click: nothing matches css ".none"`) {
		t.Error(failed)
	}
	if asked["/list?p=2"] != 1 || asked["/list?p=3"] != 1 {
		t.Error(asked)
	}
}
