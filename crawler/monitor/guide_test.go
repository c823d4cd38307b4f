package monitor_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/crawler/monitor"
)

func watched(ctx context.Context, c crawler.Crawler) error {
	// snippet: monitor
	m := monitor.New(&c, monitor.Options{})
	at, err := m.Listen(ctx, "127.0.0.1:0") // or m as a http.Handler in a server of your own
	if err != nil {
		return err
	}
	fmt.Println("watch it at", at)
	err = c.Run(m.Watch(ctx), "https://docs.example.com/")
	// end
	return err
}

func paused(ctx context.Context, c crawler.Crawler) error {
	// snippet: pause
	control := new(live.Control)
	control.Pause() // before, during or between runs
	time.AfterFunc(time.Hour, control.Resume)
	return c.Run(live.With(ctx, control), "https://docs.example.com/")
	// end
}

// TestGuideRuns runs the snippets of the guide.
func TestGuideRuns(t *testing.T) {
	t.Parallel()
	web := func() *crawlertest.Web {
		w, err := crawlertest.Parse("-- https://docs.example.com/ --\n<p>x\n")
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	put := 0
	c := crawler.Crawler{UserAgent: "acme/1.0 (+https://acme.example/bot)", IgnoreRobots: true,
		Sink: crawler.Pages(func(context.Context, *crawler.Page) error { put++; return nil })}
	c.Fetcher = &crawler.HTTP{UserAgent: c.UserAgent, Transport: web()}
	if err := watched(t.Context(), c); err != nil || put != 1 {
		t.Errorf("%d pages, %v", put, err)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c.Fetcher = &crawler.HTTP{UserAgent: c.UserAgent, Transport: web()}
		if err := paused(t.Context(), c); err != nil || put != 2 || time.Since(start) != time.Hour {
			t.Errorf("%d pages, %v, after %v", put, err, time.Since(start))
		}
	})
}

// TestGuide holds the guide to the functions above.
func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/guides/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("guide_test.go")
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
}

// A handler in a server of one's own; the crawl is watched by way of Watch.
func ExampleNew() {
	c := crawler.Crawler{UserAgent: "acme/1.0 (+https://acme.example/bot)"}
	m := monitor.New(&c, monitor.Options{})
	if err := c.Run(m.Watch(context.Background())); err != nil { // no seeds, so it ends at once
		fmt.Println(err)
	}
	s := m.State(false)
	fmt.Println(s.Status, s.Counts.Pages, "pages")
	// Output: ended 0 pages
}

func ExampleMonitor_Explain() {
	c := crawler.Crawler{UserAgent: "acme/1.0 (+https://acme.example/bot)", Follow: crawler.SameSite("https://example.com/")}
	m := monitor.New(&c, monitor.Options{})
	if err := c.Run(m.Watch(context.Background())); err != nil {
		fmt.Println(err)
	}
	for _, step := range m.Explain(context.Background(), "HTTPS://Elsewhere.example:443/a/../b#c").Steps {
		fmt.Printf("%s: %s\n", step.Part, step.Answer)
	}
	// Output:
	// canon: rewritten
	// scope: not followed
	// robots: not asked yet
	// last visit: none remembered
}
