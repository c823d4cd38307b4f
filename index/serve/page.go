package serve

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// view is what web/page.html shows.
type view struct {
	*Answer
	Title, Noun string
	Path        template.URL // of the handler
	Status      Status
	Examples    []string
	Suggests    bool
	Orders      []Order
	Order       string
	Narrowed    bool
	Anywhere    string // the address of the same answer, narrowed by nothing
	Pages       []PageLink
	Error       string
	code        int
}

// showSearch is the page itself: empty, with hits, or with what went wrong.
func (h *Handler) showSearch(w http.ResponseWriter, r *http.Request) {
	v := view{Answer: &Answer{}}
	req, err := h.read(r.URL.Query())
	v.Order = req.Order
	if !req.blank() {
		v.Query = req.Text
	}
	if err == nil && !req.blank() {
		var a *Answer
		if a, err = h.answer(r.Context(), req); err == nil {
			v.Answer = a
			v.Pages = a.pages(func(page int) string { return h.href(req, page) })
			v.Narrowed = len(req.Narrow) > 0
			req.Narrow = nil
			v.Anywhere = h.href(req, 1)
		}
	}
	if bad, isBad := errors.AsType[*Error](err); isBad {
		v.Error, v.code = bad.Message, bad.Status
	} else if err != nil {
		v.Error, v.code = "The index could not answer. The log of the program says why.", http.StatusInternalServerError
	}
	h.render(w, r, v)
}

// showNothing is the page at any other address.
func (h *Handler) showNothing(w http.ResponseWriter, r *http.Request) {
	v := view{Error: "There is no page at this address.", code: http.StatusNotFound}
	if r.URL.Path == "/" {
		w.Header().Set("Allow", "GET, HEAD")
		v.Error, v.code = "This page can only be read.", http.StatusMethodNotAllowed
	}
	h.render(w, r, v)
}

func (h *Handler) render(w http.ResponseWriter, r *http.Request, v view) {
	if v.Answer == nil {
		v.Answer = &Answer{}
	}
	v.Title, v.Noun, v.Path = h.opt.Title, h.opt.Noun, template.URL(h.opt.Path)
	v.Status, v.Examples, v.Suggests, v.Orders = h.status(r.Context()), h.opt.Examples, h.opt.Suggest != nil, h.opt.Orders
	var buf bytes.Buffer
	if err := h.page.Execute(&buf, v); err != nil {
		h.opt.Log.Error("page", "err", err)
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

// href is the address of a page of an answer.
func (h *Handler) href(r Request, page int) string {
	v := url.Values{"q": {r.Text}}
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
	}
	if r.Size != defaultSize {
		v.Set("size", strconv.Itoa(r.Size))
	}
	if r.Order != "" {
		v.Set("order", r.Order)
	}
	for name, values := range r.Narrow {
		v[name] = values
	}
	return h.opt.Path + "?" + v.Encode()
}

// Trail is the address of a hit as people read it: host, folders, page.
func (h Hit) Trail() []string {
	u, err := url.Parse(h.URL)
	if err != nil || u.Host == "" {
		return []string{h.URL}
	}
	trail := []string{u.Host}
	for part := range strings.SplitSeq(strings.Trim(u.Path, "/"), "/") {
		if part != "" {
			trail = append(trail, part)
		}
	}
	if u.RawQuery != "" {
		trail[len(trail)-1] += "?" + u.RawQuery
	}
	return trail
}

// Found says how many documents match, and how long it took. noun is what one is
// called.
func (a *Answer) Found(noun string) string {
	took := fmt.Sprintf("%.1f ms", float64(a.TookUS)/1000)
	count := Plural(a.Total.Value, noun)
	if !a.Total.Exact {
		count = "more than " + count
	}
	if a.Page > 1 && len(a.Hits) > 0 {
		return fmt.Sprintf("%s to %s of %s, %s", Grouped(a.First()), Grouped(a.First()+len(a.Hits)-1), count, took)
	}
	if a.Total.Exact && a.AllWords.Exact && 0 < a.AllWords.Value && a.AllWords.Value < a.Total.Value {
		count += fmt.Sprintf(", %s with all of the words,", Grouped(a.AllWords.Value))
	}
	return count + " in " + took
}

// PageLink leads to a page of an answer.
type PageLink struct {
	Label, Href string
	Rel         string // "prev" or "next"; "": any
	Current     bool
}

const around = 3 // pages linked before and after the one shown

func (a *Answer) pages(href func(page int) string) []PageLink {
	last := min((a.Total.Value+a.Size-1)/a.Size, maxDepth/a.Size)
	if len(a.Hits) < a.Size { // what is shown once counts as often as it is there
		last = min(last, a.Page)
	}
	return Pages(a.Page, last, href)
}

// Pages lists the links below a page of an answer of which the last has this number:
// to the one before and the one behind, and to some around. There are none when there
// is but one page.
func Pages(page, last int, href func(page int) string) (links []PageLink) {
	if last < 2 {
		return nil
	}
	link := func(label string, n int, rel string) {
		links = append(links, PageLink{Label: label, Href: href(n), Rel: rel, Current: rel == "" && n == page})
	}
	if page > 1 {
		link("Previous", min(page-1, last), "prev")
	}
	for n := max(1, page-around); n <= min(last, page+around); n++ {
		link(strconv.Itoa(n), n, "")
	}
	if page < last {
		link("Next", page+1, "next")
	}
	return links
}

// Grouped is n with commas between thousands.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural is a count with its noun, which takes an s unless there is one.
func Plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}

func (h *Handler) plural(n int) string { return Plural(n, h.opt.Noun) }
