package mall

import (
	"fmt"
	"net/http"
	"strings"
)

// The shop that scrolls: more cards come when the end of the list gets into
// view. There is no bar code and no structured data, only maker and model, and
// the model is written in a way of its own. Prices are in pounds.

const fellRate, fellPerPage = 0.86, 5

func fellCounter() counter {
	return counter{letter: "F", index: 2, rate: fellRate, margin: 1, cents: 0,
		sku: func(p product) string { return fmt.Sprint(700 + p.number) }}
}

// fellItem is a product, as cards show it.
type fellItem struct{ offer }

func (i fellItem) Brand() string { return i.brand }
func (i fellItem) Model() string { return strings.ToUpper(strings.ReplaceAll(i.model, "-", " ")) }
func (i fellItem) Title() string {
	title := strings.ToUpper(i.english[:1]) + i.english[1:]
	if i.colour != "" {
		title += " (" + i.colour + ")"
	}
	return title
}
func (i fellItem) Path() string    { return "/kit/" + i.SKU + "-" + slug(i.english, i.colour) }
func (i fellItem) Display() string { return "£" + money(i.Price, ",", ".") }

// fellPage is a piece of the list, or one product of it.
type fellPage struct {
	Items []fellItem
	Next  int // page; 0: the list has ended
	Item  *fellItem
}

func (m *Mall) fell() http.Handler {
	items := func() (items []fellItem) {
		for _, o := range m.offers(fellCounter()) {
			items = append(items, fellItem{o})
		}
		return items
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /robots.txt", robots("/basket"))
	mux.HandleFunc("GET /shop.css", asset("shop.css"))
	mux.HandleFunc("GET /fell.js", asset("fell.js"))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { m.show(w, "fell.html", fellPage{}) })
	mux.HandleFunc("GET /feed", func(w http.ResponseWriter, r *http.Request) {
		n := number(r, "page")
		page, more := pageOf(items(), n, fellPerPage)
		view := fellPage{Items: page}
		if more {
			view.Next = n + 1
		}
		m.show(w, "cards", view)
	})
	mux.HandleFunc("GET /kit/{item}", func(w http.ResponseWriter, r *http.Request) {
		for _, i := range items() {
			if i.Path() == r.URL.Path {
				m.show(w, "fell.html", fellPage{Item: &i})
				return
			}
		}
		http.NotFound(w, r)
	})
	return mux
}
