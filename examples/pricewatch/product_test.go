package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/webquarry/quarry/crawler/extract"
)

// monday is when the first round of a test begins.
var monday = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// seen is a sighting, in euros.
func seen(shop, url, sku string, price float64, f facts) sighting {
	return sighting{At: monday, Shop: shop, URL: "http://" + strings.ToLower(shop) + ".test" + url, SKU: sku,
		Price: extract.Price{Amount: price, Currency: "EUR"}, Stock: inStock, Facts: &f}
}

// catalogOf is a catalog of the shops A, B, C and D with some sightings.
func catalogOf(sightings ...sighting) *catalog {
	l := &shopList{Currency: "EUR", Rates: map[string]float64{"USD": 0.5}}
	for _, name := range []string{"A", "B", "C", "D"} {
		l.Shops = append(l.Shops, &shop{Name: name})
	}
	c := newCatalog(l)
	for _, s := range sightings {
		c.take(s)
	}
	c.refresh()
	return c
}

// grouping is who sells what, as text: "ID: A/1 B/x, ...".
func grouping(c *catalog) (list []string) {
	for _, p := range c.products {
		var offers []string
		for _, o := range p.Offers {
			offers = append(offers, fmt.Sprintf("%s%d%s", o.Shop, len(o.URLs), map[string]string{byBarcode: "b", byMaker: "m", byName: "n", alone: "a"}[o.How]))
		}
		slices.Sort(offers)
		list = append(list, p.ID+": "+strings.Join(offers, " "))
	}
	return list
}

func TestSameProduct(t *testing.T) {
	t.Parallel()
	const black, white = "09520000410001", "09520000410377"
	kettle := facts{Name: "Kestrel K-400 kettle", Brand: "Kestrel", Model: "K-400"}
	coded := kettle
	coded.GTIN = black
	for _, c := range []struct {
		name string
		in   []sighting
		want []string
	}{
		{"by bar code, whatever it is called", []sighting{seen("A", "/1", "1", 9, coded), seen("B", "/x", "", 8, facts{Name: "Kessel", GTIN: black})},
			[]string{"9520000410001: A1b B1b"}},
		{"by maker, to a bar code", []sighting{seen("A", "/1", "1", 9, coded), seen("B", "/x", "", 8, facts{Name: "Kettle", Brand: "KESTREL", Model: "k 400"})},
			[]string{"9520000410001: A1b B1m"}},
		{"by maker alone", []sighting{seen("A", "/1", "1", 9, kettle), seen("B", "/x", "", 8, facts{Name: "Kettle", Brand: "KESTREL", Model: "k 400"})},
			[]string{"kestrel-k-400: A1m B1m"}},
		{"by name", []sighting{seen("A", "/1", "1", 9, coded), seen("B", "/x", "", 8, facts{Name: "K 400 gooseneck, by KESTREL"})},
			[]string{"9520000410001: A1b B1n"}},
		{"nobody else's", []sighting{seen("A", "/1", "1", 9, coded), seen("B", "/x", "7", 8, facts{Name: "Some kettle"})},
			[]string{"9520000410001: A1b", "b-7: B1a"}},
		{"under several addresses", []sighting{seen("A", "/1", "1", 9, coded), seen("A", "/sale/1", "1", 9, coded), seen("A", "/1", "", 9, kettle)},
			[]string{"9520000410001: A2b"}},
		{"one address, several articles", []sighting{seen("A", "/1", "1", 9, facts{Name: "S"}), seen("A", "/1", "2", 9, facts{Name: "L"})},
			[]string{"a-1: A1a", "a-2: A1a"}},
		{"two bar codes are two products", []sighting{seen("A", "/1", "1", 9, coded), seen("B", "/x", "", 8, facts{Name: "K", Brand: "Kestrel", Model: "K-400", GTIN: white})},
			[]string{"9520000410001: A1b", "9520000410377: B1b"}},
		{"a colour tells which", []sighting{
			seen("A", "/1", "1", 9, facts{Name: "K", Brand: "Kestrel", Model: "K-400", GTIN: black, Variant: "black"}),
			seen("A", "/2", "2", 9, facts{Name: "K", Brand: "Kestrel", Model: "K-400", GTIN: white, Variant: "white"}),
			seen("B", "/x", "", 8, facts{Name: "Kettle (white)", Brand: "Kestrel", Model: "K-400"}),
			seen("C", "/x", "", 8, facts{Name: "Kettle", Brand: "Kestrel", Model: "K-400"})},
			[]string{"9520000410001: A1b", "9520000410377: A1b B1m", "kestrel-k-400: C1m"}},
		{"another colour is another product", []sighting{
			seen("A", "/1", "1", 9, facts{Name: "K", Brand: "Kestrel", Model: "K-400", GTIN: black, Variant: "black"}),
			seen("B", "/x", "", 8, facts{Name: "Kettle", Brand: "Kestrel", Model: "K-400", Variant: "red"})},
			[]string{"9520000410001: A1b", "kestrel-k-400-red: B1m"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, grouping(catalogOf(c.in...))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What is the same does not depend on the order in which pages come.
func TestOrderOfPages(t *testing.T) {
	t.Parallel()
	var in []sighting
	for i := range 40 {
		f := facts{Name: fmt.Sprintf("Maker M%d thing", i%7), Variant: []string{"", "red", "blue"}[i%3]}
		if i%2 == 0 {
			f.Brand, f.Model = "Maker", fmt.Sprintf("M-%d", i%7)
		}
		if i%4 == 0 {
			f.GTIN = gtin([]string{"9520000410001", "9520000410377", "96385074"}[i%3])
		}
		sku := ""
		if i%5 > 1 {
			sku = fmt.Sprint(i % 6)
		}
		in = append(in, seen(string(rune('A'+i%4)), fmt.Sprintf("/%d", i%11), sku, float64(10+i), f))
	}
	// Of one listing only the last sighting counts: it has to stay the last.
	last := map[listingKey]sighting{}
	for _, s := range in {
		last[s.key()] = s
	}
	in = in[:0]
	for _, s := range last {
		in = append(in, s)
	}
	want := grouping(catalogOf(in...))
	random := rand.New(rand.NewPCG(1, 2))
	for range 12 {
		random.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
		if diff := cmp.Diff(want, grouping(catalogOf(in...))); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	german := facts{Name: "Kestrel Schwanenhalskessel K-400", Brand: "Kestrel", Model: "K-400", GTIN: "09520000410001", Lang: "de"}
	english := facts{Name: "KESTREL K 400 gooseneck kettle", GTIN: "09520000410001", Lang: "en"}
	c := catalogOf(seen("A", "/1", "1", 9, german), seen("B", "/1", "1", 8, english))
	p := c.products[0]
	if p.Name != "Kestrel K-400" || p.Kind != "gooseneck kettle" || p.GTIN != "9520000410001" {
		t.Errorf("%q, %q, %q", p.Name, p.Kind, p.GTIN)
	}
	if p.Offers[0].Shop != "B" {
		t.Errorf("the first offer is of %s, want the cheapest", p.Offers[0].Shop)
	}
}
