package sitemap

import (
	"strings"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// Entry is what a sitemap or a feed says of one URL.
type Entry struct {
	URL        string    // absolute, as listed: not canonical
	Sitemap    bool      // there is another sitemap, or the next page of the feed
	Modified   time.Time // zero: not said
	Change     string    // "always", "hourly", ... "yearly", "never"; empty: not said
	Priority   float64   // among the pages of the site, 0 to 1; 0.5 when not said
	Title      string    // of the item of a feed
	Alternates []Alternate
	Images     []string // their URLs
	Videos     []Video
	News       *News // nil: none
}

// Alternate is the same page in another language.
type Alternate struct {
	Lang string // hreflang: a BCP 47 tag or "x-default"
	URL  string
}

// Video is a video on a page.
type Video struct {
	Title     string
	Content   string // URL of the video itself
	Player    string // URL of a player for it
	Thumbnail string // URL of a picture
}

// News is what Google's extension for news says of an article.
type News struct {
	Title       string
	Publication string
	Lang        string
	Keywords    string
	Published   time.Time // zero: not said
}

// Every is how often the page changes by its own account; zero: not said, or
// never.
func (e *Entry) Every() time.Duration {
	const day = 24 * time.Hour
	switch e.Change {
	case "always", "hourly":
		return time.Hour
	case "daily":
		return day
	case "weekly":
		return 7 * day
	case "monthly":
		return 30 * day
	case "yearly":
		return 365 * day
	}
	return 0
}

// Again says when a page that was visited is worth another visit, going by its
// entry: at once where it was modified since, which is the zero time, else when
// it changes by its own account. ok is false when the entry gives no reason to
// come back.
func (e *Entry) Again(visited time.Time) (again time.Time, ok bool) {
	switch every := e.Every(); {
	case visited.IsZero(), e.Modified.After(visited):
		return time.Time{}, true
	case every > 0:
		return visited.Add(every), true
	}
	return time.Time{}, false
}

// Request is the request that visits e: a page due by [Entry.Again] and as
// urgent as its priority says, around zero, or a sitemap. URL is as listed, so
// whoever adds it to a Frontier makes it canonical first.
func (e *Entry) Request(visited time.Time) (req frontier.Request, ok bool) {
	req.URL, req.Priority = e.URL, e.Priority-0.5
	if e.Sitemap {
		req.Meta, req.Priority = Mark(req.Meta, 0), First
	}
	req.Due, ok = e.Again(visited)
	return req, ok
}

// First is the priority of requests for sitemaps: they come before the pages
// that they put in order.
const First = 1

// frequency returns a changefreq that is known.
func frequency(s string) string {
	switch s = strings.ToLower(s); s {
	case "always", "hourly", "daily", "weekly", "monthly", "yearly", "never":
		return s
	}
	return ""
}
