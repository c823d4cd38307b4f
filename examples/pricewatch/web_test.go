package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/index"
)

// webOf serves the pages over some sightings.
func webOf(t *testing.T, now status, sightings ...sighting) (h http.Handler, asked *int) {
	t.Helper()
	c := catalogOf(sightings...)
	ix, err := index.New(indexOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ix.Close() })
	w, err := ix.Writer()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	k := &keeper{catalog: c, index: ix, writer: w}
	if err := k.refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	asked = new(int)
	page := &web{engine: &engine{index: ix, catalog: c}, status: func() status { return now }, askShops: func() { *asked++ }, log: slog.New(slog.DiscardHandler)}
	return page.handler(), asked
}

func ask1(t *testing.T, h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	h.ServeHTTP(w, r)
	return w
}

func askDoc(t *testing.T, h http.Handler, target string) *goquery.Document {
	t.Helper()
	w := ask1(t, h, "GET", target)
	if w.Code != http.StatusOK {
		t.Errorf("%s: status %d", target, w.Code)
	}
	doc, err := goquery.NewDocumentFromReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// some are sightings of a few products with everything that can be asked for.
func some() []sighting {
	kettle := facts{Name: "Kestrel K-400 kettle", Brand: "Kestrel", Model: "K-400", GTIN: "09520000410001", Category: "kitchen"}
	pan := facts{Name: "Eisner P28 pan", Brand: "Eisner", Model: "P28"}
	a, b, c := seen("A", "/1", "1", 80, kettle), seen("B", "/x", "77", 70, kettle), seen("A", "/2", "2", 50, pan)
	c.Stock = soldOut
	odd := seen("C", "/9", "9", 5, facts{Name: `<script>alert("1")</script> & "tea"`})
	return []sighting{a, b, c, odd, later(a, 1, 60, inStock)}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	h, _ := webOf(t, status{}, some()...)
	const kettle, pan, tea = "9520000410001", "eisner-p28", "c-9"
	for query, want := range map[string]string{
		"":                                pan + " " + kettle + " " + tea, // by name
		"sort=cheapest":                   tea + " " + pan + " " + kettle,
		"sort=drop":                       kettle + " " + tea + " " + pan,
		"sort=cheapest&min=20":            pan + " " + kettle,
		"sort=cheapest&max=50":            tea + " " + pan,
		"min=60&max=60":                   kettle,
		"min=50,5&max=60.5":               kettle,
		"stock=in&sort=cheapest":          tea + " " + kettle,
		"shop=A&sort=cheapest":            pan + " " + kettle,
		"shop=B":                          kettle,
		"shop=B&shop=C&sort=cheapest":     tea + " " + kettle,
		"shop=Z":                          "",
		"q=k400":                          kettle,
		"q=K-400":                         kettle,
		"q=9520000410001":                 kettle,
		"q=kettles":                       kettle,
		"q=77":                            kettle,
		"q=kitchen":                       kettle,
		"q=kettle+zzyzx":                  kettle, // some of the words
		"q=pan&stock=in":                  "",
		"q=pan+OR+kettle&sort=cheapest":   pan + " " + kettle,
		"q=shop:C":                        tea,
		"sort=cheapest&size=1&page=2":     pan,
		"sort=cheapest&size=1&page=3&x=y": kettle,
	} {
		var a apiAnswer
		if err := json.Unmarshal(ask1(t, h, "GET", "/api/search?"+query).Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, hit := range a.Hits {
			ids = append(ids, hit.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// Shops are counted as if none were chosen, so that another can be.
func TestSellers(t *testing.T) {
	t.Parallel()
	h, _ := webOf(t, status{}, some()...)
	for query, want := range map[string]string{"": "A 2|B 1|C 1", "shop=B": "A 2|B 1*|C 1", "shop=B&max=10": "C 1|B 0*"} {
		var chips []string
		askDoc(t, h, "/?"+query).Find(".shops .chip").Each(func(_ int, s *goquery.Selection) {
			text := strings.Join(strings.Fields(s.Text()), " ")
			if _, checked := s.Find("input").Attr("checked"); checked {
				text += "*"
			}
			chips = append(chips, text)
		})
		if got := strings.Join(chips, "|"); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

func TestBadQueries(t *testing.T) {
	t.Parallel()
	h, _ := webOf(t, status{}, some()...)
	for query, want := range map[string]string{
		"page=0": "bad_page", "page=x": "bad_page", "size=1000": "bad_size", "page=10000": "bad_page",
		"min=cheap": "bad_price", "max=-1": "bad_price", "min=NaN": "bad_price", "max=1e999": "bad_price", "sort=price": "bad_sort",
		"q=" + strings.Repeat("x", maxQuery+1): "bad_query",
	} {
		w := ask1(t, h, "GET", "/api/search?"+query)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"code":"`+want+`"`) {
			t.Errorf("%.40s: status %d, %s", query, w.Code, w.Body)
		}
		if w := ask1(t, h, "GET", "/?"+query); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "That did not work") {
			t.Errorf("%.40s: the page has status %d", query, w.Code)
		}
	}
	for target, want := range map[string]int{"/product/none": 404, "/nowhere": 404, "/api/product/none": 404, "/api/nowhere": 404, "/static/page.html": 404} {
		if w := ask1(t, h, "GET", target); w.Code != want {
			t.Errorf("%s: status %d, want %d", target, w.Code, want)
		}
	}
	if w := ask1(t, h, "POST", "/api/search"); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: status %d", w.Code)
	}
}

// What shops write is shown as text.
func TestEscaping(t *testing.T) {
	t.Parallel()
	h, _ := webOf(t, status{}, some()...)
	for _, target := range []string{"/?q=tea", "/product/c-9"} {
		w := ask1(t, h, "GET", target)
		if strings.Contains(w.Body.String(), "<script>alert") || !strings.Contains(w.Body.String(), "&lt;script&gt;alert") {
			t.Errorf("%s: %s", target, w.Body)
		}
		for _, name := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"} {
			if w.Header().Get(name) == "" {
				t.Errorf("%s: no %s", target, name)
			}
		}
	}
	evil := seen("A", "/1", "1", 5, facts{Name: "K"})
	evil.URL = "javascript:alert(1)"
	h, _ = webOf(t, status{}, evil)
	if w := ask1(t, h, "GET", "/product/a-1"); strings.Contains(w.Body.String(), `href="javascript:`) {
		t.Error("a script for an address")
	}
}

func TestProductPage(t *testing.T) {
	t.Parallel()
	h, _ := webOf(t, status{}, some()...)
	doc := askDoc(t, h, "/product/9520000410001")
	if got := doc.Find("h1").Text(); got != "Kestrel K-400" {
		t.Errorf("the product is %q", got)
	}
	if got := strings.Join(strings.Fields(doc.Find(".best").Text()), " "); got != "€60.00 −14% at A" {
		t.Errorf("the best price is %q", got)
	}
	if n := doc.Find(".chart .line").Length(); n != 2 {
		t.Errorf("%d lines", n)
	}
	if got := doc.Find("details tbody tr").First().Text(); !strings.Contains(got, "3 Mar 2026, 08:00 UTC") || !strings.Contains(got, "€60.00") {
		t.Errorf("the last change is %q", got)
	}
	var p struct {
		Offers []apiOffer `json:"offers"`
	}
	if err := json.Unmarshal(ask1(t, h, "GET", "/api/product/9520000410001").Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Offers) != 2 || p.Offers[0].Shop != "A" || len(p.Offers[0].History) != 2 || p.Offers[0].How != byBarcode {
		t.Errorf("%+v", p.Offers)
	}
}

// Only a page of ours may have the shops asked again, and not while they are
// being asked.
func TestAskAgain(t *testing.T) {
	t.Parallel()
	h, asked := webOf(t, status{}, some()...)
	if w := ask1(t, h, "POST", "/recheck", "Sec-Fetch-Site", "cross-site"); w.Code != http.StatusForbidden || *asked != 0 {
		t.Errorf("from elsewhere: status %d, asked: %d", w.Code, *asked)
	}
	for referer, want := range map[string]string{"http://example.com/product/1?x": "/product/1?x", "http://evil.test/": "/", "": "/", "http://example.com//evil.test": "/"} {
		w := ask1(t, h, "POST", "/recheck", "Sec-Fetch-Site", "same-origin", "Referer", referer)
		if got := w.Header().Get("Location"); w.Code != http.StatusSeeOther || got != want {
			t.Errorf("from %q: status %d to %q, want %q", referer, w.Code, got, want)
		}
	}
	if *asked != 4 {
		t.Errorf("asked %d times, want 4", *asked)
	}
	h, asked = webOf(t, status{Running: true})
	if ask1(t, h, "POST", "/recheck"); *asked != 0 {
		t.Error("asked for a round during one")
	}
	if !strings.Contains(ask1(t, h, "GET", "/").Body.String(), "There is no product yet.") {
		t.Error("the first page does not tell that there is nothing yet")
	}
}

// The address of an answer holds all that was asked, and nothing else.
func TestAddresses(t *testing.T) {
	t.Parallel()
	const query = "max=100&min=5&page=2&q=tea+pot&shop=A&shop=B+%26+C&size=5&sort=drop&stock=in"
	v, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	want, err := readAsk(v)
	if err != nil {
		t.Fatal(err)
	}
	if got := want.href(2); got != "/?"+query {
		t.Errorf("%s\nwant /?%s", got, query)
	}
	if got := (&ask{Text: "x", size: defaultSize}).href(1); got != "/?q=x" {
		t.Error(got)
	}
}
