package main

import (
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/extract"
)

// readPage takes the sightings out of a page of a shop.
func readPage(t *testing.T, s *shop, html string) []sighting {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.read(doc, &crawler.Page{URL: "http://a.test/p/1", Lang: "en"})
	if err != nil {
		t.Error(err)
	}
	return found
}

const ld = `<script type="application/ld+json">`

func TestStructuredData(t *testing.T) {
	t.Parallel()
	eur := func(amount float64) extract.Price { return extract.Price{Amount: amount, Currency: "EUR"} }
	for _, c := range []struct {
		name, html string
		want       []sighting
	}{
		{"an offer", ld + `{"@type":"Product","name":"K","sku":"1","brand":{"name":"B"},"mpn":"M","gtin13":"9520000410001",
			"offers":{"price":"1299.00","priceCurrency":"EUR","availability":"https://schema.org/InStock"}}</script>`,
			[]sighting{{URL: "http://a.test/p/1", SKU: "1", Price: eur(1299), Stock: inStock, Facts: &facts{Name: "K", Brand: "B", Model: "M", GTIN: "09520000410001", Source: "json-ld"}}}},
		{"a point is one of decimals", ld + `{"@type":"Product","name":"K","offers":{"price":"1.299","priceCurrency":"EUR"}}</script>`,
			[]sighting{{URL: "http://a.test/p/1", Price: eur(1.299), Facts: &facts{Name: "K", Source: "json-ld"}}}},
		{"unless it is written for people", ld + `{"@type":"Product","name":"K","offers":{"price":"1.299,00 €"}}</script>`,
			[]sighting{{URL: "http://a.test/p/1", Price: eur(1299), Facts: &facts{Name: "K", Source: "json-ld"}}}},
		{"the cheapest of several", ld + `{"@type":"Product","name":"K","offers":[{"price":20,"priceCurrency":"EUR"},{"price":10,"priceCurrency":"EUR"},
			{"price":5,"priceCurrency":"EUR","itemCondition":"https://schema.org/UsedCondition"}]}</script>`,
			[]sighting{{URL: "http://a.test/p/1", Price: eur(10), Facts: &facts{Name: "K", Source: "json-ld"}}}},
		{"sizes", ld + `{"@type":"Product","name":"K","offers":[{"sku":"S","price":20,"priceCurrency":"EUR","availability":"SoldOut"},{"sku":"L","size":"large","price":30,"priceCurrency":"EUR","url":"/p/1?size=l"}]}</script>`,
			[]sighting{{URL: "http://a.test/p/1", SKU: "S", Price: eur(20), Stock: soldOut, Facts: &facts{Name: "K", Source: "json-ld"}},
				{URL: "http://a.test/p/1?size=l", SKU: "L", Price: eur(30), Facts: &facts{Name: "K", Variant: "large", Source: "json-ld"}}}},
		{"a group", ld + `{"@type":"ProductGroup","name":"G","brand":"B","mpn":"M","hasVariant":[{"@type":"Product","color":"red","sku":"r","offers":{"price":1,"priceCurrency":"EUR"}},
			{"@type":"Product","name":"N","color":"blue","sku":"b","offers":{"price":2,"priceCurrency":"EUR"}}]}</script>`,
			[]sighting{{URL: "http://a.test/p/1", SKU: "r", Price: eur(1), Facts: &facts{Name: "G", Brand: "B", Model: "M", Variant: "red", Source: "json-ld"}},
				{URL: "http://a.test/p/1", SKU: "b", Price: eur(2), Facts: &facts{Name: "N", Brand: "B", Model: "M", Variant: "blue", Source: "json-ld"}}}},
		{"a list", ld + `{"@type":"ItemList","itemListElement":[{"@type":"ListItem","item":{"@type":"Product","name":"K","url":"/k","offers":{"@type":"AggregateOffer","lowPrice":7,"priceCurrency":"EUR"}}}]}</script>`,
			[]sighting{{URL: "http://a.test/k", Price: eur(7), Facts: &facts{Name: "K", Source: "json-ld"}}}},
		{"microdata", `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">K</h1><i itemprop="sku">9</i>
			<div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><b itemprop="price" content="99.90">99,90</b><meta itemprop="priceCurrency" content="eur"><link itemprop="availability" href="https://schema.org/OutOfStock"></div></div>`,
			[]sighting{{URL: "http://a.test/p/1", SKU: "9", Price: eur(99.9), Stock: soldOut, Facts: &facts{Name: "K", Source: "microdata"}}}},
		{"no price", ld + `{"@type":"Product","name":"K","offers":{"price":"on request","priceCurrency":"EUR"}}</script>`, nil},
		{"for nothing", ld + `{"@type":"Product","name":"K","offers":{"price":0,"priceCurrency":"EUR"}}</script>`, nil},
		{"no currency", ld + `{"@type":"Product","name":"K","offers":{"price":3}}</script>`, nil},
		{"no name", ld + `{"@type":"Product","offers":{"price":3,"priceCurrency":"EUR"}}</script>`, nil},
		{"no product", ld + `{"@type":"Article","name":"K"}</script><p>€3`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for i := range c.want {
				c.want[i].Shop, c.want[i].Facts.Lang = "A", "en"
			}
			if diff := cmp.Diff(c.want, readPage(t, &shop{Name: "A"}, c.html), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSelectors(t *testing.T) {
	t.Parallel()
	l, err := parseShops([]byte(`
shops:
  - name: A
    seeds: [http://a.test/]
    currency: GBP
    schema:
      each: .card
      fields:
        name: {css: h2, required: true}
        url: {css: a, attr: href, type: url}
        price: {css: .price, type: price}
        soldout: {css: .stock, regexp: Out, type: present}
`))
	if err != nil {
		t.Fatal(err)
	}
	got := readPage(t, l.Shops[0], `<div class="card"><h2><a href="/k">K</a></h2><b class="price">1,299.00</b><i class="stock">Out of stock</i></div>
		<div class="card"><h2>L</h2><b class="price">CHF 9.–</b><i class="stock">In stock</i></div><div class="card"><h2>M</h2></div>`)
	want := []sighting{
		{Shop: "A", URL: "http://a.test/k", Price: extract.Price{Amount: 1299, Currency: "GBP"}, Stock: soldOut, Facts: &facts{Name: "K", Lang: "en", Source: "selectors"}},
		{Shop: "A", URL: "http://a.test/p/1", Price: extract.Price{Amount: 9, Currency: "CHF"}, Stock: inStock, Facts: &facts{Name: "L", Lang: "en", Source: "selectors"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
