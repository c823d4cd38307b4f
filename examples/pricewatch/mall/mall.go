// Package mall is four shops that sell much of the same, for a price engine to
// watch without the internet. Each makes it harder in its own way:
//
//	lindner.go  plain pages in German, JSON-LD, one product under several paths
//	beanworks.go  a button "Show more", microdata
//	fell.go     a list that grows while one scrolls, and no bar codes
//	depot.go    a consent dialog and a login before any price; names alone
//
// What they sell is in files/catalogue.txt; catalogue.go says what it costs, by
// a rule that moves prices from day to day.
package mall

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"math"
	"net/http"
	"strconv"
	"sync/atomic"
)

//go:embed files
var files embed.FS

// Mall is the shops, on some day.
type Mall struct {
	day   atomic.Int64
	pages *template.Template
}

// New opens the shops on day 0.
func New() *Mall {
	return &Mall{pages: template.Must(template.ParseFS(files, "files/*.html"))}
}

// SetDay moves all shops to a day: their prices and stocks are those of it.
func (m *Mall) SetDay(day int) { m.day.Store(int64(day)) }

// Shop is one of the shops.
type Shop struct {
	Name    string
	Handler http.Handler
}

// Shops lists the shops, the plain one first.
func (m *Mall) Shops() []Shop {
	return []Shop{
		{"Lindner Haushalt", m.lindner()},
		{"Beanworks", m.beanworks()},
		{"Fell & Fern", m.fell()},
		{"Depot Club", m.depot()},
	}
}

// offer is a product in a shop, today.
type offer struct {
	product
	SKU     string
	Price   float64 // in the currency of the shop
	InStock bool
}

// counter is what a shop has of the catalogue and how it prices.
type counter struct {
	letter string  // in the catalogue
	index  int     // of the shop, from 0 on
	rate   float64 // its currency for a euro
	margin float64
	cents  float64 // that its prices end in
	sku    func(p product) string
}

// offers lists what a shop sells today.
func (m *Mall) offers(c counter) (list []offer) {
	day := int(m.day.Load())
	for _, p := range catalogue() {
		if !bytes.Contains([]byte(p.sold), []byte(c.letter)) {
			continue
		}
		// Shops differ by up to four per cent either way, in no order.
		own := 1 + float64((p.row*13+c.index*29)%9-4)/100
		price := math.Floor(p.eur*c.rate*c.margin*own*course(p.row*5+c.index*2+1, day)) + c.cents
		list = append(list, offer{product: p, SKU: c.sku(p), Price: price, InStock: inStock(p, c.index, day)})
	}
	return list
}

// asset serves a file of the shops.
func asset(name string) http.HandlerFunc {
	root, err := fs.Sub(files, "files")
	if err != nil {
		panic(err) // only for a malformed path
	}
	return func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, root, name) }
}

// robots serves a robots.txt that closes one path.
func robots(closed string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("User-agent: *\nDisallow: " + closed + "\n"))
	}
}

// show fills in a page.
func (m *Mall) show(w http.ResponseWriter, name string, value any) {
	var buf bytes.Buffer
	if err := m.pages.ExecuteTemplate(&buf, name, value); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(buf.Bytes()) // an error means that the client went away
}

// pageOf cuts a page out of a list, and tells whether there are more.
func pageOf[T any](list []T, number, size int) (page []T, more bool) {
	from := min(max(number-1, 0)*size, len(list))
	to := min(from+size, len(list))
	return list[from:to], to < len(list)
}

// number reads a whole number of a query, or else 1.
func number(r *http.Request, name string) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil || n < 1 {
		return 1
	}
	return n
}

// money writes an amount with marks between thousands and before cents.
func money(amount float64, thousands, cents string) string {
	whole, part := strconv.Itoa(int(amount)), int(math.Round(amount*100))%100
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + thousands + whole[i:]
	}
	return whole + cents + string([]byte{byte('0' + part/10), byte('0' + part%10)})
}

// Deal is what a shop sells today, and of which product it is: what a price
// engine has to find out.
type Deal struct {
	Shop     string
	Product  string // bar code
	SKU      string // of the shop; Fell & Fern has it in addresses alone
	Price    float64
	Currency string
	InStock  bool
}

// Deals lists the deals of all shops.
func (m *Mall) Deals() (all []Deal) {
	currencies := []string{"EUR", "USD", "GBP", "CHF"}
	for i, c := range []counter{lindnerCounter(), beanworksCounter(), fellCounter(), depotCounter()} {
		for _, o := range m.offers(c) {
			all = append(all, Deal{m.Shops()[i].Name, o.gtin(), o.SKU, o.Price, currencies[i], o.InStock})
		}
	}
	return all
}
