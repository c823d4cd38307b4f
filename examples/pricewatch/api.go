package main

import (
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/webquarry/quarry/index/serve"
)

// The JSON interface.
//
//	GET /api/search?q=kettle&sort=cheapest&shop=Beanworks&min=50&max=150&stock=in&page=1&size=20
//
//	{"query": "kettle", "took_us": 412, "total": 2, "currency": "EUR",
//	 "hits": [{"id": "9520000041296", "name": "Kestrel K-400", "kind": "gooseneck kettle 0.8 l",
//	           "price": 74.81,        the least that it costs, in the currency of comparison
//	           "high": 81.9,          the most that this was within thirty days
//	           "drop": 0.086,         how far it has fallen from there
//	           "in_stock": true, "shops": 4,
//	           "best": {"shop": "Depot Club", "url": "http://...", "price": 71, "currency": "CHF"}}],
//	 "did_you_mean": "", "hint": ""}
//
//	GET /api/product/9520000041296     one product with all offers and their history
//	GET /api/status                    how the watch stands
//
// Trouble is {"error": {"code": "bad_page", "message": "..."}} with a status
// that is not 200. The codes are bad_query, bad_page, bad_size, bad_price,
// bad_sort, not_found, bad_method, busy (with Retry-After) and internal.

// apiAnswer is an answer as -json prints it.
type apiAnswer struct {
	Query      string   `json:"query"`
	TookUS     int64    `json:"took_us"`
	Total      int      `json:"total"`
	Currency   string   `json:"currency"`
	Hits       []apiHit `json:"hits"`
	DidYouMean string   `json:"did_you_mean"`
	Hint       string   `json:"hint"`
}

type apiHit struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Price   *float64 `json:"price"` // null: no rate is known
	High    *float64 `json:"high"`
	Drop    float64  `json:"drop"`
	InStock bool     `json:"in_stock"`
	Shops   int      `json:"shops"`
	Best    apiOffer `json:"best"`
}

type apiOffer struct {
	Shop     string   `json:"shop"`
	URL      string   `json:"url"`
	Price    float64  `json:"price"`
	Currency string   `json:"currency"`
	Stock    stock    `json:"stock,omitempty"`
	Gone     bool     `json:"gone,omitempty"`
	SKU      string   `json:"sku,omitempty"`
	How      string   `json:"how,omitempty"`
	Also     []string `json:"also,omitempty"` // other addresses of it

	History []apiPoint `json:"history,omitempty"`
}

type apiPoint struct {
	At    time.Time `json:"at"`
	Price float64   `json:"price"`
	Stock stock     `json:"stock,omitempty"`
}

func (a *answer) api() apiAnswer {
	out := apiAnswer{Query: a.Text, TookUS: a.Took.Microseconds(), Total: a.Total, Currency: a.Currency,
		Hits: make([]apiHit, 0, len(a.Hits)), DidYouMean: a.DidYouMean, Hint: a.Hint}
	for _, h := range a.Hits {
		out.Hits = append(out.Hits, h.api())
	}
	return out
}

func (p *product) api() apiHit {
	return apiHit{p.ID, p.Name, p.Kind, finite(p.Price), finite(p.High), p.Drop, p.InStock, p.Shops, p.Offers[0].api()}
}

func (o *offer) api() apiOffer {
	now := o.now()
	return apiOffer{Shop: o.Shop, URL: o.URLs[0], Price: now.Price, Currency: now.Code, Stock: now.Stock, Gone: o.Gone, SKU: o.SKU}
}

// full is an offer with its history.
func (o *offer) full() apiOffer {
	out := o.api()
	out.How, out.Also = o.How, o.URLs[1:]
	for _, p := range o.Trail {
		out.History = append(out.History, apiPoint{p.At, p.Price, p.Stock})
	}
	return out
}

func finite(f float64) *float64 {
	if math.IsInf(f, 0) {
		return nil
	}
	return &f
}

func (s *web) apiSearch(w http.ResponseWriter, r *http.Request) {
	if !serve.ReadOnly(w, r) {
		return
	}
	want, err := readAsk(r.URL.Query())
	if err != nil {
		serve.WriteError(w, err)
		return
	}
	a, err := s.search(r, want)
	if err != nil {
		s.log.Error("search", "query", want.Text, "err", err)
		serve.WriteError(w, err)
		return
	}
	serve.WriteJSON(w, http.StatusOK, a.api())
}

func (s *web) apiProduct(w http.ResponseWriter, r *http.Request) {
	if !serve.ReadOnly(w, r) {
		return
	}
	p, ok := s.engine.catalog.product(strings.TrimPrefix(r.URL.Path, "/api/product/"))
	if !ok {
		serve.WriteError(w, &serve.Error{Status: http.StatusNotFound, Code: "not_found", Message: "there is no such product"})
		return
	}
	out := struct {
		apiHit
		GTIN   string     `json:"gtin,omitempty"`
		Brand  string     `json:"brand,omitempty"`
		Model  string     `json:"model,omitempty"`
		Offers []apiOffer `json:"offers"`
	}{p.api(), p.GTIN, p.Brand, p.Model, nil}
	for _, o := range p.Offers {
		out.Offers = append(out.Offers, o.full())
	}
	serve.WriteJSON(w, http.StatusOK, out)
}

func (s *web) apiStatus(w http.ResponseWriter, r *http.Request) {
	if serve.ReadOnly(w, r) {
		now := s.status()
		serve.WriteJSON(w, http.StatusOK, struct {
			status
			Text string `json:"text"`
		}{now, now.String()})
	}
}
