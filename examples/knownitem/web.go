package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/rank/graph"
	"github.com/webquarry/quarry/rank/static"
)

// web is the pages of a folder, by URL, and where they link to.
type web struct {
	pages map[string]*crawler.Page
	urls  []string // of pages, sorted
	names graph.Names
}

// readWeb reads all pages.
func readWeb(ctx context.Context, dir string) (*web, error) {
	w := &web{pages: map[string]*crawler.Page{}}
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	root := os.DirFS(dir)
	parser := &crawler.HTML{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".html") {
			return err
		}
		body, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		url := "http://" + strings.TrimSuffix(name, "index.html")
		page, err := parser.Parse(ctx, &crawler.Response{URL: url, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: body})
		if err != nil {
			return fmt.Errorf("%s: %w", path.Join(dir, name), err)
		}
		w.pages[page.URL] = page
		w.urls = append(w.urls, page.URL)
		return nil
	})
	if err == nil && len(w.pages) == 0 {
		err = errors.New("the folder holds no pages")
	}
	slices.Sort(w.urls)
	w.urls = slices.Compact(w.urls)
	return w, err
}

// target is the page that a link leads to; "": none of the folder, or the page itself.
func (w *web) target(from string, l crawler.Link) string {
	url, _, _ := strings.Cut(l.URL, "#")
	url = strings.TrimSuffix(url, "index.html")
	if w.pages[url] == nil || url == from {
		return ""
	}
	return url
}

func (w *web) edges() iter.Seq2[graph.Edge, error] {
	return func(yield func(graph.Edge, error) bool) {
		for _, from := range w.urls {
			for _, l := range w.pages[from].Links {
				if to := w.target(from, l); to != "" && !yield(w.names.Edge(from, to), nil) {
					return
				}
			}
		}
	}
}

// anchors are the texts of links to each page, each once for each page that has it.
func (w *web) anchors() map[string][]string {
	out := map[string][]string{}
	for _, from := range w.urls {
		said := map[[2]string]bool{}
		for _, l := range w.pages[from].Links {
			text := strings.Join(strings.Fields(l.Text), " ")
			to := w.target(from, l)
			if key := [2]string{to, text}; to != "" && text != "" && !said[key] {
				said[key] = true
				out[to] = append(out[to], text)
			}
		}
	}
	return out
}

const (
	byLink = iota
	byHeading
)

// item is a page that is looked for.
type item struct {
	text, url string
	kind      int
}

// queries are n texts of two to eight words that lead to one page alone, half of them texts of links and half
// headings, drawn by a hash, so that they are the same each time.
func (w *web) queries(n int) []item {
	texts := [2]map[string][]string{byLink: {}, byHeading: {}}
	for url, all := range w.anchors() {
		for _, text := range all {
			texts[byLink][text] = append(texts[byLink][text], url)
		}
	}
	for _, url := range w.urls {
		for _, text := range w.pages[url].Headings {
			texts[byHeading][text] = append(texts[byHeading][text], url)
		}
	}
	var out []item
	for kind := range texts {
		var of []item
		for text, urls := range texts[kind] {
			slices.Sort(urls)
			if words := len(strings.Fields(text)); words >= 2 && words <= 8 && len(slices.Compact(urls)) == 1 {
				of = append(of, item{text, urls[0], kind})
			}
		}
		slices.SortFunc(of, func(a, b item) int {
			return cmp.Or(cmp.Compare(hash(a.text), hash(b.text)), cmp.Compare(a.text, b.text))
		})
		out = append(out, of[:min(len(of), n/2)]...)
	}
	return out
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// index makes the index. What is asked for is left out of the anchors of its target.
func (w *web) index(ctx context.Context, wanted []item) (_ *index.Index, err error) {
	g, err := graph.Build(ctx, w.edges(), graph.BuildOptions{})
	if err != nil {
		return nil, err
	}
	ranks, err := graph.PageRank{}.Of(ctx, g)
	if err != nil {
		return nil, err
	}
	scaled := graph.LogScaled(ranks.Of)
	score, err := static.PageScore(nil)
	if err != nil {
		return nil, err
	}
	ix, err := index.New(index.Options{Schema: index.Schema{
		{Name: "title", Weight: 2, Stored: true, Analyzer: "english"}, {Name: "body", Stored: true, Analyzer: "english"}, {Name: "anchor", Stored: true, Analyzer: "english"},
		{Name: "pagerank", Kind: index.Float}, {Name: "static", Kind: index.Float},
	}})
	if err != nil {
		return nil, err
	}
	writer, err := ix.Writer()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, writer.Close()) }()
	asked := map[item]bool{}
	for _, q := range wanted {
		asked[q] = true
	}
	anchors := w.anchors()
	for _, url := range w.urls {
		page := w.pages[url]
		doc := index.Document{Key: url, Fields: []index.Field{
			{Name: "title", Value: page.Title}, {Name: "body", Value: page.Text},
			{Name: "static", Value: score(static.Page{URL: url, Title: page.Title, Headings: page.Headings, Body: page.Text})},
		}}
		for _, text := range anchors[url] {
			if !asked[item{text, url, byLink}] {
				doc.Fields = append(doc.Fields, index.Field{Name: "anchor", Value: text})
			}
		}
		if number, ok := w.names.Find(url); ok {
			doc.Fields = append(doc.Fields, index.Field{Name: "pagerank", Value: scaled[number]})
		}
		if err := writer.Add(ctx, doc); err != nil {
			return nil, err
		}
	}
	return ix, writer.Commit(ctx)
}
