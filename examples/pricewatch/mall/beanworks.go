package mall

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// The shop with a button: its list is empty until a script has fetched the first
// cards, and every press of "Show more" fetches some more. The pages of products
// are plain, with microdata. Prices are in dollars.

const beanworksRate, beanworksPerPage = 1.08, 6

func beanworksCounter() counter {
	return counter{letter: "B", index: 1, rate: beanworksRate, margin: 0.99, cents: 0.99,
		sku: func(p product) string { return fmt.Sprintf("BW%05d", 30_011+17*p.number) }}
}

// beanworksItem is a product, as cards and pages show it.
type beanworksItem struct{ offer }

func (i beanworksItem) Title() string {
	title := i.brand + " " + i.model + " " + i.english
	if i.colour != "" {
		title += ", " + i.colour
	}
	return title
}
func (i beanworksItem) Path() string    { return "/products/" + slug(i.Title()) }
func (i beanworksItem) Brand() string   { return i.brand }
func (i beanworksItem) Model() string   { return i.model }
func (i beanworksItem) GTIN() string    { return i.gtin() }
func (i beanworksItem) Colour() string  { return i.colour }
func (i beanworksItem) Amount() string  { return fmt.Sprintf("%.2f", i.Price) }
func (i beanworksItem) Display() string { return "$" + money(i.Price, ",", ".") }

func (m *Mall) beanworksItems() (items []beanworksItem) {
	for _, o := range m.offers(beanworksCounter()) {
		items = append(items, beanworksItem{o})
	}
	return items
}

func (m *Mall) beanworks() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /robots.txt", robots("/cart"))
	mux.HandleFunc("GET /shop.css", asset("shop.css"))
	mux.HandleFunc("GET /beanworks.js", asset("beanworks.js"))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { m.show(w, "beanworks.html", nil) })
	mux.HandleFunc("GET /api/list", m.beanworksList)
	mux.HandleFunc("GET /products/{item}", func(w http.ResponseWriter, r *http.Request) {
		for _, i := range m.beanworksItems() {
			if i.Path() == r.URL.Path {
				m.show(w, "beanworks.html", i)
				return
			}
		}
		http.NotFound(w, r)
	})
	return mux
}

// beanworksList is what the script of the shop fetches.
func (m *Mall) beanworksList(w http.ResponseWriter, r *http.Request) {
	type card struct {
		Href  string `json:"href"`
		Title string `json:"title"`
		Price string `json:"price"`
	}
	page, more := pageOf(m.beanworksItems(), number(r, "page"), beanworksPerPage)
	cards := make([]card, 0, len(page))
	for _, i := range page {
		cards = append(cards, card{i.Path(), i.Title(), i.Display()})
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"cards": cards, "more": more}) // an error means that the client went away
}
