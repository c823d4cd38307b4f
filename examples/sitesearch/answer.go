package main

import (
	"fmt"
	"html/template"
	"io"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/webquarry/quarry/index"
)

// answer is what the engine says to a query.
type answer struct {
	Query      string
	Took       time.Duration
	Total      index.Count
	Hits       []hit
	DidYouMean string // a better spelling; empty: none
	Hint       string // why the answer is not quite what was asked; empty: it is
	page, size int
}

// hit is one page found.
type hit struct {
	URL     string
	Title   string
	Marked  template.HTML // Title, escaped, with <mark> around the words of the query
	Score   float64
	Text    string        // a piece of the page that shows what was found
	Snippet template.HTML // Text, escaped and marked likewise
}

// Trail is the address as people read it: host, folders, page.
func (h hit) Trail() []string {
	u, err := url.Parse(h.URL)
	if err != nil {
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

// First is the number of the first hit shown, counted from 1.
func (a *answer) First() int { return (a.page-1)*a.size + 1 }

// leftOut is how many of the pages that match are not shown because they say the same
// as one that is. It is known with the last hits, and 0 before.
func (a *answer) leftOut() int {
	if len(a.Hits) == 0 || len(a.Hits) == a.size || !a.Total.Exact {
		return 0
	}
	return max(a.Total.Value-(a.First()-1+len(a.Hits)), 0)
}

// Found says how many pages match and how long it took.
func (a *answer) Found() string {
	took := fmt.Sprintf("%.1f ms", float64(a.Took.Microseconds())/1000)
	count := plural(a.Total.Value, "page")
	if !a.Total.Exact {
		count = "more than " + count
	}
	if a.page > 1 && len(a.Hits) > 0 {
		return fmt.Sprintf("%s to %s of %s, %s", grouped(a.First()), grouped(a.First()+len(a.Hits)-1), count, took)
	}
	return count + " in " + took
}

// pageLink leads to a page of results.
type pageLink struct {
	Label, Href, Rel string
	Current          bool
}

const around = 3 // pages of results linked before and after the one shown

// pages lists the pages of results to link to; none when there is but one.
func (a *answer) pages() (links []pageLink) {
	last := min((a.Total.Value+a.size-1)/a.size, maxDepth/a.size)
	if len(a.Hits) < a.size { // pages that say the same count, and are shown once
		last = min(last, a.page)
	}
	if last < 2 {
		return nil
	}
	link := func(label string, n int, rel string) {
		links = append(links, pageLink{Label: label, Href: a.href(n), Rel: rel, Current: rel == "" && n == a.page})
	}
	if a.page > 1 {
		link("Previous", min(a.page-1, last), "prev")
	}
	for n := max(1, a.page-around); n <= min(last, a.page+around); n++ {
		link(strconv.Itoa(n), n, "")
	}
	if a.page < last {
		link("Next", a.page+1, "next")
	}
	return links
}

func (a *answer) href(page int) string {
	v := url.Values{"q": {a.Query}, "page": {strconv.Itoa(page)}}
	if a.size != defaultSize {
		v.Set("size", strconv.Itoa(a.size))
	}
	return "/?" + v.Encode()
}

// grouped is n with commas between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return grouped(n) + " " + noun
}

// print writes an answer for people.
func (a *answer) print(w io.Writer) error {
	var b strings.Builder
	clean := func(s string) string { // what others wrote must not steer the terminal
		return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	}
	fmt.Fprintln(&b, a.Found())
	if a.DidYouMean != "" {
		fmt.Fprintf(&b, "Did you mean: %s\n", a.DidYouMean)
	}
	if a.Hint != "" {
		fmt.Fprintln(&b, a.Hint)
	}
	for i, h := range a.Hits {
		fmt.Fprintf(&b, "\n%d. %s\n   %s\n   %s\n", a.First()+i, clean(h.Title), h.URL, clean(h.Text))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
