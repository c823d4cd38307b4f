package serve

import (
	"cmp"
	"context"
	"embed"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/index/suggest"
	"github.com/webquarry/quarry/internal/access"
	"github.com/webquarry/quarry/internal/exposition"
)

// Options say what is searched and how it is shown. The zero value searches all
// fields, and shows the keys of what it finds.
type Options struct {
	Title string // of the page; "": "Search"
	Noun  string // what a document is called, such as "product"; "": "page". Its plural has an s
	Path  string // where the handler is mounted, with a slash at both ends; "": "/"

	// Fields are those that a query may name, as in title:orion; nil: all of the schema
	// of an [index.Index] or [index.Snapshot], of another Searcher none.
	Fields []string
	// TitleField is the stored Text field with the title of a document; "": "title". A
	// document without one is shown by its address.
	TitleField string
	// URLField is the stored field with the address of a document; "": its key is it.
	URLField string
	// Text are the stored Text fields of which pieces are shown: the first that a document
	// has.
	Text []string

	// Search is what every search has, such as a Scorer, Collapse or Static. Its
	// Limit, Offset, Fields, Snippets, Sort and Facets are not used.
	Search index.SearchOptions
	Facets []Facet // what answers can be narrowed by
	Orders []Order // what answers can be ordered by, beside relevance

	Suggest  *suggest.Suggester // nil: nothing is suggested
	Examples []string           // queries to begin with
	// Status says what else there is to tell below every page, such as how a crawl
	// goes on. Nil: how many documents there are.
	Status func() Status

	Patience time.Duration // how long an answer may take; then it is what was found by then. 0: 10 seconds
	AtOnce   int           // searches at a time, see [NewLimit]
	Log      *slog.Logger  // of answers that failed; nil: none

	// Metrics are counted in by the names of quarry_searches_total and others, and those of
	// the index, the process and the disks of Folders are added when /metrics is asked for. Nil: nothing is
	// counted, and there is no /metrics. One Handler for each set.
	Metrics *metrics.Set
	Writer  *index.Writer // whose documents and merges are told too; nil: another program writes, or nobody
	Folders []string

	// Open lets /api/document show all stored fields of a document by its key, and
	// /api/explain tell where its score comes from.
	Open   bool
	Access Access // who may ask, and how often; without Names by any name
}

// Access says who may ask a Handler.
type Access = access.Access

// Facet is a field whose values an answer is counted by, and can be narrowed to.
type Facet struct {
	Field string // a Keyword with a column; its name is that of the parameter too
	Label string // for people; "": Field
	Limit int    // values shown, those with most documents first; 0: 10
}

// Order is a way to order an answer.
type Order struct {
	Name  string // of the parameter's value
	Label string // for people; "": Name
	Sort  []index.SortBy
}

// Status is what is told below every page. A page of which the crawl is Running looks
// for a new one every second.
type Status struct {
	Running   bool   `json:"running"`
	Documents int    `json:"documents"` // that can be found
	Text      string `json:"text"`      // a sentence or two for people
	Details   any    `json:"details,omitempty"`
}

// Handler answers searches. It may be asked by many goroutines.
type Handler struct {
	opt   Options
	over  index.Searcher
	limit Limit
	page  *template.Template
	mux   http.Handler
	count *counts // nil: nothing is counted
}

//go:embed web
var files embed.FS

// New makes a handler that answers from s. Of an [index.Index], each answer is that of
// one snapshot.
func New(s index.Searcher, opt Options) *Handler {
	opt.Title, opt.Noun, opt.Path = cmp.Or(opt.Title, "Search"), cmp.Or(opt.Noun, "page"), cmp.Or(opt.Path, "/")
	opt.TitleField = cmp.Or(opt.TitleField, "title")
	opt.Patience = cmp.Or(opt.Patience, 10*time.Second)
	opt.Facets, opt.Orders = slices.Clone(opt.Facets), slices.Clone(opt.Orders)
	for i, f := range opt.Facets {
		opt.Facets[i].Label, opt.Facets[i].Limit = cmp.Or(f.Label, f.Field), cmp.Or(f.Limit, 10)
	}
	for i, o := range opt.Orders {
		opt.Orders[i].Label = cmp.Or(o.Label, o.Name)
	}
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if len(opt.Access.Names) == 0 {
		opt.Access.Names = []string{"*"}
	}
	h := &Handler{opt: opt, over: s, limit: NewLimit(opt.AtOnce)}
	h.count = newCounts(h)
	web, err := fs.Sub(files, "web")
	if err != nil {
		panic(err) // only for a malformed path
	}
	h.page = template.Must(template.New("page.html").Funcs(template.FuncMap{"count": Grouped, "plural": h.plural}).ParseFS(web, "page.html"))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", h.showSearch)
	mux.HandleFunc("/", h.showNothing)
	for _, name := range []string{"style.css", "search.js", "icon.svg"} {
		mux.HandleFunc("GET /static/"+name, func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, web, name) })
	}
	mux.HandleFunc("/api/search", h.apiSearch)
	mux.HandleFunc("/api/suggest", h.apiSuggest)
	mux.HandleFunc("/api/status", h.apiStatus)
	mux.HandleFunc("/openapi.json", h.openAPI)
	mux.HandleFunc("/healthz", h.health)
	mux.HandleFunc("/readyz", h.ready)
	there := "there is /api/search, /api/suggest and /api/status"
	if opt.Open {
		mux.HandleFunc("/api/document", h.apiDocument)
		mux.HandleFunc("/api/explain", h.apiExplain)
		there += ", /api/document and /api/explain"
	}
	if opt.Metrics != nil {
		mux.HandleFunc("/metrics", func(w http.ResponseWriter, r *http.Request) {
			if ReadOnly(w, r) {
				exposition.Serve(w, opt.Metrics, opt.Folders...)
			}
		})
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		WriteError(w, &Error{http.StatusNotFound, "not_found", there})
	})
	h.mux = Secure(opt.Access.Wrap(opt.Path, http.StripPrefix(strings.TrimSuffix(opt.Path, "/"), mux)))
	return h
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

// snapshot returns what one answer is from, and gives it back by done.
func (h *Handler) snapshot() (s index.Searcher, done func() error, err error) {
	of, ok := h.over.(interface {
		Snapshot() (*index.Snapshot, error)
	})
	if !ok {
		return h.over, func() error { return nil }, nil
	}
	snap, err := of.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	return snap, snap.Close, nil
}

// documents counts what can be found.
func (h *Handler) documents(ctx context.Context) (n int, err error) {
	s, done, err := h.snapshot()
	if err != nil {
		return 0, err
	}
	defer done()
	if snap, ok := s.(*index.Snapshot); ok {
		return snap.Docs(), nil
	}
	res, err := s.Search(ctx, query.All{}, index.SearchOptions{Limit: -1})
	if err != nil {
		return 0, err
	}
	return res.Total.Value, nil
}

// status is what stands below every page.
func (h *Handler) status(ctx context.Context) Status {
	if h.opt.Status != nil {
		return h.opt.Status()
	}
	n, err := h.documents(ctx)
	if err != nil {
		return Status{Text: "The index cannot be read."}
	}
	return Status{Documents: n, Text: h.plural(n) + "."}
}
