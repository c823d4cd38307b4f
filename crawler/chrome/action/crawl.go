package action

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// Limits of the snapshots that are kept until the crawl comes to them. Those over
// are fetched as other pages are.
const (
	maxKept      = 1000
	maxKeptBytes = 64 << 20
)

// Snapshots is a Fetcher that makes the snapshots of chains pages of a crawl.
// Next is required: a chrome.Fetcher with chains, or what leads to one. It may be
// used by many goroutines and must not be copied.
//
// Where a chain has taken snapshots, those of the page that it began on are the
// Response, one after another in one document; without any of that page, it is the
// page as the chain left it. Another URL of which there are snapshots, as the second page
// of a list, is a link in it with the Rel "snapshot"; when the crawl comes to that,
// they are its page, in one document as well, and the server is not asked again.
// Snapshots of frames are part of the document.
type Snapshots struct {
	Next  crawler.Fetcher
	Canon *urlnorm.Profile // of URLs; nil: the default profile with hash routes kept

	mu    sync.Mutex
	kept  map[string]*crawler.Response // by URL
	bytes int
}

// chained is what the Extra of a Response can be, as *chrome.Visit is: it tells
// what a chain has brought home, or nil.
type chained interface{ ChainResult() *Result }

// Unwrap returns Next, see [crawler.As].
func (s *Snapshots) Unwrap() crawler.Fetcher { return s.Next }

// Fetch implements crawler.Fetcher.
func (s *Snapshots) Fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	if resp := s.take(req); resp != nil {
		return resp, nil
	}
	resp, err := s.Next.Fetch(ctx, req)
	if err != nil {
		return nil, err
	}
	from, ok := resp.Extra.(chained)
	if !ok {
		return resp, nil
	}
	if result := from.ChainResult(); result != nil && len(result.Pages) > 0 {
		return s.response(resp, result.Pages)
	}
	return resp, nil
}

func profileOf(p *urlnorm.Profile) *urlnorm.Profile {
	if p == nil {
		return &urlnorm.Profile{Fragments: urlnorm.KeepRoutes}
	}
	return p
}

// response makes a Response of snapshots, and keeps those of other URLs.
func (s *Snapshots) response(resp *crawler.Response, pages []Page) (*crawler.Response, error) {
	profile := profileOf(s.Canon)
	at, err := profile.URL("", resp.Request.URL)
	if err != nil {
		at = resp.Request.URL
	}
	var home []Page
	var links []crawler.Link
	others := map[string][]Page{}
	whose := ""
	for _, p := range pages { // frames come after the page that they are in
		if !p.Frame {
			if whose, err = profile.URL("", p.URL); err != nil {
				whose = p.URL
			}
		}
		if whose == at {
			home = append(home, p)
			continue
		}
		if others[whose] == nil {
			links = append(links, crawler.Link{URL: whose, Rel: "snapshot"})
		}
		others[whose] = append(others[whose], p)
	}
	for url, of := range others {
		if err := s.keep(url, of); err != nil {
			return nil, &crawler.FetchError{URL: resp.Request.URL, Kind: crawler.ErrOther, Err: err}
		}
	}
	out := *resp
	if !slices.ContainsFunc(home, func(p Page) bool { return !p.Frame }) {
		home = []Page{{HTML: string(resp.Body)}}
	} else {
		out.URL, out.Status = at, cmp.Or(home[0].Status, resp.Status)
		out.Truncated = cut(home)
	}
	if out.Body, err = compose(home, links); err != nil {
		return nil, &crawler.FetchError{URL: resp.Request.URL, Kind: crawler.ErrOther, Err: err}
	}
	return &out, nil
}

func cut(pages []Page) bool { return slices.ContainsFunc(pages, func(p Page) bool { return p.Cut }) }

// answer makes the Response of the snapshots of a URL.
func answer(url string, pages []Page) (*crawler.Response, error) {
	body, err := compose(pages, nil)
	if err != nil {
		return nil, err
	}
	h := pages[0].Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	for _, name := range []string{"Content-Encoding", "Content-Length", "Transfer-Encoding"} {
		h.Del(name)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	return &crawler.Response{URL: url, Status: cmp.Or(pages[0].Status, http.StatusOK), Header: h, Body: body, Truncated: cut(pages),
		Wire: int64(len(body)), Fetched: time.Now()}, nil
}

// keep keeps the snapshots of a URL until the crawl comes to it. Those of the last chain
// count.
func (s *Snapshots) keep(url string, pages []Page) error {
	resp, err := answer(url, pages)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept = map[string]*crawler.Response{}
	}
	if old := s.kept[url]; old != nil {
		s.bytes -= len(old.Body)
		delete(s.kept, url)
	}
	if len(s.kept) < maxKept && s.bytes+len(resp.Body) <= maxKeptBytes {
		s.kept[url] = resp
		s.bytes += len(resp.Body)
	}
	return nil
}

// take gives a snapshot away.
func (s *Snapshots) take(req frontier.Request) *crawler.Response {
	s.mu.Lock()
	defer s.mu.Unlock()
	resp := s.kept[req.URL]
	if resp != nil {
		delete(s.kept, req.URL)
		s.bytes -= len(resp.Body)
		resp.Request = req
	}
	return resp
}
