package main

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"unicode"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/query"
	"github.com/webquarry/quarry/index/serve"
	"github.com/webquarry/quarry/index/suggest"
)

// searchable are the fields that a query may name, as in title:orion.
func searchable() []string {
	return []string{"title", "headings", "url", "description", "body", "links", "host"}
}

// newSearch answers queries from an index of pages, see schema.
func newSearch(ix *index.Index, opt serve.Options) *serve.Handler {
	opt.Title = "Quarry"
	opt.Fields = searchable()
	opt.Text = []string{"body", "description"}
	opt.Search.Collapse.Field = "group"
	opt.Suggest = &suggest.Suggester{Index: ix, Field: "word", Titles: "name", Pairs: "pair", Query: func(text string) query.Query {
		q, _ := query.ParseLenient(text, query.ParseOptions{Operator: query.AllWords, Schema: ix.Schema()})
		return q
	}}
	return serve.New(ix, opt)
}

// search is the search page of a run.
func (j *job) search() *serve.Handler {
	return newSearch(j.index, serve.Options{
		Status:   func() serve.Status { return j.status().shown() },
		Examples: j.suggestions(),
		Log:      slog.New(slog.NewTextHandler(j.log, nil)),
		Metrics:  j.metrics,
		Folders:  j.folders(),
		Open:     j.open,
		Access:   j.access,
	})
}

// print writes an answer for people.
func print(w io.Writer, a *serve.Answer) error {
	var b strings.Builder
	clean := func(s string) string { // what others wrote must not steer the terminal
		return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	}
	fmt.Fprintln(&b, a.Found("page"))
	if a.DidYouMean != "" {
		fmt.Fprintf(&b, "Did you mean: %s\n", a.DidYouMean)
	}
	if a.Hint != "" {
		fmt.Fprintln(&b, a.Hint)
	}
	for i, h := range a.Hits {
		fmt.Fprintf(&b, "\n%d. %s\n   %s\n   %s\n", a.First()+i, clean(h.Title), h.URL, clean(h.Snippet))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
