package mall

import (
	"fmt"
	"net/http"
	"strings"
)

// The shop for members: a dialog about cookies lies over everything, and there
// is no price before one has logged in. What a product is has to be read out of
// its name, and a script fills in what it costs. Prices are in francs.

const depotRate = 0.94

// DepotUser and DepotPassword are what lets one into the Depot Club.
const (
	DepotUser     = "member@example.com"
	DepotPassword = "harbour-7"
)

// depotTicket is the cookie of members. It would be a secret if this were a shop.
const depotTicket = "granted"

func depotCounter() counter {
	return counter{letter: "D", index: 3, rate: depotRate, margin: 0.97, cents: 0,
		sku: func(p product) string { return fmt.Sprint(5000 + 11*p.number) }}
}

// depotItem is a product, as the club names it.
type depotItem struct{ offer }

func (i depotItem) Title() string {
	model := strings.ReplaceAll(i.model, "-", " ")
	if at := strings.IndexAny(model, "0123456789"); at > 0 && model[at-1] != ' ' && at < 3 {
		model = model[:at] + " " + model[at:]
	}
	title := strings.ToUpper(i.brand) + " " + model + " " + i.english
	if i.colour != "" {
		title += " (" + i.colour + ")"
	}
	return title
}
func (i depotItem) Path() string { return "/item/" + i.SKU }

// Display is the price, with the dash that stands for no centimes.
func (i depotItem) Display() string {
	return "CHF " + strings.TrimSuffix(money(i.Price, "'", "."), "00") + "–"
}

// depotPage is the entrance, the list, or one product.
type depotPage struct {
	Login, Wrong bool
	Items        []depotItem
	Item         *depotItem
}

func (m *Mall) depotItems() (items []depotItem) {
	for _, o := range m.offers(depotCounter()) {
		items = append(items, depotItem{o})
	}
	return items
}

func (m *Mall) depot() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /robots.txt", robots("/account"))
	mux.HandleFunc("GET /shop.css", asset("shop.css"))
	mux.HandleFunc("GET /depot.js", asset("depot.js"))
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		if member(r) {
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		m.show(w, "depot.html", depotPage{Login: true, Wrong: r.URL.RawQuery == "wrong"})
	})
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("user") != DepotUser || r.FormValue("password") != DepotPassword {
			http.Redirect(w, r, "/login?wrong", http.StatusSeeOther)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "depot", Value: depotTicket, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	})
	mux.HandleFunc("GET /{$}", members(func(w http.ResponseWriter, r *http.Request) {
		m.show(w, "depot.html", depotPage{Items: m.depotItems()})
	}))
	mux.HandleFunc("GET /item/{sku}", members(func(w http.ResponseWriter, r *http.Request) {
		m.depotItem(w, r, func(i depotItem) { m.show(w, "depot.html", depotPage{Item: &i}) })
	}))
	mux.HandleFunc("GET /price/{sku}", members(func(w http.ResponseWriter, r *http.Request) {
		m.depotItem(w, r, func(i depotItem) { w.Write([]byte(i.Display())) })
	}))
	return mux
}

// depotItem finds the product that a request names.
func (m *Mall) depotItem(w http.ResponseWriter, r *http.Request, found func(depotItem)) {
	for _, i := range m.depotItems() {
		if i.SKU == r.PathValue("sku") {
			found(i)
			return
		}
	}
	http.NotFound(w, r)
}

// members lets nobody else in.
func members(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !member(r) {
			http.Redirect(w, r, "/login", http.StatusSeeOther)
			return
		}
		next(w, r)
	}
}

func member(r *http.Request) bool {
	c, err := r.Cookie("depot")
	return err == nil && c.Value == depotTicket
}
