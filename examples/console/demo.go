package main

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strconv"

	"github.com/webquarry/quarry/index/serve"
)

//go:embed web/shop.html
var shopHTML string

// good is something that the shop sells.
type good struct {
	ID       int
	Name     string
	Maker    string
	Price    float64
	Stars    float64
	About    string
	SoldOut  bool
	Capacity string
}

// goods are made up, the same ones each time.
func goods() []good {
	makers := []string{"Alpen", "Borealis", "Cascade", "Dune"}
	kinds := []struct{ name, about string }{
		{"stovetop kettle", "whistles when the water boils"}, {"electric kettle", "switches itself off"}, {"gooseneck kettle", "pours a thin stream, for coffee"},
		{"travel kettle", "folds flat and fits into a bag"}, {"glass kettle", "shows the bubbles, in blue light"}, {"teapot", "keeps tea warm on the table"},
	}
	var all []good
	for i, kind := range kinds {
		for j, maker := range makers {
			n := len(all)
			all = append(all, good{ID: n + 1, Name: maker + " " + kind.name, Maker: maker, Price: float64(1890+(n*7919)%6000) / 100, Stars: 3 + float64((i*3+j*5)%20)/10,
				About: "It " + kind.about + ". Made by " + maker + " in small numbers, and mended for ten years.", SoldOut: n%7 == 5,
				Capacity: fmt.Sprintf("%.1f l", 0.5+float64(n%8)*0.2)})
		}
	}
	return all
}

const perPage = 6

// serveShop serves a small shop on this machine until ctx ends, and returns its address.
func serveShop(ctx context.Context) (string, error) {
	page, err := template.New("shop").Parse(shopHTML)
	if err != nil {
		return "", err
	}
	l, err := serve.Listen(ctx, "127.0.0.1:0", true)
	if err != nil {
		return "", err
	}
	all := goods()
	mux := http.NewServeMux()
	show := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = page.Execute(w, v) // to a reader who may have gone
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("page"))
		n = max(n, 1)
		from := min((n-1)*perPage, len(all))
		to := min(from+perPage, len(all))
		next := 0
		if to < len(all) {
			next = n + 1
		}
		show(w, map[string]any{"Goods": all[from:to], "Next": next})
	})
	mux.HandleFunc("GET /kettle/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.Atoi(r.PathValue("id"))
		if id < 1 || id > len(all) {
			http.NotFound(w, r)
			return
		}
		show(w, map[string]any{"Good": all[id-1]})
	})
	go func() { _ = serve.Run(ctx, l, mux) }() // until the program ends
	return "http://" + net.JoinHostPort("localhost", strconv.Itoa(l.Addr().(*net.TCPAddr).Port)) + "/", nil
}

// shopSpec is the job that is there to begin with.
func shopSpec(shop string) string {
	return fmt.Sprintf(`name: Kettles of the bundled shop
seeds: %s
user-agent: quarry-console/1.0 (+https://github.com/webquarry/quarry)
pace: {delay: 50ms}
fetch: {allow-private: true}
extract:
  - name: kettle
    urls: [/kettle/*]
    fields:
      name: {css: h1, required: true}
      maker: {css: .maker}
      price: {css: .price, type: price}
      stars: {css: .stars, attr: data-stars, type: float}
      soldout: {css: .soldout, type: present}
      about: .about
output: {pages: pages.jsonl}
`, shop)
}
