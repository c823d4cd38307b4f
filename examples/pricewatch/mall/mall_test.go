package mall

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func get(t *testing.T, h http.Handler, path string, cookies ...*http.Cookie) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	for _, c := range cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// There is something to compare: several dozen products, most of them in more
// than one shop, and none with the number of another.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	m := New()
	shops := map[string]int{}
	sold := map[[2]string]bool{}
	for _, d := range m.Deals() {
		if sold[[2]string{d.Shop, d.Product}] {
			t.Errorf("%s has %s twice", d.Shop, d.Product)
		}
		sold[[2]string{d.Shop, d.Product}] = true
		shops[d.Product]++
	}
	several := 0
	for _, n := range shops {
		if n > 1 {
			several++
		}
	}
	if len(shops) < 40 || len(shops) > 60 || several < 2*len(shops)/3 {
		t.Errorf("%d products, %d of them in several shops", len(shops), several)
	}
}

// Prices move from day to day, in every shop, and some go down.
func TestDays(t *testing.T) {
	t.Parallel()
	m := New()
	first := m.Deals()
	moved, fell, out := map[string]int{}, 0, 0
	for day := 1; day < 5; day++ {
		m.SetDay(day)
		for i, d := range m.Deals() {
			if d.Price != first[i].Price {
				moved[d.Shop]++
			}
			if d.Price < first[i].Price {
				fell++
			}
			if !d.InStock {
				out++
			}
		}
	}
	if len(moved) != 4 || fell == 0 || out == 0 {
		t.Errorf("prices moved in %v, fell %d times; %d times sold out", moved, fell, out)
	}
	m.SetDay(0)
	for i, d := range m.Deals() {
		if d != first[i] {
			t.Errorf("day 0 again: %+v, want %+v", d, first[i])
		}
	}
}

// The Depot Club tells nothing to strangers.
func TestMembersOnly(t *testing.T) {
	t.Parallel()
	shop := New().depot()
	for _, path := range []string{"/", "/item/5000", "/price/5000"} {
		w := get(t, shop, path)
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/login" || strings.Contains(w.Body.String(), "CHF") {
			t.Errorf("%s: status %d, %q", path, w.Code, w.Body)
		}
	}
	if w := get(t, shop, "/price/5000", &http.Cookie{Name: "depot", Value: depotTicket}); w.Code != 200 || !strings.HasPrefix(w.Body.String(), "CHF ") {
		t.Errorf("a member: status %d, %q", w.Code, w.Body)
	}
	for password, want := range map[string]string{DepotPassword: "/", "wrong": "/login?wrong"} {
		r := httptest.NewRequest("POST", "/login", strings.NewReader("user=member%40example.com&password="+password))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		shop.ServeHTTP(w, r)
		if got := w.Header().Get("Location"); got != want {
			t.Errorf("password %q leads to %q, want %q", password, got, want)
		}
	}
}

// What is not there is told so.
func TestNotFound(t *testing.T) {
	t.Parallel()
	for _, s := range New().Shops() {
		if w := get(t, s.Handler, "/no/such/page"); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", s.Name, w.Code)
		}
		if w := get(t, s.Handler, "/robots.txt"); w.Code != 200 || !strings.Contains(w.Body.String(), "Disallow: /") {
			t.Errorf("%s: robots.txt: status %d, %q", s.Name, w.Code, w.Body)
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{"1.299,90": money(1299.9, ".", ","), "99.00": money(99, ",", "."), "1,234,567.05": money(1234567.05, ",", ".")} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
