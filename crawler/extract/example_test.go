package extract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/frontier"
)

const page = `<html lang="en"><head><title>Kettle | The shop</title>
<script type="application/ld+json">
{"@type": "Product", "sku": "KE-17", "brand": {"@type": "Brand", "name": "Acme"},}
</script></head><body>
<h1>Kettle</h1> <b class="price">1.299,00 €</b>
<img src="/img/a.jpg"><img src="/img/b.jpg">
<div class="review" data-stars="5"><i>Ann</i> <p>Boils.</p></div>
<div class="review" data-stars="2"><i>Bob</i> <p>Leaks.</p></div>
</body></html>`

func document(html string) *goquery.Document {
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	if err != nil {
		panic(err)
	}
	return doc
}

// snippet: product
type Product struct {
	Title   string        `extract:"{css: h1, required: true}"`
	Price   extract.Price `extract:".price"`
	SKU     string        `extract:"{item: Product.sku}"`
	Images  []string      `extract:"{css: img, attr: src, type: url}"`
	Reviews []Review      `extract:".review"`
}

type Review struct {
	By    string `extract:"i"`
	Stars int    `extract:"{attr: data-stars}"`
}

// end

func Example() {
	products, err := extract.Into[Product](nil) // once; for many goroutines
	if err != nil {
		panic(err)
	}
	p, err := products.Record(document(page), "https://shop.example/kettle")
	fmt.Printf("%+v %v\n", p, err)
	// Output:
	// {Title:Kettle Price:{Amount:1299 Currency:EUR} SKU:KE-17 Images:[https://shop.example/img/a.jpg https://shop.example/img/b.jpg] Reviews:[{By:Ann Stars:5} {By:Bob Stars:2}]} <nil>
}

const reviews = `
name: review
each: .review
fields:
  by: {css: i, required: true}
  stars: {attr: data-stars, type: int}
  text: p
`

func ExampleParse() {
	schema, err := extract.Parse([]byte(reviews))
	if err != nil {
		panic(err)
	}
	x, err := extract.Compile(schema)
	if err != nil {
		panic(err)
	}
	records, err := x.Records(document(page), "https://shop.example/kettle")
	for _, r := range records {
		fmt.Println(r["by"], r["stars"], r["text"])
	}
	fmt.Println(err)

	_, err = extract.Parse([]byte("fields:\n  title: {css: h1, kind: text}\n"))
	fmt.Println(err)
	// Output:
	// Ann 5 Boils.
	// Bob 2 Leaks.
	// <nil>
	// extract: schema: line 2, column 20: unknown field "kind"
}

func ExampleExtractor_Records_errors() {
	schema, err := extract.Parse([]byte("each: .review\nfields: {stars: {attr: data-stars, type: int}, when: {css: time, required: true}}"))
	if err != nil {
		panic(err)
	}
	x, err := extract.Compile(schema)
	if err != nil {
		panic(err)
	}
	_, err = x.Records(document(page), "https://shop.example/kettle")
	fmt.Println(err)
	// Output:
	// extract: [0].when: required, but nothing was found
	// extract: [1].when: required, but nothing was found
}

func ExampleItems() {
	for _, item := range extract.Items(document(page), "https://shop.example/kettle") {
		fmt.Println(item.Source, item.Types, item.Text("sku"), item.Text("brand.name"))
	}
	// Output: json-ld [Product] KE-17 Acme
}

func ExampleReadArticle() {
	story := `<title>Bees | The Times</title><meta name="author" content="By Ann Lee"><nav><a href="/">Home</a></nav>
		<article><h1>Bees</h1><p>Published 5 March 2024, 4:07 pm</p>` +
		strings.Repeat("<p>Bees dance to tell each other where the flowers are, and how far it is to fly there.</p>", 20) + `</article>`
	a := extract.ReadArticle(document(story), "https://times.example/bees")
	fmt.Println(a.Authors, a.Published)
	fmt.Println(strings.Count(a.Text, "Bees dance"), strings.Contains(a.Text, "Home"))
	// Output:
	// [Ann Lee] 2024-03-05 16:07:00 +0000 UTC
	// 20 false
}

func inCrawl(ctx context.Context, fetcher crawler.Fetcher) error {
	// snippet: crawl
	products, err := extract.Into[Product](nil)
	if err != nil {
		return err
	}
	c := crawler.Crawler{
		UserAgent: "acme/1.0 (+https://acme.example/bot)",
		Fetcher:   fetcher,
		Parser:    &crawler.HTML{Refine: products.Refine},
	}
	for page, err := range c.Pages(ctx, "https://shop.example/") {
		if err != nil {
			return err
		}
		for _, r := range page.Records {
			fmt.Println(page.URL, r.(Product).Title, r.(Product).Price)
		}
	}
	// end
	return nil
}

func articles() *crawler.HTML {
	// snippet: article
	parser := &crawler.HTML{
		Refine: func(doc *goquery.Document, page *crawler.Page) error {
			a := extract.ReadArticle(doc, page.URL)
			page.Text = a.Text // menus and the like are out of the index
			page.Records = append(page.Records, a)
			return nil
		},
	}
	// end
	return parser
}

// web answers every request with the page.
type web struct{}

func (web) Fetch(_ context.Context, req frontier.Request) (*crawler.Response, error) {
	return &crawler.Response{Request: req, URL: req.URL, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(page)}, nil
}

func ExampleTyped_Refine() {
	if err := inCrawl(context.Background(), web{}); err != nil {
		panic(err)
	}
	// Output: https://shop.example/ Kettle {1299 EUR}
}

// TestGuide holds docs/guides/extract.md to the code here: its Go snippets are
// these, its schemas are read, and its tables of types and keys are whole.
func TestGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/guides/extract.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	goBlocks := regexp.MustCompile("(?s)<!-- snippet: (\\w+) -->\n```go\n(.*?)```\n").FindAllStringSubmatch(string(guide), -1)
	if n := strings.Count(string(guide), "```go\n"); len(goBlocks) != n || n == 0 {
		t.Fatalf("%d of %d snippets have names", len(goBlocks), n)
	}
	for _, b := range goBlocks {
		_, code, _ := strings.Cut(string(source), "// snippet: "+b[1]+"\n")
		code, _, _ = strings.Cut(code, "// end\n")
		code = strings.TrimRight(code, "\t\n") + "\n"
		if strings.HasPrefix(code, "\t") {
			code = strings.ReplaceAll("\n"+code, "\n\t", "\n")[1:]
		}
		if code != b[2] {
			t.Errorf("snippet %q is not what stands here:\n%s", b[1], b[2])
		}
	}
	schemas := regexp.MustCompile("(?s)```yaml\n(.*?)```\n").FindAllStringSubmatch(string(guide), -1)
	for _, b := range schemas {
		s, err := extract.Parse([]byte(b[1]))
		if err != nil {
			t.Errorf("%s: %v", b[1], err)
			continue
		}
		x, err := extract.Compile(s)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := x.Records(document(page), "https://shop.example/kettle"); len(r) == 0 || err != nil {
			t.Errorf("%s gives %v, %v", b[1], r, err)
		}
	}
	if len(schemas) == 0 {
		t.Error("no schemas")
	}
	var published struct {
		Defs map[string]struct {
			Properties map[string]struct{ Enum []string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(extract.JSONSchema()), &published); err != nil {
		t.Fatal(err)
	}
	for key, p := range published.Defs["field"].Properties {
		for _, word := range append(p.Enum, key) {
			if !strings.Contains(string(guide), "| `"+word+"` |") {
				t.Errorf("the guide has no row for %s", word)
			}
		}
	}
	_ = articles
}
