package mall

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
)

// The plain shop: pages of HTML in German, with JSON-LD. What has several colours
// is one page with a group of variants. Every product has three addresses: under
// its category, under its brand and, when it is cheap, under the bargains; and
// the shop does not say that they are one.

const lindnerRate, lindnerBargain = 1, 120 // euros

func lindnerCounter() counter {
	return counter{letter: "L", index: 0, rate: lindnerRate, margin: 1.02, cents: 0.90,
		sku: func(p product) string { return fmt.Sprintf("LH-%04d", 1200+3*p.number) }}
}

// lindnerItem is a page of the shop: a product with its colours.
type lindnerItem struct {
	offers []offer
}

func (i lindnerItem) first() offer { return i.offers[0] }
func (i lindnerItem) slug() string { return slug(i.first().brand, i.first().model) }
func (i lindnerItem) Title() string {
	return i.first().brand + " " + i.first().german + " " + i.first().model
}

// Price is what the cheapest colour costs.
func (i lindnerItem) Price() string {
	cheapest := slices.MinFunc(i.offers, func(a, b offer) int { return int(a.Price*100) - int(b.Price*100) })
	text := money(cheapest.Price, ".", ",") + " €"
	if len(i.offers) > 1 {
		return "ab " + text
	}
	return text
}

func (i lindnerItem) Path() string { return "/" + lindnerShelf(i.first().category) + "/" + i.slug() }

// Colours are the variants, as the page shows them.
func (i lindnerItem) Colours() (list []string) {
	for _, o := range i.offers {
		if o.colour != "" {
			list = append(list, fmt.Sprintf("%s: %s", o.colourInGer, money(o.Price, ".", ",")+" €"))
		}
	}
	return list
}

func (i lindnerItem) Stock() string {
	if slices.ContainsFunc(i.offers, func(o offer) bool { return o.InStock }) {
		return "Sofort lieferbar"
	}
	return "Zurzeit nicht lieferbar"
}

// JSONLD is the JSON-LD of the page.
func (i lindnerItem) JSONLD() template.JS {
	var all []map[string]any
	for _, o := range i.offers {
		availability := "https://schema.org/InStock"
		if !o.InStock {
			availability = "https://schema.org/OutOfStock"
		}
		one := map[string]any{"@type": "Product", "name": i.Title(), "sku": o.SKU, "gtin13": o.gtin(), "mpn": o.model,
			"category": lindnerShelf(o.category),
			"brand":    map[string]any{"@type": "Brand", "name": o.brand},
			"offers": map[string]any{"@type": "Offer", "price": fmt.Sprintf("%.2f", o.Price), "priceCurrency": "EUR",
				"availability": availability}}
		if o.colour != "" {
			one["color"], one["name"] = o.colourInGer, i.Title()+", "+o.colourInGer
		}
		all = append(all, one)
	}
	data := all[0]
	if len(all) > 1 {
		data = map[string]any{"@type": "ProductGroup", "name": i.Title(), "productGroupID": i.slug(),
			"brand": all[0]["brand"], "variesBy": "https://schema.org/color", "hasVariant": all}
	}
	data["@context"] = "https://schema.org"
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // maps of strings
	}
	return template.JS(text)
}

// lindnerShelf is the name of a category.
func lindnerShelf(category string) string {
	return map[string]string{"coffee": "kaffee", "kitchen": "kueche", "outdoor": "unterwegs", "home": "haus"}[category]
}

func (m *Mall) lindnerItems() (items []lindnerItem) {
	for _, o := range m.offers(lindnerCounter()) {
		if n := len(items); n > 0 && items[n-1].first().row == o.row {
			items[n-1].offers = append(items[n-1].offers, o)
			continue
		}
		items = append(items, lindnerItem{[]offer{o}})
	}
	return items
}

// lindnerPage is a list of products, or one product.
type lindnerPage struct {
	Title, Path, Next string
	Shelves           []string
	Items             []lindnerItem
	Item              *lindnerItem
	Brand             string // address of the brand of Item
}

const lindnerPerPage = 8

// Link is the address of an item in this list.
func (p lindnerPage) Link(i lindnerItem) string {
	if p.Path == "" {
		return i.Path()
	}
	return p.Path + "/" + i.slug()
}

func (m *Mall) lindner() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /robots.txt", robots("/warenkorb"))
	mux.HandleFunc("GET /shop.css", asset("shop.css"))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		m.show(w, "lindner.html", lindnerPage{Title: "Lindner Haushalt", Items: m.lindnerItems()[:4], Shelves: lindnerShelves()})
	})
	mux.HandleFunc("GET /{shelf}", m.lindnerList)
	mux.HandleFunc("GET /marke/{brand}", m.lindnerList)
	mux.HandleFunc("GET /{shelf}/{item}", m.lindnerItem)
	mux.HandleFunc("GET /marke/{brand}/{item}", m.lindnerItem)
	return mux
}

func lindnerShelves() []string { return []string{"kaffee", "kueche", "unterwegs", "haus", "angebote"} }

// onShelf says whether an item belongs to a list.
func (i lindnerItem) onShelf(shelf, brand string) bool {
	switch {
	case brand != "":
		return slug(i.first().brand) == brand
	case shelf == "angebote":
		return i.first().Price < lindnerBargain
	}
	return lindnerShelf(i.first().category) == shelf
}

func (m *Mall) lindnerList(w http.ResponseWriter, r *http.Request) {
	shelf, brand := r.PathValue("shelf"), r.PathValue("brand")
	items := slices.DeleteFunc(m.lindnerItems(), func(i lindnerItem) bool { return !i.onShelf(shelf, brand) })
	if len(items) == 0 {
		http.NotFound(w, r)
		return
	}
	page := lindnerPage{Title: strings.ToUpper(shelf[:min(1, len(shelf))]) + shelf[min(1, len(shelf)):], Path: r.URL.Path, Shelves: lindnerShelves()}
	if brand != "" {
		page.Title = items[0].first().brand
	}
	n, more := number(r, "seite"), false
	if page.Items, more = pageOf(items, n, lindnerPerPage); more {
		page.Next = fmt.Sprintf("%s?seite=%d", r.URL.Path, n+1)
	}
	m.show(w, "lindner.html", page)
}

func (m *Mall) lindnerItem(w http.ResponseWriter, r *http.Request) {
	for _, i := range m.lindnerItems() {
		if i.slug() == r.PathValue("item") && i.onShelf(r.PathValue("shelf"), r.PathValue("brand")) {
			m.show(w, "lindner.html", lindnerPage{Title: i.Title(), Item: &i, Brand: "/marke/" + slug(i.first().brand), Shelves: lindnerShelves()})
			return
		}
	}
	http.NotFound(w, r)
}
