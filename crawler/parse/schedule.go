package parse

import (
	"cmp"
	"hash/maphash"
	"net/http"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/frontier"
)

// Schedule has a crawl come back to pages when the sitemaps that list them say that
// they change, and to the sitemaps themselves. Its Follow and its Revisit have to
// be in the same Crawler; both may be called from many goroutines. The zero value
// is ready.
//
// What sitemaps say is what sites say of themselves, and many say "daily" of every
// page. So a page that comes again by it is best asked for with its validators, as
// a Crawler does, and judged by what it really does, as by recrawl.Policy.
//
// It remembers a million pages, 16 bytes each, in memory: after a restart it knows
// them again when their sitemap was read again.
type Schedule struct {
	Sitemaps time.Duration // how often sitemaps are read again; a day; negative: once
	Least    time.Duration // no page comes sooner; an hour, which is what "always" means too

	mu    sync.Mutex
	seed  maphash.Seed
	every map[uint64]time.Duration // by hash of the URL; negative: never
}

const (
	scheduledPages = 1 << 20
	readAgain      = 24 * time.Hour
	never          = -1
)

// Follow is [Listed], and takes note of how often pages change.
func (s *Schedule) Follow(f crawler.Follow) crawler.Follow {
	f = Listed(f)
	return func(from *crawler.Page, link crawler.Link) (float64, bool) {
		priority, ok := f(from, link)
		if ok && link.Listed != nil && !link.Listed.Sitemap {
			every := link.Listed.Every()
			if link.Listed.Change == "never" {
				every = never
			}
			s.note(link.URL, every)
		}
		return priority, ok
	}
}

func (s *Schedule) note(url string, every time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.every == nil {
		s.every, s.seed = make(map[uint64]time.Duration), maphash.MakeSeed()
	}
	h := maphash.String(s.seed, url)
	if _, known := s.every[h]; every == 0 || !known && len(s.every) >= scheduledPages {
		delete(s.every, h)
		return
	}
	s.every[h] = every
}

// said is how often a page changes by what its sitemap said last; zero: it did not.
func (s *Schedule) said(url string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.every == nil {
		return 0
	}
	return s.every[maphash.String(s.seed, url)]
}

// Revisit comes back as f says. To a page that was had, and of which a sitemap
// tells how often it changes, it comes back then, unless f does sooner; to one that
// never changes not at all. It makes a crawl one that does not end, unless the
// Horizon of its Frontier is shorter.
func (s *Schedule) Revisit(f crawler.Revisit) crawler.Revisit {
	if every := cmp.Or(s.Sitemaps, readAgain); every > 0 {
		f = Refresh(f, every)
	}
	return func(req frontier.Request, resp *crawler.Response, err error) frontier.Outcome {
		out := f(req, resp, err)
		if err != nil || resp.Status != http.StatusNotModified && (resp.Status < 200 || resp.Status > 299) {
			return out
		}
		switch every := s.said(req.URL); {
		case every == never:
			out.Again = time.Time{}
		case every > 0:
			again := time.Now().Add(max(every, cmp.Or(s.Least, time.Hour)))
			if out.Again.IsZero() || again.Before(out.Again) {
				out.Again = again
			}
		}
		return out
	}
}
