package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// webfarm is the address of a webfarm that serves js.test and shop.test.
func webfarm(t *testing.T) string {
	t.Helper()
	needChrome(t)
	at := os.Getenv("QUARRY_WEBFARM")
	if at == "" {
		t.Skip("QUARRY_WEBFARM is not set; it is the URL of a webfarm as a proxy, such as http://127.0.0.1:8800")
	}
	return at
}

// truth reads what a host of the webfarm says of itself.
func truth(t *testing.T, proxy, from string, v any) {
	t.Helper()
	at, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	c := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(at)}}
	resp, err := c.Get(from)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
		t.Fatal(err)
	}
}

func farm(t *testing.T, proxy, chain, page string) (got result) {
	t.Helper()
	code, out, errs := start(t, "-json", "-proxy", proxy, "-chain", "testdata/webfarm/"+chain, "-url", page)
	if code != exitDone {
		t.Fatalf("code %d: %s", code, errs)
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// TestWebfarmJS: one chain finds everything of js.test.
func TestWebfarmJS(t *testing.T) {
	proxy := webfarm(t)
	t.Setenv("WEBFARM_PASSWORD", "demo")
	var want struct {
		Pages []struct {
			Path          string
			Texts, Absent []string
			Items         int
			Links         []string
		}
		Login    struct{ Members []string }
		Products struct {
			Count int
			Sum   float64 `json:"price_sum"`
			Mean  float64 `json:"mean_rating"`
		}
	}
	truth(t, proxy, "http://js.test/_expected.json", &want)
	got := farm(t, proxy, "js.yaml", "http://js.test/")

	texts, items, links := map[string]string{}, map[string]int{}, map[string]bool{}
	for _, p := range got.Pages {
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(p.HTML))
		if err != nil {
			t.Fatal(err)
		}
		doc.Find("script").Remove()
		label := p.Label
		if label == "/app/view" {
			label = strings.TrimPrefix(p.URL, "http://js.test")
		}
		texts[label] += doc.Text() + "\n"
		items[label] = max(items[label], doc.Find(".item").Length())
		links[p.URL] = true
		doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) { links["http://js.test"+a.AttrOr("href", "")] = true })
	}
	for _, l := range got.Links {
		links[l.URL] = true
	}
	found := 0
	check := func(ok bool, format string, args ...any) {
		t.Helper()
		if found++; !ok {
			t.Errorf(format, args...)
		}
	}
	for _, p := range want.Pages {
		for _, s := range p.Texts {
			check(strings.Contains(texts[p.Path], s), "%s: no text %q", p.Path, s)
		}
		for _, s := range p.Absent {
			check(!strings.Contains(texts[p.Path], s), "%s: text %q", p.Path, s)
		}
		for _, l := range p.Links {
			check(links["http://js.test"+l], "%s: no link %s", p.Path, l)
		}
		check(items[p.Path] == p.Items, "%s: %d items, not %d", p.Path, items[p.Path], p.Items)
	}
	for _, s := range want.Login.Members {
		check(strings.Contains(texts["/members"], s), "members: no text %q", s)
	}
	sum, rating := 0.0, 0.0
	for _, r := range got.Records {
		sum += amount(r)
		rating += r.(map[string]any)["rating"].(float64)
	}
	n := len(got.Records)
	check(n == want.Products.Count && math.Abs(sum-want.Products.Sum) < .005 && math.Abs(rating/float64(n)-want.Products.Mean) < .0006,
		"%d products for %.2f, rated %.3f; not %+v", n, sum, rating/float64(n), want.Products)
	t.Logf("%d things of %d pages looked for", found, len(want.Pages))
}

func amount(record any) float64 {
	price, _ := record.(map[string]any)["price"].(map[string]any)
	a, _ := price["amount"].(float64)
	return a
}

// TestWebfarmShop: one chain finds each product of shop.test once, with its
// price.
func TestWebfarmShop(t *testing.T) {
	proxy := webfarm(t)
	var want []struct {
		URL, Name, SKU, Currency string
		Price                    float64
	}
	truth(t, proxy, "http://shop.test/_products.json", &want)
	got := farm(t, proxy, "shop.yaml", "http://shop.test/")
	prices := map[string]string{}
	for _, r := range got.Records {
		m := r.(map[string]any)
		u := m["url"].(string)
		if prices[u] != "" {
			t.Errorf("%s is there twice", u)
		}
		prices[u] = fmt.Sprintf("%v %v %.2f %v", m["name"], m["sku"], amount(r), m["price"].(map[string]any)["currency"])
	}
	for _, p := range want {
		if s := fmt.Sprintf("%s %s %.2f %s", p.Name, p.SKU, p.Price, p.Currency); prices[p.URL] != s {
			t.Errorf("%s: %q, not %q", p.URL, prices[p.URL], s)
		}
	}
	if len(got.Records) != len(want) {
		t.Errorf("%d records of %d", len(got.Records), len(want))
	}
	t.Logf("%d products", len(want))
}
