package focus_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/crawlertest"
	"github.com/webquarry/quarry/crawler/focus"
	"github.com/webquarry/quarry/frontier"
)

func crawl(ctx context.Context, fetcher crawler.Fetcher) error {
	// snippet: crawl
	front := frontier.New(frontier.Options{})
	defer front.Close()
	f := focus.New(focus.Options{
		Topic:    focus.Words("beekeeping bees honey hive"),
		Scope:    crawler.SameSite("https://magazine.example/"),
		Frontier: front, // the same as below
		Noise:    0.05,
	})
	c := crawler.Crawler{
		UserAgent: "acme/1.0 (+https://acme.example/bot)",
		Fetcher:   fetcher,
		Frontier:  front,
		Parser:    f.Parser(&crawler.HTML{Context: 8}), // words around links tell too
		Follow:    f.Follow,
		Budget:    crawler.Budget{Pages: 500},
	}
	for page, err := range c.Pages(ctx, "https://magazine.example/") {
		if err != nil {
			return err
		}
		if score, _ := focus.ScoreOf(page); score.OnTopic() {
			fmt.Printf("%.2f %s\n", score.Relevance, page.URL)
		}
	}
	// end
	return nil
}

// TestCrawl runs the snippet: what promises more is visited first.
func TestCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, err := crawlertest.Parse(`
-- https://magazine.example/ --
<title>Magazine</title><a href="/1">ferries</a> <a href="/2">honey</a>

-- https://magazine.example/1 --
<title>Ferries</title><p>The captain and the harbour.</p>

-- https://magazine.example/2 --
<title>Honey</title><p>From the hive, by bees, and from beekeeping.</p>
`)
		if err != nil {
			t.Fatal(err)
		}
		var order []string
		next := &crawler.HTTP{UserAgent: "acme/1.0 (+https://acme.example/bot)", Transport: web}
		fetcher := crawler.FetcherFunc(func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
			order = append(order, strings.TrimPrefix(req.URL, "https://magazine.example/"))
			return next.Fetch(ctx, req)
		})
		if err := crawl(t.Context(), fetcher); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(order, " "); got != "robots.txt  2 1" {
			t.Errorf("visited %q", got)
		}
	})
}

func ExampleWords() {
	topic := focus.Words("beekeeping bees honey hive")
	fmt.Printf("%.1f\n", topic.Phrase("how bees make honey"))
	fmt.Printf("%.1f\n", topic.Phrase("how ships make way"))
	// Output:
	// 0.9
	// 0.0
}

func ExampleTrain() {
	topic, err := focus.Train(
		[]string{"bees carry nectar to the hive", "honey is made of nectar by bees"},
		[]string{"ships carry cargo to the harbour", "rope is made of hemp by hand"})
	fmt.Println(topic.Page("nectar becomes honey") > 0.5, topic.Page("cargo on a rope") > 0.5, err)
	// Output: true false <nil>
}

func ExampleAddressOf() {
	a := focus.AddressOf("https://www.example.org/2024/05/a-visit-to-the-hive.html")
	fmt.Println(a.Suffix, a.Depth, a.Separators, a.English > focus.AddressOf("https://example.org/xq/zxv-kjq").English)
	// Output: public 3 5 true
}

func ownReasons() *focus.Focus {
	// snippet: features
	features := append(focus.Standard(), focus.Feature{
		Name:   "print", // pages made for printing are not wanted
		Weight: -3,
		Of: func(l *focus.Lead) float64 {
			if strings.Contains(l.Link.URL, "/print/") {
				return 1
			}
			return 0
		},
	})
	f := focus.New(focus.Options{Topic: focus.Words("beekeeping"), Features: features})
	// end
	return f
}

func ExampleFeature() {
	f := ownReasons()
	from := &crawler.Page{URL: "https://magazine.example/"}
	a, _ := f.Follow(from, crawler.Link{URL: "https://magazine.example/news/1"})
	b, _ := f.Follow(from, crawler.Link{URL: "https://magazine.example/print/1"})
	fmt.Println(a > b)
	// Output: true
}

// TestGuide holds docs/guides/focus.md to the code here.
func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/guides/focus.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)<!-- snippet: (\\w+) -->\n```go\n(.*?)```\n").FindAllStringSubmatch(string(guide), -1)
	if n := strings.Count(string(guide), "```go\n"); len(blocks) != n || n == 0 {
		t.Fatalf("%d of %d snippets have names", len(blocks), n)
	}
	for _, b := range blocks {
		_, code, _ := strings.Cut(string(source), "// snippet: "+b[1]+"\n")
		code, _, _ = strings.Cut(code, "\t// end\n")
		if code = strings.ReplaceAll("\n"+code, "\n\t", "\n")[1:]; code != b[2] {
			t.Errorf("snippet %q is not what stands here:\n%s", b[1], b[2])
		}
	}
	for _, f := range focus.Standard() {
		if !strings.Contains(string(guide), "`"+f.Name+"`") {
			t.Errorf("the guide does not name the feature %s", f.Name)
		}
	}
}
