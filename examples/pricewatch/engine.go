package main

import (
	"context"
	"html/template"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/fuzzy"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/facet"
	"github.com/webquarry/quarry/index/highlight"
	"github.com/webquarry/quarry/index/query"
)

// engine answers queries from the index and the catalog.
type engine struct {
	index    *index.Index
	catalog  *catalog
	spelling spelling
}

// orders are what answers can be sorted by.
var orders = [...]string{"relevance", "cheapest", "drop"}

// ask is what is wanted.
type ask struct {
	Text     string
	Shops    []string // that sell it, any of them; none: all
	Min, Max float64  // what it costs, in the currency of comparison; Max 0: no limit
	InStock  bool
	Sort     string // one of orders; empty: relevance, without Text by name
	page     int
	size     int
}

// searchable are the fields that a query may name, as in name:kettle.
func searchable() []string { return []string{"name", "names", "code", "category", "shop"} }

// patience is how long an answer may take: a long query of short prefixes is a
// lot of work.
const patience = 10 * time.Second

// search answers a query as a person would ask it: products that have all words are first
// where the best come first. In any other order all words are wanted, and where no product
// has them all, some.
func (e *engine) search(ctx context.Context, want ask) (*answer, error) {
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	snap, err := e.index.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	a := &answer{ask: want, Currency: e.catalog.rates.home}
	q, overlooked := query.Query(query.All{}), []query.Warning(nil)
	matches := 0 // of the words alone
	if strings.TrimSpace(want.Text) != "" {
		every, _ := query.ParseLenient(want.Text, query.ParseOptions{Operator: query.AllWords, Schema: query.Names(searchable())})
		if matches, err = count(ctx, snap, every); err != nil {
			return nil, err
		}
		if q, overlooked = query.ParseLenient(want.Text, query.ParseOptions{Schema: query.Names(searchable())}); matches > 0 && len(want.order()) > 0 {
			q = every
		}
		if matches == 0 {
			if n, err := count(ctx, snap, q); err != nil {
				return nil, err
			} else if n > 0 {
				a.Hint = "No product has all of these words. These have some of them."
			}
		}
	}
	if err := e.find(ctx, snap, q, a); err != nil {
		return nil, err
	}
	for i := range a.Hits {
		a.Hits[i].mark(q)
	}
	if a.DidYouMean, err = e.spelling.better(ctx, snap, want.Text, matches); err != nil {
		return nil, err
	}
	if len(overlooked) > 0 {
		a.Hint = strings.TrimSpace(a.Hint + " Not understood in the query: " + told(overlooked) + ".")
	}
	if snap.Docs() == 0 {
		a.Hint = "There is no product yet."
	}
	a.Took = time.Since(start)
	return a, nil
}

// count is how many products match a query.
func count(ctx context.Context, snap *index.Snapshot, q query.Query) (int, error) {
	res, err := snap.Search(ctx, q, index.SearchOptions{Limit: math.MaxInt})
	if err != nil {
		return 0, err
	}
	return res.Total.Value, nil
}

// find fills an answer with what matches a query and the rest of what is asked.
func (e *engine) find(ctx context.Context, snap *index.Snapshot, q query.Query, a *answer) error {
	shops := map[string]facet.Facet{"shops": facet.Terms{Field: "shop", Limit: math.MaxInt}}
	anywhere := a.within(q)
	opt := index.SearchOptions{Limit: a.size, Offset: (a.page - 1) * a.size, Sort: a.order(), Facets: shops}
	res, err := snap.Search(ctx, a.from(anywhere), opt)
	if err != nil {
		return err
	}
	a.Total = res.Total.Value
	for _, h := range res.Hits {
		if p, ok := e.catalog.product(h.Key); ok {
			a.Hits = append(a.Hits, hit{product: p, Score: h.Score})
		}
	}
	if len(a.Shops) > 0 { // what there would be elsewhere
		if res, err = snap.Search(ctx, anywhere, index.SearchOptions{Limit: -1, Facets: shops}); err != nil {
			return err
		}
	}
	a.sellers = map[string]int{}
	for _, b := range res.Facets["shops"].Buckets {
		a.sellers[b.Name] = b.Count
	}
	return nil
}

// within narrows a query by price and stock.
func (a *ask) within(q query.Query) query.Query {
	all := query.And{q}
	if a.Min > 0 || a.Max > 0 {
		in := query.Between("price", a.Min, nil)
		if a.Max > 0 {
			in = query.Between("price", a.Min, a.Max)
		}
		all = append(all, in)
	}
	if a.InStock {
		all = append(all, query.Between("stock", 1, nil))
	}
	return all
}

// from narrows a query to the shops that are asked for.
func (a *ask) from(q query.Query) query.Query {
	if len(a.Shops) == 0 {
		return q
	}
	var either query.Or
	for _, s := range a.Shops {
		either = append(either, query.Term{Field: "shop", Text: s})
	}
	return query.And{q, query.Boost{Query: either}} // scores nothing
}

// order is how hits are sorted: by the score, where nothing else is asked for.
func (a *ask) order() []index.SortBy {
	switch {
	case a.Sort == "cheapest":
		return []index.SortBy{{Field: "price"}, {}}
	case a.Sort == "drop":
		return []index.SortBy{{Field: "drop", Descending: true}, {Field: "price"}}
	case strings.TrimSpace(a.Text) == "":
		return []index.SortBy{{Field: "order"}}
	}
	return nil
}

// hit is a product found.
type hit struct {
	*product
	Score  float64
	Marked template.HTML // Name, escaped, with <mark> around the words of the query
	About  template.HTML // Kind likewise
}

// mark shows in a hit what was found.
func (h *hit) mark(q query.Query) {
	words := analysis.Named("auto") // as the schema has it
	opt := highlight.Options{Field: "name", Bytes: math.MaxInt}
	h.Marked = template.HTML(highlight.New(h.Name, q, words, opt).HTML())
	h.About = template.HTML(highlight.New(h.Kind, q, words, opt).HTML())
}

// Least says what a product costs; "?" when no rate of its currency is known.
func (h *hit) Comparable() bool { return !math.IsInf(h.Price, 0) }

// spelling keeps the vocabulary of the index at hand.
type spelling struct {
	mu      sync.Mutex
	speller fuzzy.Speller
	docs    int // of the snapshot the vocabulary was taken from
}

// fewHits is up to how many hits a query may be a misspelt one.
const fewHits = 3

// better gives a better spelling of a query that has few hits, or nothing.
func (s *spelling) better(ctx context.Context, snap *index.Snapshot, text string, hits int) (string, error) {
	if hits > fewHits || strings.TrimSpace(text) == "" {
		return "", nil
	}
	speller, failed := s.over(ctx, snap)
	if failed != nil {
		return "", failed
	}
	better, _ := speller.Correct(text, func(other string) int {
		if other == text {
			return hits
		}
		q, _ := query.ParseLenient(other, query.ParseOptions{Operator: query.AllWords, Schema: query.Names(searchable())})
		n, err := count(ctx, snap, q)
		if err != nil {
			failed = err
		}
		return n
	})
	return better, failed
}

// over returns a speller with the vocabulary of a snapshot, or of one that was
// as large: while a round is going on there is a new one every moment.
func (s *spelling) over(ctx context.Context, snap *index.Snapshot) (fuzzy.Speller, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := snap.Docs(); s.speller.Words == nil || n != s.docs {
		terms := snap.Terms(ctx, "word", index.TermOptions{})
		words := fuzzy.New(terms.All())
		if err := terms.Err(); err != nil {
			return fuzzy.Speller{}, err
		}
		s.speller, s.docs = fuzzy.Speller{Words: words}, n
	}
	return s.speller, nil
}

// told lists warnings for people.
func told(warnings []query.Warning) string {
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.Text)
	}
	return strings.Join(texts, "; ")
}
