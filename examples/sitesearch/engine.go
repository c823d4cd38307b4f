package main

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/fuzzy"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/rank"
)

// engine answers queries from an index.
type engine struct {
	index    *index.Index
	spelling spelling
}

// searchable are the fields that a query may name, as in title:orion.
func searchable() []string {
	return []string{"title", "headings", "url", "description", "body", "links", "host"}
}

// counted is how many pages are counted at least; beyond, "more than" will do.
const counted = 1000

// patience is how long an answer may take: a long query of short prefixes is a
// lot of work.
const patience = 10 * time.Second

// search answers a query as a person would ask it: all words are wanted, and
// where no page has them all, pages that have some.
func (e *engine) search(ctx context.Context, text string, page, size int) (*answer, error) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	snap, err := e.index.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	a := &answer{Query: text, page: page, size: size}
	q, overlooked := index.ParseLenient(text, index.ParseOptions{Fields: searchable()})
	opt := index.SearchOptions{Limit: size, Offset: (page - 1) * size, Fields: []string{"title", "description", "body"},
		Collapse: index.Collapse{Field: "group"}, CountUpTo: max(counted, (page+around)*size), Effort: index.Effort{Partial: true}}
	res, err := snap.Search(ctx, together(q), opt)
	if err != nil {
		return nil, err
	}
	all := res.Total.Value
	if all == 0 {
		some, _ := index.ParseLenient(text, index.ParseOptions{Or: true, Fields: searchable()})
		if res, err = snap.Search(ctx, some, opt); err != nil {
			return nil, err
		}
		if res.Total.Value > 0 {
			q, a.Hint = some, "No page has all of these words. These have some of them."
		}
	}
	a.Total = res.Total
	a.Hits = show(res.Hits, q)
	if a.DidYouMean, err = e.spelling.better(ctx, snap, text, all); err != nil {
		return nil, err
	}
	if overlooked = append(overlooked, res.Warnings...); len(overlooked) > 0 {
		a.Hint = strings.TrimSpace(a.Hint + " Not understood in the query: " + strings.Join(overlooked, "; ") + ".")
	}
	if n := a.leftOut(); n > 0 && !res.Partial {
		a.Hint = strings.TrimSpace(fmt.Sprintf("%s Pages that say the same, or nearly, are shown once: %s left out.", a.Hint, plural(n, "page")))
	}
	switch {
	case res.Partial:
		a.Hint = strings.TrimSpace(a.Hint + " This takes long: these are the best so far.")
	case snap.Docs() == 0:
		a.Hint = "The index is empty."
	case strings.TrimSpace(text) == "":
		a.Hint = "The query is empty."
	}
	a.Took = time.Since(start)
	return a, nil
}

// together prefers pages where the words of a query stand side by side: "vacuum
// full" is something else than a vacuum and something full. It changes no query
// that has operators, for that says what it wants, and matches the same pages.
func together(q index.Query) index.Query {
	all, ok := q.(index.And)
	if !ok {
		return q
	}
	var phrase []string
	for _, member := range all {
		word, ok := member.(index.Match)
		if !ok || word.Field != "" {
			return q
		}
		phrase = append(phrase, word.Text)
	}
	return index.Or{q, index.Phrase{Text: strings.Join(phrase, " ")}}
}

// show makes hits presentable.
func show(hits []rank.Hit, q index.Query) []hit {
	stems := new(analysis.English) // as the schema has it
	out := make([]hit, 0, len(hits))
	for _, h := range hits {
		title := h.Fields["title"]
		if strings.TrimSpace(title) == "" {
			title = h.Key
		}
		marked := index.NewSnippet(title, q, stems, index.SnippetOptions{Field: "title", Bytes: -1})
		text := index.NewSnippet(cmp.Or(h.Fields["body"], h.Fields["description"]), q, stems, index.SnippetOptions{Field: "body"})
		out = append(out, hit{URL: h.Key, Title: title, Score: h.Score, Text: text.Text,
			Marked: template.HTML(marked.HTML()), Snippet: template.HTML(text.HTML())})
	}
	return out
}

// spelling keeps the vocabulary of the index at hand.
type spelling struct {
	mu      sync.Mutex
	speller fuzzy.Speller
	docs    int // of the snapshot the vocabulary was taken from
}

// fewHits is up to how many hits a query may be a misspelt one.
const fewHits = 5

// better gives a better spelling of a query that has few hits, or nothing.
func (s *spelling) better(ctx context.Context, snap *index.Snapshot, text string, hits int) (string, error) {
	if hits > fewHits {
		return "", nil
	}
	speller, failed := s.over(ctx, snap)
	if failed != nil {
		return "", failed
	}
	better, _ := speller.Correct(text, func(query string) int {
		if query == text {
			return hits
		}
		q, _ := index.ParseLenient(query, index.ParseOptions{Fields: searchable()})
		res, err := snap.Search(ctx, q, index.SearchOptions{Limit: -1})
		if err != nil {
			failed = err
			return 0
		}
		return res.Total.Value
	})
	return better, failed
}

// over returns a speller with the vocabulary of a snapshot, or of one that was
// nearly as large: while a crawl is going on there is a new one every moment.
func (s *spelling) over(ctx context.Context, snap *index.Snapshot) (fuzzy.Speller, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := snap.Docs(); s.speller.Words == nil || n < s.docs || n > s.docs+s.docs/10 {
		terms := snap.Terms(ctx, "word", index.TermOptions{})
		words := fuzzy.New(terms.All())
		if err := terms.Err(); err != nil {
			return fuzzy.Speller{}, err
		}
		s.speller, s.docs = fuzzy.Speller{Words: words}, n
	}
	return s.speller, nil
}
