package serve

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/index/suggest"
)

// Request is a search as a person asks for it.
type Request struct {
	Text       string
	Page, Size int                 // which page of how many hits; 0: the first of ten
	Order      string              // the name of an Order; "": by relevance
	Narrow     map[string][]string // by the field of a Facet: the values of which a document must have one
	Filters    []string            // queries that a document must match beside, such as "price:[10 TO 20]"; they change no score
	After      string              // the Next of an earlier Answer, of which this is the next page; Page must be 0 or 1
}

func (r Request) blank() bool { return strings.TrimSpace(r.Text) == "" }

// Answer is what is found, as the API tells it.
type Answer struct {
	Query      string        `json:"query"`
	TookUS     int64         `json:"took_us"` // microseconds
	Total      Total         `json:"total"`
	AllWords   Total         `json:"all_words"` // of these, those that have all words
	Hits       []Hit         `json:"hits"`      // best first
	Facets     []FacetValues `json:"facets,omitempty"`
	DidYouMean string        `json:"did_you_mean"` // a better spelling; "": none is known
	Hint       string        `json:"hint"`         // why this is not quite what was asked; "": it is
	Page       int           `json:"page"`
	Size       int           `json:"size"`
	Next       string        `json:"next"` // where the hits behind these begin, however far that is; "": there are none

	partial bool // it is what was found by then
}

// filtersOf reads filters in the language of queries. The error is an [*Error].
func filtersOf(texts []string, schema query.Schema) (all []query.Query, err error) {
	for _, text := range texts {
		q, err := query.Parse(text, query.ParseOptions{Schema: schema})
		if err != nil {
			return nil, &Error{http.StatusBadRequest, "bad_filter", "filter: " + strings.TrimPrefix(err.Error(), "index: query: ")}
		}
		all = append(all, q)
	}
	return all, nil
}

// filtered narrows a query by filters. It changes no score.
func filtered(q query.Query, filters []query.Query) query.Query {
	if len(filters) == 0 {
		return q
	}
	all := query.And{q}
	for _, f := range filters {
		all = append(all, query.Boost{Query: f})
	}
	return all
}

// Total is how many documents match; at least so many, if it is not exact.
type Total struct {
	Value int  `json:"value"`
	Exact bool `json:"exact"`
}

// Hit is a document that was found.
type Hit struct {
	Key         string        `json:"key"`
	URL         string        `json:"url"`
	Title       string        `json:"title"`
	Score       float64       `json:"score"`
	SnippetHTML template.HTML `json:"snippet_html"` // a piece of its text, escaped, with what was found in mark elements
	Snippet     string        `json:"-"`            // the same as plain text
	TitleHTML   template.HTML `json:"-"`            // Title, escaped and marked
}

// FacetValues is how an answer is made up by the values of a facet.
type FacetValues struct {
	Name   string       `json:"name"`
	Label  string       `json:"label"`
	Values []FacetValue `json:"values"`
}

// FacetValue is a value of a facet.
type FacetValue struct {
	Value  string `json:"value"`
	Count  int    `json:"count"`  // documents of the answer that have it, if it were not narrowed by this facet
	Chosen bool   `json:"chosen"` // the answer is narrowed to it
}

const (
	defaultSize = 10
	maxSize     = 100
	maxDepth    = 10_000 // hits that can be reached, counted from the first
	maxQuery    = 16_384 // bytes
	maxFilters  = 16
	counted     = 1000 // documents that are counted at least; beyond, "more than" will do
)

// read reads a request from the parameters of a URL. Errors are [*Error].
func (h *Handler) read(v url.Values) (r Request, err error) {
	r = Request{Text: v.Get("q"), Order: v.Get("order"), Narrow: map[string][]string{}}
	if len(r.Text) > maxQuery {
		return r, &Error{http.StatusBadRequest, "bad_query", fmt.Sprintf("q: at most %s bytes", Grouped(maxQuery))}
	}
	if r.Size, err = Number(v, "size", defaultSize, maxSize); err != nil {
		return r, err
	}
	if r.Page, err = Number(v, "page", 1, maxDepth/r.Size); err != nil {
		return r, err
	}
	if _, err := h.order(r.Order); err != nil {
		return r, err
	}
	if r.After = v.Get("after"); r.After != "" && r.Page > 1 {
		return r, &Error{http.StatusBadRequest, "bad_after", "after: says where the page begins, so there can be no page"}
	}
	for _, text := range v["filter"] {
		if len(text) > maxQuery || len(r.Filters) == maxFilters {
			return r, &Error{http.StatusBadRequest, "bad_filter", fmt.Sprintf("filter: at most %d, of %s bytes each", maxFilters, Grouped(maxQuery))}
		}
		r.Filters = append(r.Filters, text)
	}
	for _, f := range h.opt.Facets {
		for _, value := range v[f.Field] {
			if value != "" && !slices.Contains(r.Narrow[f.Field], value) {
				r.Narrow[f.Field] = append(r.Narrow[f.Field], value)
			}
		}
	}
	return r, nil
}

func (h *Handler) order(name string) ([]index.SortBy, error) {
	if name == "" {
		return nil, nil
	}
	var names []string
	for _, o := range h.opt.Orders {
		if o.Name == name {
			return o.Sort, nil
		}
		names = append(names, o.Name)
	}
	if names == nil {
		return nil, &Error{http.StatusBadRequest, "bad_order", "order: there is only the one by relevance"}
	}
	return nil, &Error{http.StatusBadRequest, "bad_order", "order: want one of " + strings.Join(names, ", ")}
}

// answer searches when it is a request's turn, and logs what fails.
func (h *Handler) answer(ctx context.Context, r Request) (*Answer, error) {
	done, err := h.limit.Wait(ctx)
	if err != nil {
		h.count.searched(nil, err)
		return nil, err
	}
	defer done()
	h.count.begun()
	defer h.count.ended()
	a, err := h.Search(ctx, r)
	h.count.searched(a, err)
	if _, bad := errors.AsType[*Error](err); bad {
		return nil, err
	}
	if err != nil && ctx.Err() == nil {
		h.opt.Log.Error("search", "query", r.Text, "err", err)
	}
	return a, err
}

// complete answers what was typed so far.
func (h *Handler) complete(r *http.Request) (list []suggest.Completion, err error) {
	text := r.URL.Query().Get("q")
	if len(text) > maxQuery {
		return nil, &Error{http.StatusBadRequest, "bad_query", fmt.Sprintf("q: at most %s bytes", Grouped(maxQuery))}
	}
	list = []suggest.Completion{} // in JSON [], not null
	if h.opt.Suggest == nil {
		return list, nil
	}
	done, err := h.limit.Wait(r.Context())
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := context.WithTimeout(r.Context(), h.opt.Patience)
	defer cancel()
	h.count.suggested()
	found, err := h.opt.Suggest.Suggest(ctx, text, suggest.Options{})
	if err != nil {
		h.opt.Log.Error("suggest", "query", text, "err", err)
		return nil, err
	}
	return append(list, found...), nil
}

// named are the fields of a schema that a query may name.
type named struct {
	query.Schema
	fields query.Names
}

// FieldKind implements [query.Schema].
func (n named) FieldKind(name string) query.FieldKind {
	if n.fields.FieldKind(name) == query.NoField {
		return query.NoField
	}
	return n.Schema.FieldKind(name)
}

// schema says what can stand before a colon in a query.
func (h *Handler) schema(s index.Searcher) query.Schema {
	of, ok := s.(interface{ Schema() index.Schema })
	switch {
	case !ok:
		return query.Names(h.opt.Fields)
	case h.opt.Fields == nil:
		return of.Schema()
	}
	return named{of.Schema(), h.opt.Fields}
}

// Search answers a request. By relevance it finds documents that have any of the words: those
// that have all of them come first, in front of them those where they stand side by side. In
// any other order it finds documents that have all words and, where there is none, some of
// them. It does not wait for its turn, as requests over HTTP do.
func (h *Handler) Search(ctx context.Context, r Request) (*Answer, error) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, h.opt.Patience)
	defer cancel()
	s, done, err := h.snapshot()
	if err != nil {
		return nil, err
	}
	defer done()
	sort, err := h.order(r.Order)
	if err != nil {
		return nil, err
	}
	a := &Answer{Query: r.Text, Page: max(1, r.Page), Size: r.Size, Hits: []Hit{}}
	if a.Size <= 0 {
		a.Size = defaultSize
	}
	opt := h.opt.Search
	opt.Limit, opt.Offset, opt.Sort, opt.After = a.Size, (a.Page-1)*a.Size, sort, r.After
	opt.Fields = []string{h.opt.TitleField}
	if h.opt.URLField != "" {
		opt.Fields = append(opt.Fields, h.opt.URLField)
	}
	opt.Snippets = map[string]highlight.Options{h.opt.TitleField: {Bytes: math.MaxInt}}
	for _, field := range h.opt.Text {
		opt.Snippets[field] = highlight.Options{}
	}
	opt.CountUpTo = max(counted, (a.Page+around)*a.Size)
	opt.Effort.Partial = true
	opt.Facets = h.facets()

	schema := h.schema(s)
	some, overlooked := query.ParseLenient(r.Text, query.ParseOptions{Schema: schema})
	every, _ := query.ParseLenient(r.Text, query.ParseOptions{Operator: query.AllWords, Schema: schema})
	filters, err := filtersOf(r.Filters, schema)
	if err != nil {
		return nil, err
	}
	narrowed := func(q query.Query) query.Query { return filtered(h.narrowed(q, r, ""), filters) }
	asked := sideBySide(some, every)
	if len(sort) > 0 {
		asked = every
	}
	res, err := s.Search(ctx, narrowed(asked), opt)
	if _, ok := errors.AsType[*query.Error](err); ok && r.After != "" && len(sort) > 0 { // no document has all words
		asked = some
		res, err = s.Search(ctx, narrowed(asked), opt)
	}
	if bad, ok := errors.AsType[*query.Error](err); ok && r.After != "" {
		return nil, &Error{http.StatusBadRequest, "bad_after", "after: " + bad.Msg}
	}
	if err != nil {
		return nil, err
	}
	have := res // those with all words
	switch {
	case every.String() == some.String():
	case len(sort) == 0:
		have, err = s.Search(ctx, narrowed(every), index.SearchOptions{Limit: -1, CountUpTo: opt.CountUpTo, Effort: opt.Effort})
	case res.Total.Value == 0:
		asked = some
		res, err = s.Search(ctx, narrowed(some), opt)
	}
	if err != nil {
		return nil, err
	}
	all := have.Total.Value
	if all == 0 && res.Total.Value > 0 {
		a.hint("No %s has all of these words. These have some of them.", h.opt.Noun)
	}
	a.Total, a.AllWords = Total{res.Total.Value, res.Total.Exact}, Total{all, have.Total.Exact}
	for _, hit := range res.Hits {
		a.Hits = append(a.Hits, h.show(hit))
	}
	if len(res.Hits) == a.Size {
		a.Next = res.Next
	}
	if a.Facets, err = h.values(ctx, s, filtered(asked, filters), r, res); err != nil {
		return nil, err
	}
	if h.opt.Suggest != nil && len(r.Narrow) == 0 && len(r.Filters) == 0 && r.After == "" {
		if a.DidYouMean, _, err = h.opt.Suggest.Correct(ctx, r.Text, suggest.Options{Hits: all}); err != nil {
			return nil, err
		}
	}
	if overlooked = append(overlooked, res.Warnings...); len(overlooked) > 0 {
		var told []string
		for _, w := range overlooked {
			told = append(told, w.String())
		}
		a.hint("Not understood in the query: %s.", strings.Join(told, "; "))
	}
	if n := a.collapsed(); n > 0 && !res.Partial && h.opt.Search.Collapse.Field != "" {
		a.hint("What says the same, or nearly, is shown once: %s left out.", h.plural(n))
	}
	if res.Partial {
		a.hint("This takes long: these are the best so far.")
	}
	if n, err := h.documents(ctx); err == nil && n == 0 {
		a.Hint = "The index is empty."
	} else if r.blank() {
		a.Hint = "The query is empty."
	}
	a.partial = res.Partial
	a.TookUS = time.Since(start).Microseconds()
	return a, nil
}

func (a *Answer) hint(format string, args ...any) {
	a.Hint = strings.TrimSpace(a.Hint + " " + fmt.Sprintf(format, args...))
}

// collapsed is how many documents that match are not shown because they share a value
// with one that is. It is known with the last hits, and 0 before.
func (a *Answer) collapsed() int {
	if len(a.Hits) == 0 || len(a.Hits) == a.Size || !a.Total.Exact {
		return 0
	}
	return max(a.Total.Value-(a.First()-1+len(a.Hits)), 0)
}

// First is the number of the first hit, counted from 1.
func (a *Answer) First() int { return (a.Page-1)*a.Size + 1 }

// sideBySide prefers documents where the words of a query stand side by side: "vacuum
// full" is something else than a vacuum and something full. It changes no query that
// has operators, for that says what it wants, and matches the same documents. every is
// the query that asks for all words.
func sideBySide(q, every query.Query) query.Query {
	all, ok := every.(query.And)
	if !ok {
		return q
	}
	var phrase []string
	for _, member := range all {
		word, ok := member.(query.Match)
		if !ok || word.Field != "" {
			return q
		}
		phrase = append(phrase, word.Text)
	}
	return query.Or{q, query.Phrase{Text: strings.Join(phrase, " ")}}
}

// narrowed narrows a query as a request says, but by the facet without. It changes no
// score.
func (h *Handler) narrowed(q query.Query, r Request, without string) query.Query {
	all := query.And{q}
	for _, f := range h.opt.Facets {
		var either query.Or
		for _, value := range r.Narrow[f.Field] {
			either = append(either, query.Term{Field: f.Field, Text: value})
		}
		if either != nil && f.Field != without {
			all = append(all, query.Boost{Query: either})
		}
	}
	if len(all) == 1 {
		return q
	}
	return all
}

func (h *Handler) facets() map[string]facet.Facet {
	if len(h.opt.Facets) == 0 {
		return nil
	}
	out := map[string]facet.Facet{}
	for _, f := range h.opt.Facets {
		out[f.Field] = facet.Terms{Field: f.Field, Limit: f.Limit}
	}
	return out
}

// values are the facets of an answer. Those by which it was narrowed are counted
// without that, lest nothing else could be chosen.
func (h *Handler) values(ctx context.Context, s index.Searcher, q query.Query, r Request, res *index.Results) (out []FacetValues, err error) {
	for _, f := range h.opt.Facets {
		chosen, buckets := r.Narrow[f.Field], res.Facets[f.Field].Buckets
		if len(chosen) > 0 {
			opt := index.SearchOptions{Limit: -1, Facets: map[string]facet.Facet{f.Field: facet.Terms{Field: f.Field, Limit: f.Limit}}}
			opt.Effort.Partial = true
			wider, err := s.Search(ctx, h.narrowed(q, r, f.Field), opt)
			if err != nil {
				return nil, err
			}
			buckets = wider.Facets[f.Field].Buckets
		}
		values := FacetValues{Name: f.Field, Label: f.Label, Values: []FacetValue{}}
		for _, b := range buckets {
			values.Values = append(values.Values, FacetValue{b.Name, b.Count, slices.Contains(chosen, b.Name)})
		}
		for _, value := range chosen { // also those that nothing has, so that they can be taken back
			if !slices.ContainsFunc(values.Values, func(v FacetValue) bool { return v.Value == value }) {
				values.Values = append(values.Values, FacetValue{value, 0, true})
			}
		}
		out = append(out, values)
	}
	return out, nil
}

// show makes a hit presentable.
func (h *Handler) show(hit index.Hit) Hit {
	out := Hit{Key: hit.Key, URL: hit.Key, Title: hit.Text(h.opt.TitleField), Score: hit.Score}
	if h.opt.URLField != "" {
		out.URL = hit.Text(h.opt.URLField)
	}
	title := hit.Snippets[h.opt.TitleField]
	if title.Text == "" {
		out.Title, title.Text = out.URL, out.URL
	}
	out.TitleHTML = template.HTML(title.HTML())
	for _, field := range h.opt.Text {
		if s := hit.Snippets[field]; s.Text != "" {
			out.Snippet, out.SnippetHTML = s.Text, template.HTML(s.HTML())
			break
		}
	}
	return out
}
