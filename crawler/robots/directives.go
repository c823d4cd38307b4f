package robots

import (
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/internal/when"
)

// Directives are what a page says of itself to crawlers, in robots meta
// elements and X-Robots-Tag headers. Those of several places add up: the
// strictest counts.
type Directives struct {
	NoIndex     bool      // not to be found in a search, also once Unavailable has passed
	NoFollow    bool      // its links are not to be followed
	NoArchive   bool      // no copy of it is to be shown
	NoSnippet   bool      // no text of it is to be shown
	Unavailable time.Time // not to be found after that (unavailable_after); zero: not said
}

// AddMeta takes the content of a meta element that is named "robots", or after
// the crawler.
func (d *Directives) AddMeta(content string) {
	for content != "" {
		content = d.next(content)
	}
}

// AddHeader takes the value of an X-Robots-Tag header. A name before a colon
// addresses what follows it, up to the next name, to the crawler of that name;
// agent is ours, empty for none.
func (d *Directives) AddHeader(value, agent string) {
	ours := true
	for value != "" {
		name, rest, ok := strings.Cut(value, ":")
		if name = strings.Trim(name, separators); ok && name != "" && !strings.ContainsAny(name, separators) && !valued(name) {
			ours = name == "*" || agent != "" && strings.EqualFold(product(name), agent)
			value = rest
			continue
		}
		var one Directives
		value = one.next(value)
		if ours {
			d.Add(one)
		}
	}
}

// Add takes all of more.
func (d *Directives) Add(more Directives) {
	d.NoIndex = d.NoIndex || more.NoIndex
	d.NoFollow = d.NoFollow || more.NoFollow
	d.NoArchive = d.NoArchive || more.NoArchive
	d.NoSnippet = d.NoSnippet || more.NoSnippet
	if !more.Unavailable.IsZero() && (d.Unavailable.IsZero() || more.Unavailable.Before(d.Unavailable)) {
		d.Unavailable = more.Unavailable
	}
}

// At is d at a time: a page that is not available any more is not to be found.
func (d Directives) At(now time.Time) Directives {
	if !d.Unavailable.IsZero() && now.After(d.Unavailable) {
		d.NoIndex = true
	}
	return d
}

// separators part directives: commas as they should, and what people write instead.
const separators = ",; \t\n\f\r"

// cut parts a value from the directives after it.
func cut(list string) (value, rest string, more bool) {
	if i := strings.IndexAny(list, ",;"); i >= 0 {
		return list[:i], list[i+1:], true
	}
	return list, "", false
}

// next takes the first directive of a list and returns the rest of it.
func (d *Directives) next(list string) (rest string) {
	list = strings.TrimLeft(list, separators)
	word := list
	if end := strings.IndexAny(list, separators+":"); end >= 0 {
		word, rest = list[:end], list[end:]
	}
	value, colon := strings.CutPrefix(strings.TrimLeft(rest, " \t\n\f\r"), ":")
	switch word = strings.ToLower(word); word {
	case "noindex":
		d.NoIndex = true
	case "nofollow":
		d.NoFollow = true
	case "none":
		d.NoIndex, d.NoFollow = true, true
	case "noarchive", "nocache":
		d.NoArchive = true
	case "nosnippet":
		d.NoSnippet = true
	case "unavailable_after":
		if colon {
			return d.until(value)
		}
	case "max-snippet":
		if colon {
			value, rest, _ = cut(value)
			d.NoSnippet = d.NoSnippet || strings.TrimSpace(value) == "0"
			return rest
		}
	}
	if colon && valued(word) {
		_, rest, _ = cut(value)
		return rest
	}
	return strings.TrimPrefix(rest, ":")
}

// until takes the date of unavailable_after, which may have a comma in it.
func (d *Directives) until(value string) (rest string) {
	one, rest, more := cut(value)
	t, ok := when.Parse(one)
	if !ok && more {
		second, after, _ := cut(rest)
		if t, ok = when.Parse(one + "," + second); ok {
			rest = after
		}
	}
	if ok {
		d.Add(Directives{Unavailable: t})
	}
	return rest
}

// valued reports whether a directive takes a value after a colon.
func valued(name string) bool {
	switch strings.ToLower(name) {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return true
	}
	return false
}
