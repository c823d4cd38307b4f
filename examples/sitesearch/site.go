package main

import (
	"bytes"
	"embed"
	"encoding/xml"
	"fmt"
	"html/template"
	"io/fs"
	"math"
	"net/http"
	"path"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"
)

// The bundled site: a page is a file whose first line is the title, whose
// second is the description, and whose rest, after an empty line, is the body.
//
//go:embed site
var siteFiles embed.FS

// bundledPage is what site/layout.html shows.
type bundledPage struct {
	Path, Title, Description string
	Lang, Charset            string
	NoIndex                  bool
	Body                     template.HTML
}

// bundledSite serves the small web that is crawled when no seed is given. It
// has the odd corners of real sites: a calendar without end, a page in broken
// HTML, one in an old encoding, one that is slow, a redirect, a page that must
// not be indexed and one that must not be fetched.
func bundledSite() http.Handler {
	files, err := fs.Sub(siteFiles, "site")
	if err != nil {
		panic(err) // only for a malformed path
	}
	layout := template.Must(template.ParseFS(files, "layout.html"))
	s := &site{files, layout}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", s.page)
	mux.HandleFunc("GET /calendar", s.calendar)
	mux.HandleFunc("GET /sitemap.xml", s.sitemap)
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "User-agent: *\nDisallow: /drafts/\n\nSitemap: http://%s/sitemap.xml\n", r.Host)
	})
	mux.Handle("GET /m31", http.RedirectHandler("/deep-sky/andromeda-galaxy.html", http.StatusMovedPermanently))
	mux.Handle("GET /style.css", http.FileServerFS(files))
	mux.Handle("GET /images/", http.FileServerFS(files))
	mux.HandleFunc("GET /field-notes.html", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, files, "raw/field-notes.html")
	})
	mux.HandleFunc("GET /events/aurora.html", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(400 * time.Millisecond): // the slow page
			s.page(w, r)
		case <-r.Context().Done():
		}
	})
	return mux
}

type site struct {
	files  fs.FS
	layout *template.Template
}

// page serves one page of the site.
func (s *site) page(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	raw, err := fs.ReadFile(s.files, name)
	if err != nil || path.Ext(name) != ".html" || name == "layout.html" || strings.HasPrefix(name, "raw/") {
		http.NotFound(w, r)
		return
	}
	title, rest, _ := strings.Cut(string(raw), "\n")
	description, body, _ := strings.Cut(rest, "\n")
	p := bundledPage{Path: r.URL.Path, Title: title, Description: description, Lang: "en", Charset: "utf-8",
		NoIndex: name == "members.html", Body: template.HTML(body)}
	if name == "people/kopernik.html" {
		p.Lang, p.Charset = "pl", "iso-8859-2"
	}
	s.write(w, p)
}

// write sends a page in its encoding, which the page alone declares.
func (s *site) write(w http.ResponseWriter, p bundledPage) {
	var buf bytes.Buffer
	if err := s.layout.Execute(&buf, p); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	out := buf.Bytes()
	if p.Charset == "iso-8859-2" {
		latin, err := charmap.ISO8859_2.NewEncoder().Bytes(out)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		out = latin
	}
	w.Header().Set("Content-Type", "text/html")
	w.Write(out) // an error means that the client went away
}

// calendar is the trap: every month links to the next, for ever.
func (s *site) calendar(w http.ResponseWriter, r *http.Request) {
	month, err := time.Parse("2006-01", r.URL.Query().Get("month"))
	if err != nil {
		now := time.Now().UTC()
		month = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	var body strings.Builder
	body.WriteString("<ul>\n")
	for day := month; day.Month() == month.Month(); day = day.AddDate(0, 0, 1) {
		if phase := moonPhase(day); phase != "" {
			fmt.Fprintf(&body, "<li>%s: <a href=\"/moon/\">%s</a></li>\n", day.Format("2 January"), phase)
		}
	}
	fmt.Fprintf(&body, "</ul>\n<p><a href=\"/calendar?month=%s\">Earlier</a> <a href=\"/calendar?month=%s\">Next month</a></p>\n",
		month.AddDate(0, -1, 0).Format("2006-01"), month.AddDate(0, 1, 0).Format("2006-01"))
	s.write(w, bundledPage{Path: "/calendar?month=" + month.Format("2006-01"), Title: "Observing calendar, " + month.Format("January 2006"),
		Description: "The quarters of the Moon, to within a day.", Lang: "en", Charset: "utf-8",
		Body: template.HTML(body.String())})
}

// moonPhase names the quarter of the Moon that falls on a day, by its mean
// motion from a new moon of the year 2000; empty on other days.
func moonPhase(day time.Time) string {
	const quarter = 29.530588853 / 4 // days
	newMoon := time.Date(2000, 1, 6, 18, 14, 0, 0, time.UTC)
	at := func(t time.Time) int { return int(math.Floor(float64(t.Unix()-newMoon.Unix()) / 86400 / quarter)) }
	if i := at(day.AddDate(0, 0, 1)); i != at(day) {
		return [4]string{"new moon", "first quarter", "full moon", "last quarter"}[(i%4+4)%4]
	}
	return ""
}

// sitemap lists the pages that are open to crawlers.
func (s *site) sitemap(w http.ResponseWriter, r *http.Request) {
	type entry struct {
		Loc string `xml:"loc"`
	}
	var list struct {
		XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
		URLs    []entry  `xml:"url"`
	}
	err := fs.WalkDir(s.files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".html" && openPage(name) {
			name = strings.TrimSuffix(strings.TrimPrefix(name, "raw/"), "index.html")
			list.URLs = append(list.URLs, entry{"http://" + r.Host + "/" + name})
		}
		return err
	})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/xml")
	w.Write([]byte(xml.Header))
	xml.NewEncoder(w).Encode(list)
}

// openPage says whether a file is a page that crawlers may fetch and index.
func openPage(name string) bool {
	return name != "layout.html" && name != "members.html" && !strings.HasPrefix(name, "drafts/")
}
