package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"net"
	"net/http"
	"strconv"
	"strings"
)

//go:embed site
var siteFiles embed.FS

const shell = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%s</title>
<link rel="stylesheet" href="/style.css"></head><body>
<nav><b>Demo shop</b> <a href="/more">lamps</a> <a href="/endless">chairs</a> <a href="/virtual">books</a> <a href="/pages">pages</a>
<a href="/consent">hours</a> <a href="/tabs">details</a> <a href="/parts">parts</a> <a href="/app/">app</a> <a href="/order">order</a> <a href="/members">members</a></nav>
<h1>%s</h1>
%s
</body></html>`

// serveSite serves the bundled site on an address of its own until closed.
func serveSite() (at string, closed func() error, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: site()}
	go func() { _ = s.Serve(l) }() // until Close
	return "http://" + l.Addr().String(), s.Close, nil
}

// site is a small shop whose pages need a browser.
func site() http.Handler {
	mux := http.NewServeMux()
	for path, title := range map[string]string{
		"/more": "Lamps", "/endless": "Chairs", "/virtual": "Books", "/consent": "Opening hours", "/tabs": "Details",
		"/parts": "Parts", "/app/": "App", "/order": "Order",
	} {
		name := strings.Trim(path, "/")
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { page(w, title, file(name)) })
	}
	mux.HandleFunc("GET /stock.html", func(w http.ResponseWriter, _ *http.Request) { page(w, "Stock", file("stock")) })
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css")
		b, _ := siteFiles.ReadFile("site/style.css")
		_, _ = w.Write(b)
	})
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { page(w, "Demo shop", "<p>Take a look around.</p>") })
	mux.HandleFunc("GET /api/{kind}", batch)
	mux.HandleFunc("GET /pages", numbered)
	mux.HandleFunc("GET /ordered", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		page(w, "Ordered", fmt.Sprintf(`<p id="order">%s × %s by %s, gift: %s, <q>%s</q></p>`, html.EscapeString(q.Get("pieces")),
			html.EscapeString(q.Get("model")), html.EscapeString(q.Get("day")), html.EscapeString(q.Get("gift")), html.EscapeString(q.Get("words"))))
	})
	members(mux)
	return mux
}

func file(name string) string {
	b, err := siteFiles.ReadFile("site/" + name + ".html")
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func page(w http.ResponseWriter, title, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, shell, title, title, body)
}

type product struct {
	Name  string `json:"name"`
	Price string `json:"price"`
}

func products(kind string, from, n int) (out []product) {
	names := map[string][]string{
		"lamps":  {"Arc", "Beam", "Cone", "Dusk", "Ember", "Flare", "Glow", "Halo"},
		"chairs": {"Ash", "Birch", "Cedar", "Elm", "Fir", "Hazel"},
	}[kind]
	for i := from; i < from+n && names != nil; i++ {
		out = append(out, product{fmt.Sprintf("%s %d", names[i%len(names)], i/len(names)+1), fmt.Sprintf("%d.%02d €", 12+i*7%90, i*13%100)})
	}
	return out
}

// batch answers with a part of a list.
func batch(w http.ResponseWriter, r *http.Request) {
	size, batches := 8, 3
	if r.PathValue("kind") == "chairs" {
		size, batches = 10, 6
	}
	n, _ := strconv.Atoi(r.URL.Query().Get("batch"))
	if n < 0 || n >= batches {
		n, size = 0, 0
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"items": products(r.PathValue("kind"), n*size, size), "more": size > 0 && n+1 < batches})
}

// numbered is a list in pages.
func numbered(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.URL.Query().Get("page"))
	n = max(n, 1)
	var b strings.Builder
	b.WriteString("<ul class=cards>")
	for _, p := range products("lamps", (n-1)*6, 6) {
		fmt.Fprintf(&b, `<li class="card"><h2>%s</h2><p class="price">%s</p></li>`, p.Name, p.Price)
	}
	b.WriteString("</ul>")
	if n < 4 {
		fmt.Fprintf(&b, `<a rel="next" href="/pages?page=%d">Next</a>`, n+1)
	}
	page(w, fmt.Sprintf("Lamps, page %d", n), b.String())
}

// members is the part of the site behind a login: demo, demo.
func members(mux *http.ServeMux) {
	const session = "s-41d8"
	form := func(w http.ResponseWriter, note string) {
		page(w, "Sign in", strings.ReplaceAll(file("login"), "{{note}}", note))
	}
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, _ *http.Request) { form(w, "User and password are demo.") })
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("user") != "demo" || r.FormValue("password") != "demo" || r.FormValue("token") != "a7f3" {
			w.WriteHeader(http.StatusForbidden)
			form(w, "Wrong user or password.")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: session, Path: "/", HttpOnly: true})
		http.Redirect(w, r, "/members", http.StatusSeeOther)
	})
	mux.HandleFunc("GET /members", func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie("session"); err != nil || c.Value != session {
			http.Redirect(w, r, "/login", http.StatusFound)
			return
		}
		page(w, "Members", `<table><tr><th>Order<th>Sum</tr><tr class="order"><td class="number">1001<td class="sum">25.00 €</tr>
			<tr class="order"><td class="number">1002<td class="sum">13.50 €</tr></table><p><a href="/logout">Sign out</a></p>`)
	})
	mux.HandleFunc("GET /logout", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "session", Path: "/", MaxAge: -1})
		http.Redirect(w, r, "/login", http.StatusFound)
	})
}
