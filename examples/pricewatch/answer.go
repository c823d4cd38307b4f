package main

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/webquarry/quarry/index/serve"
)

// answer is what the engine says to a query.
type answer struct {
	ask
	Currency   string
	Took       time.Duration
	Total      int
	Hits       []hit
	DidYouMean string         // a better spelling; empty: none
	Hint       string         // why the answer is not quite what was asked; empty: it is
	sellers    map[string]int // how many products of the answer a shop sells, if it were not for Shops
}

// The size and depth of pages that can be asked for.
const (
	defaultSize = 20
	maxSize     = 100
	maxDepth    = 10_000 // hits counted from the first
	maxQuery    = 16_384 // bytes
)

// First is the number of the first hit shown, counted from 1.
func (a *answer) First() int { return (a.page-1)*a.size + 1 }

// Found says how many products match and how long it took.
func (a *answer) Found() string {
	took := fmt.Sprintf("%.1f ms", float64(a.Took.Microseconds())/1000)
	count := serve.Plural(a.Total, "product")
	if a.page > 1 && len(a.Hits) > 0 {
		return fmt.Sprintf("%s to %s of %s, %s", serve.Grouped(a.First()), serve.Grouped(a.First()+len(a.Hits)-1), count, took)
	}
	return count + " in " + took
}

// pages lists the pages of results to link to; none when there is but one.
func (a *answer) pages() []serve.PageLink {
	return serve.Pages(a.page, min((a.Total+a.size-1)/a.size, maxDepth/a.size), a.href)
}

// href is the address of a page of the same answer.
func (a *ask) href(page int) string {
	v := url.Values{"q": {a.Text}}
	set := func(name, value, unset string) {
		if value != unset {
			v.Set(name, value)
		}
	}
	v["shop"] = a.Shops
	set("min", amount(a.Min), "")
	set("max", amount(a.Max), "")
	set("sort", a.Sort, "")
	if a.InStock {
		v.Set("stock", "in")
	}
	set("page", strconv.Itoa(page), "1")
	set("size", strconv.Itoa(a.size), strconv.Itoa(defaultSize))
	return "/?" + v.Encode()
}

// amount is a bound as it stands in a form; none when there is none.
func amount(f float64) string {
	if f == 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// Narrowed says whether anything but words is asked for.
func (a *ask) Narrowed() bool {
	return len(a.Shops) > 0 || a.Min > 0 || a.Max > 0 || a.InStock
}

// Best is the cheapest offer of a hit, if it can be bought.
func (h *hit) Best() *offer { return h.Offers[0] }

// print writes an answer for people.
func (a *answer) print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintln(&b, a.Found())
	if a.DidYouMean != "" {
		fmt.Fprintf(&b, "Did you mean: %s\n", a.DidYouMean)
	}
	if a.Hint != "" {
		fmt.Fprintln(&b, a.Hint)
	}
	for i, h := range a.Hits {
		best := h.Best()
		fmt.Fprintf(&b, "\n%d. %s\n   %s", a.First()+i, clean(strings.TrimSuffix(h.Name+" – "+h.Kind, " – ")), money(h.Price, a.Currency))
		if now := best.now(); now.Code != a.Currency {
			fmt.Fprintf(&b, " (%s)", money(now.Price, now.Code))
		}
		fmt.Fprintf(&b, " at %s", clean(best.Shop))
		if !h.InStock {
			b.WriteString(", sold out")
		}
		if h.Shops > 1 {
			fmt.Fprintf(&b, "; %d shops", h.Shops)
		}
		if h.Drop >= smallestDrop {
			fmt.Fprintf(&b, "; down %s from %s", percent(h.Drop), money(h.High, a.Currency))
		}
		fmt.Fprintf(&b, "\n   %s\n", best.URLs[0])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const smallestDrop = 0.005 // that is told: half a hundredth

// clean is a text without what would steer a terminal: others wrote it.
func clean(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// sellerChoice is a shop to narrow an answer to.
type sellerChoice struct {
	Name    string
	Count   int
	Checked bool
}

// Sellers lists the shops of an answer, those with most products first.
func (a *answer) Sellers() (list []sellerChoice) {
	for name, n := range a.sellers {
		list = append(list, sellerChoice{name, n, slices.Contains(a.Shops, name)})
	}
	for _, name := range a.Shops {
		if a.sellers[name] == 0 {
			list = append(list, sellerChoice{name, 0, true})
		}
	}
	slices.SortFunc(list, func(x, y sellerChoice) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Name, y.Name)) })
	return list
}
