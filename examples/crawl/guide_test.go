package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/frontier"
)

// The snippets of docs/guides/crawling.md. Each function holds one, and
// TestGuideSnippets compares.

const userAgent = "acme/1.0 (+https://acme.example/bot)"

func first(ctx context.Context) error {
	// snippet: first
	c := crawler.Crawler{UserAgent: "acme/1.0 (+https://acme.example/bot)"}
	for page, err := range c.Pages(ctx, "https://docs.example.com/") {
		if err != nil {
			return err
		}
		fmt.Println(page.URL, page.Title)
	}
	// end
	return nil
}

func scope(ctx context.Context, fetcher crawler.Fetcher) error {
	// snippet: scope
	seed := "https://docs.example.com/manual/"
	follow := crawler.Prefix(seed)
	follow = crawler.Exclude(follow, "/manual/old/**", "print")
	follow = crawler.MaxDepth(follow, 5)
	c := crawler.Crawler{
		UserAgent: userAgent,
		Fetcher:   fetcher,
		Follow: func(from *crawler.Page, link crawler.Link) (float64, bool) {
			priority, ok := follow(from, link)
			if strings.Contains(strings.ToLower(link.Text), "tutorial") {
				priority++ // these first
			}
			return priority, ok
		},
		Sink: crawler.Pages(func(_ context.Context, page *crawler.Page) error {
			fmt.Println(page.URL, page.Response.Request.Depth)
			return nil
		}),
	}
	return c.Run(ctx, seed)
	// end
}

func paced(ctx context.Context, fetcher crawler.Fetcher) error {
	// snippet: pace
	front := frontier.New(frontier.Options{Limits: frontier.Limits{
		PerHost: 2,                      // visits of a host at a time
		Delay:   250 * time.Millisecond, // negative: no gap at all; zero means the default, a second
	}})
	defer front.Close()
	c := crawler.Crawler{UserAgent: userAgent, Fetcher: fetcher, Frontier: front, Workers: 64}
	return c.Run(ctx, "https://docs.example.com/")
	// end
}

func budgeted(ctx context.Context, fetcher crawler.Fetcher) error {
	// snippet: budget
	c := crawler.Crawler{
		UserAgent: userAgent,
		Fetcher:   fetcher,
		Budget:    crawler.Budget{Pages: 1000, Bytes: 100 << 20, Depth: 3, Wall: 10 * time.Minute},
	}
	return c.Run(ctx, "https://docs.example.com/")
	// end
}

func onDisk(ctx context.Context, fetcher crawler.Fetcher, dir string, store crawler.Sink) error {
	// snippet: disk
	front, err := frontier.Open(dir, frontier.Options{})
	if err != nil {
		return err // frontier.ErrLocked: another program has it open
	}
	defer front.Close()
	c := crawler.Crawler{UserAgent: userAgent, Fetcher: fetcher, Frontier: front, Sink: store}
	return c.Run(ctx, "https://docs.example.com/")
	// end
}

func refined(ctx context.Context, fetcher crawler.Fetcher) error {
	// snippet: refine
	c := crawler.Crawler{
		UserAgent: userAgent,
		Fetcher:   fetcher,
		Parser: &crawler.HTML{
			Agent: "acme", // whom robots directives may be addressed to
			Refine: func(doc *goquery.Document, page *crawler.Page) error {
				if main := doc.Find("main, article, [role=main]").First(); main.Length() > 0 {
					page.Text = strings.Join(strings.Fields(main.Text()), " ")
				}
				return nil
			},
		},
	}
	for page, err := range c.Pages(ctx, "https://docs.example.com/") {
		if err != nil {
			return err
		}
		fmt.Println(page.Text)
	}
	// end
	return nil
}

func routed(ctx context.Context, fetcher crawler.Fetcher) error {
	list := func(doc *goquery.Document, page *crawler.Page) error {
		for i := range page.Links {
			if strings.Contains(page.Links[i].URL, "/manual/") {
				page.Links[i].Label, page.Links[i].Meta = "article", page.Links[i].Meta.With("acme.from", page.URL)
			}
		}
		return nil
	}
	article := func(_ *goquery.Document, page *crawler.Page) error {
		fmt.Println(page.URL, page.Response.Request.Label, page.Response.Request.Meta.Get("acme.from"))
		return nil
	}
	// snippet: routes
	c := crawler.Crawler{
		UserAgent: userAgent,
		Fetcher:   fetcher,
		Parser: &crawler.Router{
			Default: &crawler.HTML{Refine: list}, // sets Label and Meta of the links
			Labels:  map[string]crawler.Parser{"article": &crawler.HTML{Refine: article}},
		},
	}
	return c.Run(ctx, "https://docs.example.com/")
	// end
}

func asked(ctx context.Context, front frontier.Frontier, link *crawler.Link) error {
	// snippet: post
	form := crawler.Ask{Method: "POST", Body: []byte("q=quarry"), Header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}}
	link.Ask = &form // of a link, in Refine

	req, err := form.On(frontier.Request{URL: "https://docs.example.com/search"})
	if err != nil {
		return err
	}
	_, err = front.Add(ctx, req)
	return err
	// end
}

func watched(ctx context.Context, fetcher crawler.Fetcher) error {
	// snippet: events
	c := crawler.Crawler{
		UserAgent: userAgent,
		Fetcher:   fetcher,
		OnEvent: func(e crawler.Event) {
			switch {
			case e.Kind == crawler.Skipped:
				fmt.Println(e.URL, "skipped:", e.Reason) // robots, noindex, out of scope, ...
			case e.Kind == crawler.Failed && errors.Is(e.Err, crawler.ErrDNS):
				fmt.Println(e.URL, "has no address")
			case e.Kind == crawler.Failed:
				fmt.Println(e.URL, "failed:", e.Err)
			}
		},
	}
	return c.Run(ctx, "https://docs.example.com/")
	// end
}

func offline() error {
	// snippet: test
	web, err := crawlertest.Parse(`
-- https://docs.example.com/ --
<title>Home</title><a href="/a">a</a>

-- https://docs.example.com/a --
<title>A</title>
`)
	if err != nil {
		return err
	}
	fetcher := &crawler.HTTP{UserAgent: userAgent, Transport: web}
	// end
	return paced(context.Background(), fetcher)
}

// TestGuideRuns runs the snippets against a web in memory, where a second is
// over at once.
func TestGuideRuns(t *testing.T) {
	const text = `
-- https://docs.example.com/ --
<title>Home</title><nav>menu</nav><main>News of <b>today</b></main><a href="/manual/">m</a><a href="/robotic">r</a>

-- https://docs.example.com/robots.txt --
HTTP 200
Content-Type: text/plain

User-agent: acme
Disallow: /robotic

-- https://docs.example.com/manual/ --
<a href=/manual/a>a</a><a href=/manual/b>Tutorial</a><a href=/manual/old/c>c</a><a href=/manual/a/print>p</a><a href=/>home</a>

-- https://docs.example.com/manual/a --
A

-- https://docs.example.com/manual/b --
B

-- https://docs.example.com/manual/old/c --
HTTP 500

-- https://docs.example.com/manual/a/print --
HTTP 404
`
	sink := crawler.Pages(func(_ context.Context, page *crawler.Page) error {
		fmt.Println("put", page.URL)
		return nil
	})
	dir := t.TempDir()
	for name, tt := range map[string]struct {
		run  func(context.Context, crawler.Fetcher) error
		want string // what is printed, in any order
	}{
		"scope": {func(ctx context.Context, f crawler.Fetcher) error { return scope(ctx, f) },
			"https://docs.example.com/manual/ 0\nhttps://docs.example.com/manual/b 1\nhttps://docs.example.com/manual/a 1"},
		"pace":   {func(ctx context.Context, f crawler.Fetcher) error { return paced(ctx, f) }, ""},
		"budget": {func(ctx context.Context, f crawler.Fetcher) error { return budgeted(ctx, f) }, ""},
		"disk": {func(ctx context.Context, f crawler.Fetcher) error { return onDisk(ctx, f, dir, sink) },
			"put https://docs.example.com/\nput https://docs.example.com/manual/\nput https://docs.example.com/manual/a\nput https://docs.example.com/manual/b"},
		"refine": {func(ctx context.Context, f crawler.Fetcher) error { return refined(ctx, f) }, "News of today\naTutorialcphome\nA\nB"},
		"events": {func(ctx context.Context, f crawler.Fetcher) error { return watched(ctx, f) },
			"https://docs.example.com/robotic skipped: robots\n" +
				"https://docs.example.com/manual/a/print failed: crawler: https://docs.example.com/manual/a/print: status 404\n" +
				"https://docs.example.com/manual/old/c failed: crawler: https://docs.example.com/manual/old/c: status 500"},
		"test":   {func(context.Context, crawler.Fetcher) error { return offline() }, ""},
		"routes": {func(ctx context.Context, f crawler.Fetcher) error { return routed(ctx, f) }, "https://docs.example.com/manual/ article https://docs.example.com/"},
		"post": {func(ctx context.Context, _ crawler.Fetcher) error {
			front := frontier.New(frontier.Options{})
			defer front.Close()
			var link crawler.Link
			if err := asked(ctx, front, &link); err != nil {
				return err
			}
			lease, err := front.Next(ctx)
			fmt.Println(lease.URL, lease.Variant != "", link.Ask.Method)
			return err
		}, "https://docs.example.com/search true POST"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, err := crawlertest.Parse(text)
				if err != nil {
					t.Fatal(err)
				}
				got := printed(t, func() error { return tt.run(t.Context(), &crawler.HTTP{UserAgent: userAgent, Transport: w}) })
				want := strings.Split(tt.want, "\n")
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Errorf("printed %q, want %q", got, want)
				}
			})
		})
	}
}

// printed returns the lines that f writes to standard output, sorted.
func printed(t *testing.T, f func() error) []string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stdout := os.Stdout
	os.Stdout = file
	err = f()
	os.Stdout = stdout
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	return lines
}

// TestGuideSnippets holds the guide to the functions above, and its command
// lines to the flags.
func TestGuideSnippets(t *testing.T) {
	t.Parallel()
	_ = first // goes to the network, so it is compiled only
	guide, err := os.ReadFile("../../docs/guides/crawling.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("guide_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)<!-- snippet: (\\w+) -->\n```go\n(.*?)```\n").FindAllStringSubmatch(string(guide), -1)
	if n := strings.Count(string(guide), "```go\n"); len(blocks) != n || n == 0 {
		t.Fatalf("%d of %d snippets have names", len(blocks), n)
	}
	for _, b := range blocks {
		_, code, ok := strings.Cut(string(source), "// snippet: "+b[1]+"\n")
		code, _, end := strings.Cut(code, "\t// end\n")
		if !ok || !end {
			t.Errorf("no function holds the snippet %q", b[1])
			continue
		}
		if code = strings.ReplaceAll("\n"+code, "\n\t", "\n")[1:]; code != b[2] {
			t.Errorf("snippet %q is not what its function holds:\n%s", b[1], b[2])
		}
	}
	seeds := filepath.Join(t.TempDir(), "seeds.txt")
	if err := os.WriteFile(seeds, []byte("https://docs.example.com/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var help strings.Builder
	if _, err := parseOptions([]string{"-h"}, &help); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	for _, f := range regexp.MustCompile(`(?m)^  (-[a-z-]+)`).FindAllStringSubmatch(help.String(), -1) {
		if !strings.Contains(string(guide), "\n| `"+f[1]) {
			t.Errorf("the table of flags has no %s", f[1])
		}
	}
	commands := regexp.MustCompile(`(?m)^    go run \./examples/crawl ?(.*)$`).FindAllStringSubmatch(string(guide), -1)
	for _, c := range commands {
		args := strings.Fields(c[1])
		for i, a := range args {
			args[i] = strings.ReplaceAll(a, "seeds.txt", seeds)
		}
		if _, err := parseOptions(args, io.Discard); err != nil {
			t.Errorf("%s: %v", c[0], err)
		}
	}
	if len(commands) != 7 {
		t.Errorf("%d command lines, want 7", len(commands))
	}
}
