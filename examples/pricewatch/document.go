package main

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/analysis"
	"github.com/webquarry/quarry/index/query"
)

// schema says what of a product is searched: its name more than what the shops
// call it; its numbers as they are typed, K-400 or k400.
func schema() index.Schema {
	return index.Schema{
		{Name: "name", Analyzer: "auto", Weight: 3},
		{Name: "names", Analyzer: "auto", Weight: 1},
		{Name: "code", Analyzer: "standard", Weight: 2},
		{Name: "category", Analyzer: "auto", Weight: 1},
		{Name: "shop", Kind: index.Keyword, Column: true},
		{Name: "order", Kind: index.Keyword, Column: true}, // the name, to sort by
		{Name: "price", Kind: index.Float},                 // the least, in the currency of comparison; none: not comparable
		{Name: "drop", Kind: index.Float},                  // 0 to 1
		{Name: "stock", Kind: index.Integer},               // 1: somebody has it
		// The words as they are written, which spelling is checked against.
		{Name: "word", Kind: index.Keyword},
	}
}

// indexOptions are those of the index.
func indexOptions() index.Options { return index.Options{Schema: schema(), KeepUnchanged: true} }

// document is a product as it is indexed. Its key is its ID, so that it replaces
// itself when something has changed. Rounds mostly change its numbers.
func document(p *product) index.Document {
	var names, shops []string
	code := []string{compact(p.Model), p.GTIN}
	for _, o := range p.Offers {
		names = append(names, o.Facts.Name, o.Facts.Variant)
		code = append(code, o.SKU)
		if !o.Gone {
			shops = append(shops, o.Shop)
		}
	}
	slices.Sort(shops)
	slices.Sort(names) // offers change places when prices do
	slices.Sort(code)
	price, stock := any(p.Price), 0
	if math.IsInf(p.Price, 0) {
		price = nil
	}
	if p.InStock {
		stock = 1
	}
	return index.Document{Key: p.ID, Fields: []index.Field{
		{Name: "name", Value: p.Name + " " + p.Kind},
		{Name: "names", Value: slices.Compact(names)},
		{Name: "code", Value: slices.Compact(code)},
		{Name: "category", Value: p.Category},
		{Name: "shop", Value: slices.Compact(shops)},
		{Name: "order", Value: folded(p.Name)},
		{Name: "word", Value: words(append(names, p.Name)...)},
		{Name: "price", Value: price},
		{Name: "drop", Value: p.Drop},
		{Name: "stock", Value: stock},
	}}
}

// refresh makes the products anew, and commits those that differ from what the
// index has: with KeepUnchanged it writes the others not at all, and numbers alone
// where only those differ.
func (k *keeper) refresh(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	products, fresh := k.catalog.refresh()
	if k.behind = k.behind || fresh || k.indexed == nil; !k.behind {
		return nil
	}
	now := make(map[string]bool, len(products))
	for _, p := range products {
		now[p.ID] = true
		if err := k.writer.Add(ctx, document(p)); err != nil {
			return err
		}
	}
	gone, err := k.gone(ctx, now)
	if err != nil {
		return err
	}
	if err := k.writer.Delete(ctx, gone...); err != nil {
		return err
	}
	if err := k.writer.Commit(ctx); err != nil {
		return err
	}
	k.indexed, k.behind = now, false
	return nil
}

// gone lists the keys of the index that are not among those of now. What an
// earlier run has left there is found by asking for everything, once.
func (k *keeper) gone(ctx context.Context, now map[string]bool) (keys []string, err error) {
	if k.indexed == nil {
		k.indexed = map[string]bool{}
		snap, err := k.index.Snapshot()
		if err != nil {
			return nil, err
		}
		defer snap.Close()
		res, err := snap.Search(ctx, query.All{}, index.SearchOptions{Limit: max(snap.Docs(), 1)})
		if err != nil {
			return nil, err
		}
		for _, h := range res.Hits {
			k.indexed[h.Key] = true
		}
	}
	for key := range k.indexed {
		if !now[key] {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// Words that spelling knows: letters only, not too short to be told apart, not
// too long to be typed.
const (
	shortestWord = 3  // runes
	longestWord  = 30 // runes
)

// words lists the different words of some texts, in order of the alphabet.
func words(texts ...string) []string {
	var list []string
	for _, text := range texts {
		for token := range (analysis.Standard{}).Tokens(text) {
			if isWord(token.Text) {
				list = append(list, token.Text)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func isWord(s string) bool {
	n := utf8.RuneCountInString(s)
	return n >= shortestWord && n <= longestWord && strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) < 0
}
