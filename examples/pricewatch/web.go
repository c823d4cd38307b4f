package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/webquarry/quarry/index/serve"
)

//go:embed web
var webFiles embed.FS

// web is the pages and their JSON twin.
type web struct {
	engine   *engine
	shops    *shopList
	status   func() status
	askShops func()      // has the shops asked again
	limit    serve.Limit // of searches at a time
	log      *slog.Logger
	page     *template.Template
}

// handler routes what a browser or a program may ask.
func (s *web) handler() http.Handler {
	files, err := fs.Sub(webFiles, "web")
	if err != nil {
		panic(err) // only for a malformed path
	}
	s.limit = serve.NewLimit(0)
	s.page = template.Must(template.New("").Funcs(template.FuncMap{
		"count": serve.Grouped, "money": money, "percent": percent, "day": day, "amount": amount,
		"spark": func(h hit) *spark { return sparkOf(h.product, s.engine.catalog.rates) },
	}).ParseFS(files, "*.html"))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.answers)
	mux.HandleFunc("GET /product/{id}", s.product)
	mux.HandleFunc("POST /recheck", s.askAgain)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.show(w, "search.html", view{Error: "There is no page at this address.", code: http.StatusNotFound})
	})
	for _, name := range []string{"style.css", "pricewatch.js", "icon.svg"} {
		mux.HandleFunc("GET /static/"+name, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, files, "static/"+name)
		})
	}
	mux.HandleFunc("/api/search", s.apiSearch)
	mux.HandleFunc("/api/product/", s.apiProduct)
	mux.HandleFunc("/api/status", s.apiStatus)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		serve.WriteError(w, &serve.Error{Status: http.StatusNotFound, Code: "not_found", Message: "there is /api/search, /api/product/ID and /api/status"})
	})
	return serve.Secure(http.NewCrossOriginProtection().Handler(mux))
}

// view is what the pages show.
type view struct {
	*answer
	Status  status
	Pages   []serve.PageLink
	Error   string
	Product *productView
	rates   rates
	code    int
}

// productView is a product with what goes with it.
type productView struct {
	*product
	Currency string
	Chart    *chart
	Siblings []*product
	Changes  []change
}

// change is a price that changed, for the table of the history.
type change struct {
	At    time.Time
	Shop  string
	Price float64
	Code  string
	Home  float64 // in the currency of comparison
	Stock stock
}

// Home is what an offer costs in the currency of comparison.
func (v view) Home(o *offer) float64 { return v.rates.of(o.now()) }

// Path is the path of a URL.
func (v view) Path(u string) string {
	if parsed, err := url.Parse(u); err == nil {
		return parsed.RequestURI()
	}
	return u
}

// answers is the first page and that of answers.
func (s *web) answers(w http.ResponseWriter, r *http.Request) {
	v := view{}
	want, err := readAsk(r.URL.Query())
	if err == nil {
		v.answer, err = s.search(r, want)
	}
	if bad, isBad := errors.AsType[*serve.Error](err); isBad {
		v.Error, v.code = bad.Message, bad.Status
	} else if err != nil {
		s.log.Error("search", "query", want.Text, "err", err)
		v.Error, v.code = "The index could not answer. The log of the program says why.", http.StatusInternalServerError
	} else {
		v.Pages = v.answer.pages()
	}
	s.show(w, "search.html", v)
}

// search has the engine answer, when it is this request's turn.
func (s *web) search(r *http.Request, want ask) (*answer, error) {
	done, err := s.limit.Wait(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	return s.engine.search(r.Context(), want)
}

// product is the page of one product.
func (s *web) product(w http.ResponseWriter, r *http.Request) {
	catalog := s.engine.catalog
	p, ok := catalog.product(r.PathValue("id"))
	if !ok {
		s.show(w, "search.html", view{Error: "There is no such product.", code: http.StatusNotFound})
		return
	}
	v := &productView{product: p, Currency: catalog.rates.home, Chart: chartOf(p, catalog.rates), Siblings: catalog.siblings(p)}
	for _, o := range p.Offers {
		for _, t := range o.Trail {
			v.Changes = append(v.Changes, change{t.At, o.Shop, t.Price, t.Code, catalog.rates.of(t), t.Stock})
		}
	}
	slices.SortStableFunc(v.Changes, func(a, b change) int { return b.At.Compare(a.At) })
	s.show(w, "product.html", view{Product: v})
}

// askAgain starts a round, if none is going on.
func (s *web) askAgain(w http.ResponseWriter, r *http.Request) {
	if !s.status().Running {
		s.askShops()
	}
	back := "/"
	if u, err := url.Parse(r.Referer()); err == nil && u.Host == r.Host && strings.HasPrefix(u.Path, "/") && !strings.HasPrefix(u.Path, "//") {
		back = u.RequestURI()
	}
	http.Redirect(w, r, back, http.StatusSeeOther)
}

func (s *web) show(w http.ResponseWriter, name string, v view) {
	v.Status, v.rates = s.status(), s.engine.catalog.rates
	if v.answer == nil {
		v.answer = &answer{ask: ask{page: 1, size: defaultSize}, Currency: s.engine.catalog.rates.home}
	}
	var buf bytes.Buffer
	if err := s.page.ExecuteTemplate(&buf, name, v); err != nil {
		s.log.Error("page", "err", err)
		http.Error(w, "the page could not be made", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if v.code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	if v.code != 0 {
		w.WriteHeader(v.code)
	}
	w.Write(buf.Bytes()) // an error means that the browser went away
}

// readAsk reads what is asked for from a query string; errors are *serve.Error.
func readAsk(v url.Values) (want ask, err error) {
	want = ask{Text: v.Get("q"), Sort: v.Get("sort"), InStock: v.Get("stock") == "in"}
	for _, s := range v["shop"] {
		if s != "" && !slices.Contains(want.Shops, s) {
			want.Shops = append(want.Shops, s)
		}
	}
	if len(want.Text) > maxQuery {
		return want, &serve.Error{Status: http.StatusBadRequest, Code: "bad_query", Message: fmt.Sprintf("q: at most %s bytes", serve.Grouped(maxQuery))}
	}
	if want.Sort != "" && !slices.Contains(orders[:], want.Sort) {
		return want, &serve.Error{Status: http.StatusBadRequest, Code: "bad_sort", Message: "sort: want one of " + strings.Join(orders[:], ", ")}
	}
	if want.Min, err = price(v, "min"); err != nil {
		return want, err
	}
	if want.Max, err = price(v, "max"); err != nil {
		return want, err
	}
	if want.size, err = serve.Number(v, "size", defaultSize, maxSize); err != nil {
		return want, err
	}
	want.page, err = serve.Number(v, "page", 1, maxDepth/want.size)
	return want, err
}

// price reads a bound; 0 is none.
func price(v url.Values, name string) (float64, error) {
	text := strings.TrimSpace(v.Get(name))
	if text == "" {
		return 0, nil
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64)
	if err != nil || !(f >= 0) || math.IsInf(f, 0) {
		return 0, &serve.Error{Status: http.StatusBadRequest, Code: "bad_price", Message: name + ": want a price, such as 49.90"}
	}
	return f, nil
}
