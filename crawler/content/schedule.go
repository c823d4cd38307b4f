package content

import (
	"cmp"
	"context"
	"hash/maphash"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/crawler/sitemap"
	"github.com/webquarry/quarry/frontier"
)

// Schedule has a crawl come back to pages when the sitemaps that list them say that
// they change, and to the sitemaps themselves. Its Follow and its Revisit have to
// be in the same Crawler, and its Fetcher may be; all of them may be called from
// many goroutines. The zero value is ready.
//
// What sitemaps say is what sites say of themselves, and many say "daily" of every
// page. So a page that comes again by it is best asked for with its validators, as
// a Crawler does, and judged by what it really does, as by recrawl.Policy.
//
// It remembers a million pages, some 100 bytes each at the most, in memory: after a restart it
// knows them again when their sitemap was read again. When a page was visited is
// kept in the Meta of its request.
type Schedule struct {
	Sitemaps time.Duration // how often sitemaps are read again; a day; negative: once
	Least    time.Duration // no page comes sooner; an hour, which is what "always" means too

	polls atomic.Bool // Fetcher is in use
	mu    sync.Mutex
	seed  maphash.Seed
	pages map[uint64]listing // by hash of the URL
}

// listing is what a sitemap said of a page last.
type listing struct {
	every    time.Duration // that it changes; zero: not said; negative: never
	modified time.Time     // zero: not said
}

// polled is the Extra of an answer that nobody was asked for.
const polled = answer("its sitemap says that it was not modified")

type answer string

const (
	scheduledPages = 1 << 20
	readAgain      = 24 * time.Hour
	never          = -1
)

// Follow is [Listed], and takes note of when pages change.
func (s *Schedule) Follow(f crawler.Follow) crawler.Follow {
	f = Listed(f)
	return func(from *crawler.Page, link crawler.Link) (float64, bool) {
		priority, ok := f(from, link)
		if ok && link.Listed != nil && !link.Listed.Sitemap {
			s.note(link.URL, link.Listed)
		}
		return priority, ok
	}
}

func (s *Schedule) note(url string, e *sitemap.Entry) {
	said := listing{e.Every(), e.Modified}
	if e.Change == "never" {
		said.every = never
	}
	if m := said.modified; !m.IsZero() && m.Equal(m.Truncate(24*time.Hour)) {
		said.modified = m.Add(24 * time.Hour) // a day is all that it says, which may not be over yet
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages == nil {
		s.pages, s.seed = make(map[uint64]listing), maphash.MakeSeed()
	}
	h := maphash.String(s.seed, url)
	if _, known := s.pages[h]; said == (listing{}) || !known && len(s.pages) >= scheduledPages {
		delete(s.pages, h)
		return
	}
	s.pages[h] = said
}

func (s *Schedule) said(url string) listing {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages == nil {
		return listing{}
	}
	return s.pages[maphash.String(s.seed, url)]
}

// Fetcher fetches by f, but answers 304 by itself for a page that comes again and
// was not modified since its last visit by what its sitemap says now. With it a page
// that has such a date comes again as often as its sitemap, which takes a turn
// of its host, and a request only when there is something new.
func (s *Schedule) Fetcher(f crawler.Fetcher) crawler.Fetcher {
	s.polls.Store(true)
	return around.Of(f, func(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
		visited := visitedAt(req)
		said, now := s.said(req.URL), time.Now()
		due := said.every > 0 && !now.Before(visited.Add(s.atLeast(said.every)))
		if !visited.IsZero() && !said.modified.IsZero() && !said.modified.After(visited) && !due {
			return &crawler.Response{Request: req, URL: req.URL, Status: http.StatusNotModified, Header: http.Header{}, Fetched: now, Extra: polled}, nil
		}
		return f.Fetch(ctx, req)
	})
}

func (s *Schedule) atLeast(every time.Duration) time.Duration {
	return max(every, cmp.Or(s.Least, time.Hour))
}

// Revisit comes back as f says. To a page that was had, and of which a sitemap
// tells how often it changes, it comes back then, unless f does sooner; to one that
// never changes not at all. It makes a crawl one that does not end, unless the
// Horizon of its Frontier is shorter.
func (s *Schedule) Revisit(f crawler.Revisit) crawler.Revisit {
	read := cmp.Or(s.Sitemaps, readAgain)
	if read > 0 {
		f = Refresh(f, read)
	}
	return func(req frontier.Request, resp *crawler.Response, err error) frontier.Outcome {
		out := f(req, resp, err)
		had := err == nil && (resp.Status == http.StatusNotModified || resp.Status >= 200 && resp.Status <= 299)
		if had {
			said := s.said(req.URL)
			if said.every == never {
				out.Again = time.Time{}
			} else if said.every > 0 {
				out.Again = sooner(out.Again, s.atLeast(said.every))
			}
			if said.every != never && !said.modified.IsZero() && read > 0 && s.polls.Load() {
				out.Again = sooner(out.Again, read)
			}
		}
		if had && resp.Extra != any(polled) {
			out.Meta = out.Meta.With(keys.Visited, strconv.FormatInt(time.Now().Unix(), 10))
		}
		return out
	}
}

// sooner is in so long from now, or at the time that is set already if that is earlier.
func sooner(at time.Time, in time.Duration) time.Time {
	again := time.Now().Add(in)
	if at.IsZero() || again.Before(at) {
		return again
	}
	return at
}

// visitedAt is when a page was visited last; zero: not that we know.
func visitedAt(req frontier.Request) time.Time {
	at, err := strconv.ParseInt(req.Meta.Get(keys.Visited), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.Unix(at, 0)
}
