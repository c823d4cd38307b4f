package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

const shopPage = `<!DOCTYPE html><html lang=en><head><title>Kettle | Shop</title><base href="/img/">
<meta property="og:image" content="og.png">
<script type="application/ld+json">{"@type":"Product","name":"Kettle","offers":{"@type":"Offer","price":"19.90","priceCurrency":"GBP"}}</script>
</head><body>
<h1> The  <b>Kettle</b>
</h1>
<p class=price>from 1.299,00&nbsp;€</p>
<p class=count>1,024 reviews</p><p class=stars>4.5 of 5</p>
<p class=when>Sold since 3 March 2021</p>
<div class=text><p>One.</p><p>Two
words.</p></div>
<img src="a.png"><img src="b.png?utm_source=x"><img alt=none>
<ul><li class=review data-n=5><i>Ann</i> good</li><li class=review data-n=many><i>Bob</i> bad</li><li class=review></li></ul>
<div class=stock></div>
<script>var x = {"sku": "KE-00017"};</script>
</body></html>`

func parse(t testing.TB, page string) *goquery.Document {
	t.Helper()
	doc, err := document(page)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// parseAny parses what fuzzing made up, which may be no page at all.
func parseAny(t *testing.T, page string) *goquery.Document {
	t.Helper()
	doc, err := document(page)
	if errors.Is(err, crawler.ErrUnsupportedType) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func document(page string) (*goquery.Document, error) {
	return Document(context.Background(), &crawler.Response{URL: "http://a.test/", Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(page)})
}

func extractor(t testing.TB, yaml string) *Extractor {
	t.Helper()
	s, err := Parse([]byte("\ufeff" + yaml)) // the mark is nothing
	if err != nil {
		t.Fatal(err)
	}
	x, err := Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestFields reads single fields of shopPage. want is JSON, or the end of an
// error after "!".
func TestFields(t *testing.T) {
	t.Parallel()
	doc := parse(t, shopPage)
	for field, want := range map[string]string{
		`h1`:                                                          `"The Kettle"`,
		`{xpath: //h1}`:                                               `"The Kettle"`,
		`{xpath: //h1/b/text()}`:                                      `"Kettle"`,
		`{xpath: 'count(//li)', type: int}`:                           `3`,
		`{xpath: 'boolean(//li)', type: bool}`:                        `true`,
		`{xpath: //img/@src, type: url}`:                              `"http://shop.test/img/a.png"`,
		`{xpath: 'string(//li)', list: true}`:                         `["Ann good"]`,
		`{css: title, regexp: '\| (.*)'}`:                             `"Shop"`,
		`{css: title, regexp: '(\w+) \| (\w+)', group: 2}`:            `"Shop"`,
		`{css: title, regexp: 'x'}`:                                   ``,
		`{css: .price, type: price}`:                                  `{"amount":1299,"currency":"EUR"}`,
		`{item: Product.offers.price, type: price}`:                   `{"amount":19.9,"currency":"GBP"}`,
		`{item: Product.offers, type: price}`:                         `{"amount":19.9,"currency":"GBP"}`,
		`{item: Product.name}`:                                        `"Kettle"`,
		`{item: Thing.name}`:                                          ``,
		`{item: 'OpenGraph.og:image'}`:                                `"http://shop.test/img/og.png"`,
		`{css: .count, type: int}`:                                    `1024`,
		`{css: .count, type: price, currency: JPY}`:                   `{"amount":1024,"currency":"JPY"}`,
		`{css: .stars, type: float}`:                                  `4.5`,
		`{css: .stars, type: int}`:                                    `!a: "4.5 of 5" is no whole number`,
		`{css: .when, type: time}`:                                    `"2021-03-03T00:00:00Z"`,
		`{css: .when, type: time, layouts: ["2006"]}`:                 `!a: "Sold since 3 March 2021" is no time of the layouts`,
		`{css: .when, regexp: '\d+$', type: time, layouts: ["2006"]}`: `"2021-01-01T00:00:00Z"`,
		`.text`:                    `"One. Two words."`,
		`{css: .text, type: text}`: `"One.\nTwo words."`,
		`{css: h1, type: html}`:    `"The  <b>Kettle</b>"`,
		`{css: img, attr: src, type: url, list: true}`:                                       `["http://shop.test/img/a.png","http://shop.test/img/b.png"]`,
		`{css: img, attr: SRC}`:                                                              `"a.png"`,
		`{css: img, type: url}`:                                                              `"http://shop.test/img/a.png"`,
		`{css: .stock, type: present}`:                                                       `true`,
		`{css: .gone, type: present}`:                                                        `false`,
		`{css: html, attr: lang}`:                                                            `"en"`,
		`{css: script, regexp: '"sku": "(.*?)"'}`:                                            `"KE-00017"`,
		`{css: .gone}`:                                                                       ``,
		`{css: .gone, default: 7, type: int}`:                                                `7`,
		`{css: .gone, default: x, list: true}`:                                               `["x"]`,
		`{default: fixed}`:                                                                   `"fixed"`,
		`{css: .gone, required: true}`:                                                       `!a: required, but nothing was found`,
		`{css: .gone, any: [{css: .count, regexp: '[a-z]+'}, h1]}`:                           `"reviews"`,
		`{css: h1, type: int, any: [.count]}`:                                                `1024`,
		`{css: h1, type: int, any: [.price, .gone]}`:                                         `1299`,
		`{css: .review, attr: data-n, type: int, list: true}`:                                `!a[1]: "many" holds no number`,
		`{css: .review, list: true, fields: {by: i, n: {attr: data-n}}}`:                     `[{"by":"Ann","n":"5"},{"by":"Bob","n":"many"}]`,
		`{css: .review, fields: {by: {css: i, required: true}}}`:                             `{"by":"Ann"}`,
		`{css: ul, fields: {by: {css: i, list: true}}}`:                                      `{"by":["Ann","Bob"]}`,
		`{css: .review, list: true, fields: {n: {attr: data-n, type: int, required: true}}}`: `!a[1].n: "many" holds no number`,
		`{item: Product.offers, list: true, fields: {p: {item: price, type: float}, c: {item: priceCurrency}}}`: `[{"c":"GBP","p":19.9}]`,
		`{item: Product.offers, fields: {p: h1}}`:    `!a.p: css and xpath find nothing in structured data`,
		`{fields: {t: h1, u: {fields: {v: title}}}}`: `{"t":"The Kettle","u":{"v":"Kettle | Shop"}}`,
	} {
		records, err := extractor(t, "fields: {a: "+field+"}").Records(doc, "http://shop.test/p/1")
		if wrong, ok := strings.CutPrefix(want, "!"); ok {
			if err == nil || !strings.HasPrefix(err.Error(), "extract: "+wrong) {
				t.Errorf("%s: error %v, want %s", field, err, wrong)
			}
			continue
		}
		got := ""
		if len(records) == 1 && records[0]["a"] != nil {
			j, err := json.Marshal(records[0]["a"])
			if err != nil {
				t.Fatal(err)
			}
			got = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(j))
		}
		if err != nil || got != want {
			t.Errorf("%s: %s and %v, want %s", field, got, err, want)
		}
	}
}

func TestEach(t *testing.T) {
	t.Parallel()
	x := extractor(t, "each: [.none, .review]\nfields: {by: {css: i, required: true}, n: {attr: data-n, type: int}}")
	records, err := x.Records(parse(t, shopPage), "http://shop.test/")
	if diff := cmp.Diff([]Record{{"by": "Ann", "n": int64(5)}, {"by": "Bob"}}, records); diff != "" {
		t.Error(diff)
	}
	if got, want := err.Error(), "extract: [1].n: \"many\" holds no number\nextract: [2].by: required, but nothing was found"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if !errors.Is(err, ErrMissing) {
		t.Error("ErrMissing does not match")
	}
}

type kettle struct {
	_       struct{}  `extract:"{name: kettle, urls: [/p/*]}"`
	Title   string    `extract:"h1"`
	Price   Price     `extract:".price"`
	Count   uint16    `extract:".count"`
	Stars   *float64  `extract:".stars"`
	Since   time.Time `extract:".when"`
	Photos  []string  `extract:"{css: img, attr: src, type: url}"`
	InStock bool      `extract:"{css: .stock, type: present}"`
	Reviews []struct {
		By string `extract:"i"`
		N  int    `extract:"{attr: data-n}"`
	} `extract:".review"`
	Other any
}

func TestInto(t *testing.T) {
	t.Parallel()
	x, err := Into[kettle](nil)
	if err != nil {
		t.Fatal(err)
	}
	k, err := x.Record(parse(t, shopPage), "http://shop.test/p/1")
	if err == nil || err.Error() != `extract: reviews[1].n: "many" holds no number` {
		t.Errorf("error %v", err)
	}
	stars := 4.5
	want := kettle{Title: "The Kettle", Price: Price{1299, "EUR"}, Count: 1024, Stars: &stars, Since: time.Date(2021, 3, 3, 0, 0, 0, 0, time.UTC),
		Photos: []string{"http://shop.test/img/a.png", "http://shop.test/img/b.png"}, InStock: true}
	want.Reviews = append(want.Reviews, struct {
		By string `extract:"i"`
		N  int    `extract:"{attr: data-n}"`
	}{"Ann", 5}, struct {
		By string `extract:"i"`
		N  int    `extract:"{attr: data-n}"`
	}{"Bob", 0})
	if diff := cmp.Diff(want, k, cmp.AllowUnexported(kettle{})); diff != "" {
		t.Error(diff)
	}
}

// TestIntoSchema: a schema from elsewhere, and what does not go together.
func TestIntoSchema(t *testing.T) {
	t.Parallel()
	type row struct {
		Name  string
		N     int8
		Links []string
		Any   any
	}
	doc := parse(t, shopPage)
	for yaml, want := range map[string]string{
		`{name: h1, n: {css: .stars, regexp: '\d$', type: int}}`:                 `{"Name":"The Kettle","N":5,"Links":null,"Any":null}`,
		`{links: {css: img, attr: src, list: true}, any: {css: li, list: true}}`: `{"Name":"","N":0,"Links":["a.png","b.png?utm_source=x"],"Any":["Ann good","Bob bad"]}`,
		`{n: {css: .count, type: int}}`:                                          `extract: n: 1024 does not go into a int8`,
		`{n: h1}`:                                                                `extract: schema: line 1, column 10: n: a string does not go into a int8`,
		`{links: h1}`:                                                            `extract: schema: line 1, column 10: links: a string does not go into a []string`,
		`{name: {css: h1, list: true}}`:                                          `extract: schema: line 1, column 10: name: a list does not go into a string`,
		`{x: h1}`:                                                                `extract: schema: line 1, column 10: x: extract.row has no such field`,
		`{name: {css: h1, fields: {a: b}}}`:                                      `extract: schema: line 1, column 10: name: string is no struct`,
		`{name: {css: .gone, required: true}}`:                                   "extract: name: required, but nothing was found\nextract: row: required, but nothing was found",
	} {
		s, err := Parse([]byte("fields: " + yaml))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		x, err := Into[row](s)
		if err == nil {
			var r row
			if r, err = x.Record(doc, "http://shop.test/"); err == nil {
				j, _ := json.Marshal(r)
				got = string(j)
			}
		}
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", yaml, got, want)
		}
	}
}

// TestPaths: errors of records count those that were left out.
func TestPaths(t *testing.T) {
	t.Parallel()
	type row struct {
		_  struct{} `extract:"{each: p}"`
		By string   `extract:"{css: i, required: true}"`
		N  int8     `extract:"{attr: data-n}"`
	}
	x, err := Into[row](nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := x.Records(parse(t, "<p></p><p data-n=300><i>a</i></p><p data-n=3><i>b</i></p>"), "http://a.test/")
	if err == nil || err.Error() != "extract: [0].by: required, but nothing was found\nextract: [1].n: 300 does not go into a int8" {
		t.Errorf("error %v", err)
	}
	if len(rows) != 2 || rows[0].By != "a" || rows[1].N != 3 {
		t.Errorf("rows %+v", rows)
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	type notExported struct {
		a string `extract:"h1"`
	}
	type unknown struct {
		A string `extract:"{cs: h1}"`
	}
	type channel struct {
		A chan int `extract:"h1"`
	}
	type endless struct {
		A []endless `extract:"{css: b}"`
	}
	_ = notExported{}.a
	for _, tt := range []struct {
		f    func() error
		want string
	}{
		{tagsOf[notExported], "a: has a tag but is not exported"},
		{tagsOf[unknown], `a: tag: column 2: unknown field "cs"`},
		{tagsOf[channel], "a: a value cannot be of type chan int"},
		{tagsOf[endless], "nested too deep"},
		{tagsOf[struct{ A string }], "no fields"},
		{tagsOf[int], "int is no struct"},
		{tagsOf[struct {
			A string `extract:""`
		}], "tag: empty"},
	} {
		err := tt.f()
		if _, ok := errors.AsType[*SchemaError](err); !ok || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
	for name, want := range map[string]string{"Title": "title", "URL": "url", "HTTPStatus": "httpStatus", "A": "a", "Äpfel": "äpfel", "OGImage": "ogImage"} {
		if got := fieldName(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

func tagsOf[T any]() error {
	_, err := SchemaOf[T]()
	return err
}

// TestManyGoroutines shares one Extractor, also its XPath.
func TestManyGoroutines(t *testing.T) {
	t.Parallel()
	x := extractor(t, "fields: {n: {xpath: 'count(//li[@class])', type: int}, by: {xpath: //li/i, list: true}, s: {xpath: \"concat(//h1, '!')\"}}")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				r, err := x.Records(parse(t, shopPage), "http://shop.test/")
				if err != nil || fmt.Sprint(r) != "[map[by:[Ann Bob] n:3 s:The Kettle !]]" {
					t.Errorf("%v, %v", r, err)
				}
			}
		})
	}
	all.Wait()
}

func TestRefine(t *testing.T) {
	t.Parallel()
	typed, err := Into[kettle](nil)
	if err != nil {
		t.Fatal(err)
	}
	untyped := extractor(t, "name: k\nurls: [/p/*]\nfields: {t: {css: h1}, n: {css: h1, type: int}}")
	for url, want := range map[string]int{"http://shop.test/p/1": 2, "http://shop.test/c/1": 0} {
		page := &crawler.Page{URL: url, Response: &crawler.Response{Request: frontier.Request{URL: url}, URL: url}}
		if err := errors.Join(typed.Refine(parse(t, shopPage), page), untyped.Refine(parse(t, shopPage), page)); err != nil {
			t.Fatal(err)
		}
		if len(page.Records) != want || len(page.Flaws) != want {
			t.Errorf("%s: %d records, flaws %q", url, len(page.Records), page.Flaws)
		}
		if want > 0 && page.Flaws[1] != `k: extract: n: "The Kettle" holds no number` {
			t.Errorf("flaw %q", page.Flaws[1])
		}
	}
}

// TestLargePages: what a hostile page can make of a schema is bounded.
func TestLargePages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("two large pages")
	}
	many := "<ul>" + strings.Repeat("<li>x<b>y</b>", 30_000) + "</ul>"
	deep := strings.Repeat("<div>", 500) + strings.Repeat("words ", 10_000)
	x := extractor(t, "each: [li, div]\nfields: {t: {css: b}, all: {xpath: '//text()', list: true}, h: {type: html, css: div}}")
	for _, page := range []string{many, deep} {
		began := time.Now()
		records, err := x.Records(parse(t, page), "http://a.test/")
		if len(records) > maxMatches {
			t.Errorf("%d records", len(records))
		}
		if n := len(unjoin(err)); n > maxErrors {
			t.Errorf("%d errors", n)
		}
		t.Logf("%d records, %d errors in %v", len(records), len(unjoin(err)), time.Since(began))
	}
}
