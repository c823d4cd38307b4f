package main

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html/charset"
)

// fetchBundled asks the bundled site for one path.
func fetchBundled(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	bundledSite().ServeHTTP(w, httptest.NewRequest("GET", "http://dusk.test"+path, nil))
	return w
}

// Every link and image of the bundled site leads somewhere, but for the one
// that is dead on purpose.
func TestBundledLinks(t *testing.T) {
	t.Parallel()
	seen, todo := map[string]bool{}, []string{"/"}
	var dead []string
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		w := fetchBundled(t, path)
		if w.Code == http.StatusNotFound {
			dead = append(dead, path)
		}
		if w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		for _, ref := range references(t, path, w.Body.Bytes()) {
			if !seen[ref] && !strings.HasPrefix(ref, "/calendar?") {
				seen[ref] = true
				todo = append(todo, ref)
			}
		}
	}
	if len(dead) != 1 || dead[0] != "/lost.html" {
		t.Errorf("dead links %q, want /lost.html alone", dead)
	}
	if n := len(seen); n < 45 {
		t.Errorf("%d addresses reached, want the whole site", n)
	}
}

// references are the links, images and style sheets of a page, without
// fragments.
func references(t *testing.T, path string, body []byte) (refs []string) {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	base := &url.URL{Path: path}
	for _, n := range doc.Find("a[href], img[src], link[href]").EachIter() {
		ref, ok := n.Attr("href")
		if !ok {
			ref = n.AttrOr("src", "")
		}
		u, err := base.Parse(ref)
		if err != nil {
			t.Errorf("%s: link %q: %v", path, ref, err)
			continue
		}
		u.Fragment = ""
		refs = append(refs, u.String())
	}
	return refs
}

func TestBundledCorners(t *testing.T) {
	t.Parallel()
	if w := fetchBundled(t, "/m31"); w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != "/deep-sky/andromeda-galaxy.html" {
		t.Errorf("/m31: %d to %q", w.Code, w.Header().Get("Location"))
	}
	for _, path := range []string{"/layout.html", "/raw/field-notes.html", "/constellations", "/../site.go", "/about"} {
		if w := fetchBundled(t, path); w.Code == http.StatusOK {
			t.Errorf("%s is served", path)
		}
	}
	if body := fetchBundled(t, "/members.html").Body.String(); !strings.Contains(body, `<meta name="robots" content="noindex">`) {
		t.Error("the list of members does not say noindex")
	}
	if body := fetchBundled(t, "/robots.txt").Body.String(); !strings.Contains(body, "Disallow: /drafts/") || !strings.Contains(body, "Sitemap: http://dusk.test/sitemap.xml") {
		t.Errorf("robots.txt: %q", body)
	}
	w := fetchBundled(t, "/people/kopernik.html")
	if bytes.Contains(w.Body.Bytes(), []byte("Mikołaj")) {
		t.Error("the page in ISO 8859-2 is in UTF-8")
	}
	r, err := charset.NewReaderLabel("iso-8859-2", w.Body)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := text.ReadFrom(r); err != nil || !strings.Contains(text.String(), "wstrzymał Słońce") {
		t.Errorf("the page in ISO 8859-2 does not decode: %v", err)
	}
}

// sitemapOf lists the URLs in the sitemap of the bundled site.
func sitemapOf(t *testing.T) []string {
	t.Helper()
	var list struct {
		URLs []string `xml:"url>loc"`
	}
	if err := xml.Unmarshal(fetchBundled(t, "/sitemap.xml").Body.Bytes(), &list); err != nil {
		t.Fatal(err)
	}
	return list.URLs
}

func TestBundledSitemap(t *testing.T) {
	t.Parallel()
	urls := sitemapOf(t)
	if len(urls) != 36 {
		t.Errorf("%d pages in the sitemap, want 36", len(urls))
	}
	for _, u := range urls {
		if strings.Contains(u, "drafts") || strings.Contains(u, "members") {
			t.Errorf("the sitemap lists %s", u)
		}
		if w := fetchBundled(t, strings.TrimPrefix(u, "http://dusk.test")); w.Code != http.StatusOK {
			t.Errorf("%s: %d", u, w.Code)
		}
	}
}

func TestBundledCalendar(t *testing.T) {
	t.Parallel()
	body := fetchBundled(t, "/calendar?month=2026-12").Body.String()
	for _, want := range []string{"December 2026", "24 December: <a href=\"/moon/\">full moon</a>", "/calendar?month=2027-01", "/calendar?month=2026-11"} {
		if !strings.Contains(body, want) {
			t.Errorf("the calendar of December 2026 lacks %q", want)
		}
	}
	if body := fetchBundled(t, "/calendar?month=soon").Body.String(); !strings.Contains(body, time.Now().UTC().Format("January 2006")) {
		t.Error("the calendar without a month is not that of this month")
	}
	if body := fetchBundled(t, "/calendar?month=1612-12").Body.String(); strings.Count(body, "full moon") != 1 {
		t.Errorf("the calendar of December 1612 is wrong: %s", body)
	}
}

func TestBundledImages(t *testing.T) {
	t.Parallel()
	img, err := png.Decode(fetchBundled(t, "/images/moon-phases.png").Body)
	if err != nil || img.Bounds().Dx() != 480 {
		t.Errorf("moon-phases.png: %v", err)
	}
	names, err := fs.Glob(siteFiles, "site/images/*.svg")
	if err != nil || len(names) == 0 {
		t.Fatalf("no charts: %v", err)
	}
	for _, name := range names {
		w := fetchBundled(t, strings.TrimPrefix(name, "site"))
		if got := w.Header().Get("Content-Type"); got != "image/svg+xml" {
			t.Errorf("%s is sent as %s", name, got)
		}
		if err := xml.Unmarshal(w.Body.Bytes(), new(struct{ XMLName xml.Name })); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
