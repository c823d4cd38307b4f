package content

import (
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// Listed follows what f does, and of sitemaps also those on the host of the
// sitemap that lists them, wherever that is. What a sitemap says of a page goes
// into its priority: that of f, plus the sitemap's less 0.5, which is what it is
// for pages that nothing is said of, and up to 0.05 more the later it was
// modified, so that of pages with one priority the newest come first. Sitemaps
// come before pages.
func Listed(f crawler.Follow) crawler.Follow {
	return func(from *crawler.Page, link crawler.Link) (float64, bool) {
		priority, ok := f(from, link)
		if link.Listed == nil {
			return priority, ok
		}
		if link.Listed.Sitemap {
			return max(priority, sitemap.First), ok || urlnorm.Host(link.URL) == urlnorm.Host(from.URL)
		}
		return priority + link.Listed.Priority - 0.5 + recency(link.Listed.Modified, time.Now()), ok
	}
}

// recency is 0.05 for what was modified just now, and half of that after a month,
// a third after two ... Nothing is said of what has no date, or one that is to come.
func recency(modified, now time.Time) float64 {
	if modified.IsZero() || modified.After(now.Add(24*time.Hour)) {
		return 0
	}
	const month = 30 * 24 * time.Hour
	return 0.05 / (1 + max(now.Sub(modified), 0).Seconds()/month.Seconds())
}

// Refresh comes back as f says, and to sitemaps and feeds taken as such every so
// often, so that pages that are new in them are found. It makes a crawl one that
// does not end, unless the Horizon of its Frontier is shorter.
func Refresh(f crawler.Revisit, every time.Duration) crawler.Revisit {
	return func(req frontier.Request, resp *crawler.Response, err error) frontier.Outcome {
		out := f(req, resp, err)
		if _, _, ok := sitemap.Marked(req.Meta); ok && out.Again.IsZero() {
			out.Again = time.Now().Add(every)
		}
		return out
	}
}
