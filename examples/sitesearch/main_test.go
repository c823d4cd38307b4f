package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/webquarry/quarry/crawler/urlnorm"

	"github.com/webquarry/quarry/index/serve"
)

// bundledJob is the bundled site, crawled into memory once for all tests.
var bundledJob = sync.OnceValues(func() (*job, error) {
	o, err := parseOptions([]string{"-query", ""}, io.Discard)
	if err != nil {
		return nil, err
	}
	j, err := prepare(o, io.Discard)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	if err := j.serveBundled(ctx, stop); err != nil {
		return nil, err
	}
	return j, j.crawl(ctx)
})

func crawlBundled(t *testing.T) *job {
	t.Helper()
	j, err := bundledJob()
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// indexed lists the paths of the pages in an index, in order.
func indexed(t *testing.T, j *job) (paths []string) {
	t.Helper()
	a, err := j.search().Search(t.Context(), serve.Request{Text: "*", Page: 1, Size: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range a.Hits {
		paths = append(paths, strings.TrimPrefix(h.URL, urlnorm.Origin(h.URL)))
	}
	slices.Sort(paths)
	if a.Total.Value != len(paths) || !a.Total.Exact {
		t.Errorf("%d pages listed of %+v", len(paths), a.Total)
	}
	return paths
}

func TestCrawlOfBundledSite(t *testing.T) {
	t.Parallel()
	j := crawlBundled(t)
	got := indexed(t, j)
	if dup := slices.Compact(slices.Clone(got)); len(dup) != len(got) {
		t.Errorf("a page is indexed twice: %q", got)
	}
	var calendar, others []string
	for _, p := range got {
		if strings.HasPrefix(p, "/calendar") {
			calendar = append(calendar, p)
		} else {
			others = append(others, p)
		}
	}
	// The calendar is endless both ways: 4 steps from the seed are this month
	// and three on either side. That this month has two addresses does not count,
	// for the page names the one.
	if len(calendar) != 7 {
		t.Errorf("%d months of the calendar, want 7: %q", len(calendar), calendar)
	}
	var want []string
	for _, p := range bundledPages(t) {
		want = append(want, strings.TrimSuffix(p, "index.html"))
	}
	slices.Sort(want)
	if !slices.Equal(others, want) {
		t.Errorf("indexed %q\nwant    %q", others, want)
	}
	if s := j.status(); s.Running || s.Pages != 43 || s.Failed != 1 || s.Waiting != 0 || s.Indexed != 43 {
		t.Errorf("status %+v", s)
	}
}

// bundledPages are the pages of the site that are there to be indexed.
func bundledPages(t *testing.T) (pages []string) {
	t.Helper()
	for _, u := range sitemapOf(t) {
		pages = append(pages, strings.TrimPrefix(u, "http://dusk.test"))
	}
	return pages
}

func TestQueries(t *testing.T) {
	t.Parallel()
	j := crawlBundled(t)
	for query, first := range map[string]string{
		"pole star":                       "polaris.html",
		"dark adaptation":                 "dark-adaptation.html",
		"adapted darkness":                "dark-adaptation.html", // other forms of the words
		"meteor shower":                   "meteor-showers.html",
		"binocular":                       "binoculars.html",
		"orion nebula":                    "orion-nebula.html",
		"how bright is a star":            "magnitude.html",
		"galileo moons":                   "jupiter.html",
		"rings":                           "saturn.html",
		`"seven sisters"`:                 "pleiades.html",
		"lunar eclipse":                   "eclipses.html",
		"słońce":                          "kopernik.html", // from a page in ISO 8859-2
		"SLONCE":                          "kopernik.html",
		"owl mill":                        "field-notes.html", // from broken HTML
		"stray paragraph":                 "field-notes.html",
		"carrington 1859":                 "aurora.html", // the slow page
		"betelg*":                         "betelgeuse.html",
		"title:vega":                      "vega.html",
		"m31":                             "andromeda-galaxy.html",
		"jewel box -caroline -cross":      "", // both pages that have it are excluded
		"telescopium society":             "", // noindex
		"hyperbolic visitors":             "", // forbidden by robots.txt
		"secret flowerpot":                "", // in a comment
		"zzyzx":                           "",
		"host:127.0.0.1 earthshine":       "moon",
		"cross (dark OR coalsack) -swan":  "southern-cross.html",
		"nicolas-claude peiresc":          "orion-nebula.html",
		"herschel comets NOT photographs": "caroline-herschel.html",
		"links:wenus":                     "venus.html", // as a page in Polish calls it
	} {
		a, err := j.search().Search(t.Context(), serve.Request{Text: query, Page: 1, Size: 10})
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		switch {
		case first == "" && len(a.Hits) > 0 && a.Hint == "":
			t.Errorf("%s: found %s, want nothing", query, a.Hits[0].URL)
		case first != "" && len(a.Hits) == 0:
			t.Errorf("%s: found nothing, want %s", query, first)
		case first != "" && path.Base(a.Hits[0].URL) != first:
			t.Errorf("%s: found %s first, want %s", query, a.Hits[0].URL, first)
		}
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	j := crawlBundled(t)
	for _, test := range []struct{ query, better, hint string }{
		{"betelguese", "betelgeuse", ""},
		{"andromdea galaxy", "andromeda galaxy", "No page has all of these words"},
		{"saturn", "", ""},
		{"caroline kangaroo", "", "No page has all of these words"},
		{"title:orion AND", "", "Not understood"},
		{strings.Repeat("(", 10_000), "", "Not understood"},
		{`"dark adaptatoin"`, "", ""}, // quoted to the letter
	} {
		a, err := j.search().Search(t.Context(), serve.Request{Text: test.query, Page: 1, Size: 10})
		if err != nil {
			t.Errorf("%.30q: %v", test.query, err)
			continue
		}
		if a.DidYouMean != test.better || !strings.HasPrefix(a.Hint, test.hint) || test.hint == "" && a.Hint != "" {
			t.Errorf("%.30q: did you mean %q, hint %q; want %q, %q", test.query, a.DidYouMean, a.Hint, test.better, test.hint)
		}
	}
}

// The command line, from the crawl to the answer in JSON.
func TestQueryJSON(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	if code := run(t.Context(), []string{"-query", "orion nebula", "-json"}, &out, &log); code != 0 {
		t.Fatalf("exit status %d: %s", code, log.String())
	}
	dec := json.NewDecoder(&out)
	var keys map[string]json.RawMessage
	if err := dec.Decode(&keys); err != nil {
		t.Fatal(err)
	}
	if dec.More() {
		t.Error("more than one JSON object")
	}
	names := slices.Sorted(maps.Keys(keys))
	if want := []string{"all_words", "did_you_mean", "hint", "hits", "next", "page", "query", "size", "took_us", "total"}; !slices.Equal(names, want) {
		t.Errorf("fields %q, want %q", names, want)
	}
	var hits []map[string]any
	if err := json.Unmarshal(keys["hits"], &hits); err != nil || len(hits) == 0 || len(hits) > 10 {
		t.Fatalf("%d hits: %v", len(hits), err)
	}
	h := hits[0]
	if len(h) != 5 || h["title"] != "The Orion nebula (M42)" || !strings.HasSuffix(h["url"].(string), "/deep-sky/orion-nebula.html") ||
		h["score"].(float64) <= 0 || !strings.Contains(h["snippet_html"].(string), "<mark>") {
		t.Errorf("first hit %v", h)
	}
	var total struct {
		Value int
		Exact bool
	}
	if err := json.Unmarshal(keys["total"], &total); err != nil || total.Value < len(hits) || !total.Exact {
		t.Errorf("total %+v: %v", total, err)
	}
}

func TestQueryText(t *testing.T) {
	t.Parallel()
	a := &serve.Answer{Query: "q", Page: 1, Size: 10, Hint: "Look.", DidYouMean: "p", Total: serve.Total{Value: 1, Exact: true},
		Hits: []serve.Hit{{URL: "http://a.test/", Title: "A\x1b[31m title", Snippet: "one\ntwo"}}}
	var b strings.Builder
	if err := print(&b, a); err != nil {
		t.Fatal(err)
	}
	want := "1 page in 0.0 ms\nDid you mean: p\nLook.\n\n1. A [31m title\n   http://a.test/\n   one two\n"
	if b.String() != want {
		t.Errorf("printed %q\nwant    %q", b.String(), want)
	}
}
