package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/extract"
)

// Every mistake in a file of shops is told in one line, with its place.
func TestBadShops(t *testing.T) {
	t.Parallel()
	const one = "shops:\n  - name: A\n    seeds: [http://a.test/]\n"
	for _, c := range []struct{ name, text, want string }{
		{"no YAML", "shops: [", "line 1"},
		{"nothing", "", "no shops"},
		{"a list", "- name: A\n", "line 1"},
		{"no shops", "currency: EUR\n", "no shops"},
		{"unknown key", one + "    sedes: [x]\n", "line 4, column 5: unknown field \"sedes\""},
		{"no name", "shops:\n  - seeds: [http://a.test/]\n", "shop 1 has no name"},
		{"an empty shop", "shops:\n  -\n", "shop 1 has no name"},
		{"twice", one + "  - name: A\n    seeds: [http://b.test/]\n", `"A" stands twice`},
		{"no seeds", "shops:\n  - name: A\n", `shop "A": no seeds`},
		{"no URL", "shops:\n  - name: A\n    seeds: [a.test]\n", "want an http or https URL"},
		{"bad currency", "currency: euro\n" + one, `currency "euro"`},
		{"bad rate", "rates: {USD: -1}\n" + one, "rates: USD"},
		{"rate of nothing", "rates: {dollar: 1}\n" + one, `currency "dollar"`},
		{"wrong type", "rates: {USD: much}\n" + one, "line 1, column 14"},
		{"currency of a shop", one + "    currency: £\n", `currency "£"`},
		{"a rule without urls", one + "    chrome:\n      - steps: [dismiss]\n", "rule 1 names no urls"},
		{"unknown action", one + "    chrome:\n      - urls: [/]\n        steps:\n          - clik: .more\n", `line 7, column 13: steps[1]: unknown action "clik"`},
		{"unknown field of a schema", one + "    schema:\n      fields: {name: h1, price: {css: .p, type: price}, colour: i}\n", "colour"},
		{"bad selector", one + "    schema:\n      fields:\n        name: \"h1[\"\n        price: {css: .p, type: price}\n", "name"},
		{"bad key in a schema", one + "    schema:\n      fields:\n        name: h1\n        price: {css: .p, kind: price}\n", "line 7, column 26: "},
		{"a price that is text", one + "    schema:\n      fields: {name: h1, price: .p}\n", "price"},
		{"no price", one + "    schema:\n      fields: {name: h1}\n", `no field "price"`},
		{"no name field", one + "    schema:\n      fields: {price: {css: .p, type: price}}\n", `no field "name"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := parseShops([]byte(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || len(err.Error()) > 300 {
				t.Errorf("%v\nwant one line with %q", err, c.want)
			}
		})
	}
}

func TestBundledShops(t *testing.T) {
	t.Parallel()
	l, err := parseShops(append([]byte("\ufeff"), bundledShops...)) // the mark is nothing
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[string]string{
		"http://lindner.test/kaffee":   "Lindner Haushalt",
		"http://depot.test/item/5000":  "Depot Club",
		"http://fell.test/":            "Fell & Fern",
		"http://fell.test/kit/1-pan":   "", // everything is on the cards
		"http://beanworks.test/x.png":  "",
		"http://elsewhere.test/kaffee": "",
	} {
		got := ""
		if s := l.of(u); s != nil {
			got = s.Name
		}
		if got != want {
			t.Errorf("%s is of %q, want %q", u, got, want)
		}
	}
}

// The shops of the guide are as it says.
func TestGuide(t *testing.T) {
	t.Parallel()
	l, err := parseShops(snippet(t, "## Shops of your own"))
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Shops) != 2 || l.Currency != "EUR" || l.Rates["GBP"] != 1.165 {
		t.Errorf("%+v", l)
	}
	grind := l.Shops[1]
	for u, want := range map[string]int{"https://grind.example/all?sort=new": 2, "https://grind.example/p/9": 0} {
		steps := 0
		if r := grind.rule(u); r != nil {
			steps = len(r.Steps)
		}
		if steps != want {
			t.Errorf("%s: %d steps, want %d", u, steps, want)
		}
	}
	if s := l.of("https://kettles.example/blog/1"); s != nil {
		t.Error("what is to be skipped is not")
	}
	const page = `<h1>Morava hand grinder</h1><p class="maker">Morava</p><p class="facts">Weight: 1 kg, Model: HM-2</p><i data-sku="G9"></i>
		<b class="price">1,099.00</b><p class="sold-out">Sold out</p>`
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[string]int{"https://grind.example/p/9": 1, "https://grind.example/all?sort=new": 0} {
		found, err := grind.read(doc, &crawler.Page{URL: u})
		if err != nil || len(found) != want {
			t.Fatalf("%s: %v, %v", u, found, err)
		}
		for _, s := range found {
			if s.Facts.Brand != "Morava" || s.Facts.Model != "HM-2" || s.SKU != "G9" || s.Stock != soldOut || s.Price != (extract.Price{Amount: 1099, Currency: "USD"}) {
				t.Errorf("%+v, %+v", s, s.Facts)
			}
		}
	}
}

// snippet is the first block of YAML below a heading of the guide.
func snippet(t *testing.T, heading string) []byte {
	t.Helper()
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "guides", "pricewatch.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, ok := strings.Cut(string(guide), "\n"+heading+"\n")
	if ok {
		_, text, ok = strings.Cut(text, "```yaml\n")
	}
	text, _, closed := strings.Cut(text, "```\n")
	if !ok || !closed {
		t.Fatalf("the guide has no YAML below %q", heading)
	}
	return []byte(text)
}
