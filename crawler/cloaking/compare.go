package cloaking

import (
	"cmp"
	"context"
	"net/http"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/dedup"
	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// What the further visits of a page are for, which their Meta and their Variant say.
const (
	asOthers = "as others"
	asBefore = "as before"
)

// comparison is what the visit of a page is for; empty: itself.
func comparison(req frontier.Request) string { return req.Meta.Get(keys.Cloaking) }

const (
	fewWords = 30  // of a page, which are too few to compare
	alike    = 0.6 // resemblance of pages that are taken for the same
	margin   = 0.3 // by which our own visits must be more alike than ours and theirs
)

// sample is a page that is being compared.
type sample struct {
	ours   dedup.Fingerprint // of the first visit
	theirs dedup.Fingerprint // zero: they were sent to another site
}

// read takes note of a page, and asks for it once more if it is one to compare.
func (c *Check) read(ctx context.Context, page *crawler.Page, req frontier.Request) error {
	due := false
	c.note(urlnorm.Origin(req.URL), func(h *host) {
		if h.cloaks() {
			page.Flaws = append(page.Flaws, Flaw)
		}
		h.pages++
		due = h.pages&(h.pages-1) == 0 && h.asked < cmp.Or(c.Most, defaultMost)
		if due {
			h.asked++
		}
	})
	if !due {
		return nil
	}
	ours := dedup.Of(page.Text)
	if ours.Words < fewWords {
		c.note(urlnorm.Origin(req.URL), func(h *host) { h.pages--; h.asked-- }) // the next page instead
		return nil
	}
	return c.ask(ctx, req, asOthers, &sample{ours: ours})
}

// ask queues the next visit of a page. It comes before the host's other requests,
// which it helps to judge.
func (c *Check) ask(ctx context.Context, req frontier.Request, visit string, s *sample) error {
	again := frontier.Request{URL: req.URL, Via: req.URL, Depth: req.Depth, Priority: before(req),
		Label: req.Label, Meta: keys.Onward(req.Meta).With(keys.Cloaking, visit), Variant: keys.Cloaking + " " + visit}
	c.mu.Lock()
	if c.pending == nil {
		c.pending = make(map[string]*sample)
	}
	for old := range c.pending { // one that was given up, for all we know
		if len(c.pending) < maxPending {
			break
		}
		delete(c.pending, old)
	}
	c.pending[again.URL] = s
	c.mu.Unlock()
	_, err := c.Frontier.Add(ctx, again)
	return err
}

// before is the priority of the visits of a page that are for a comparison.
func before(req frontier.Request) float64 {
	if comparison(req) != "" {
		return req.Priority
	}
	return req.Priority + 1
}

// compare makes a further visit of a page. It returns the error of the visit, or
// that it was one to compare.
func (c *Check) compare(ctx context.Context, f crawler.Fetcher, req frontier.Request) error {
	c.mu.Lock()
	s := c.pending[req.URL]
	c.mu.Unlock()
	if s == nil { // of an earlier run
		return compared(req.URL)
	}
	page := req
	page.Variant, page.Meta = "", page.Meta.Without(keys.Cloaking)
	others := comparison(req) == asOthers
	header := http.Header{"Cache-Control": {"no-store"}} // for a Cache of ours, which must not mix up who was shown what
	if others {
		header.Set("User-Agent", c.As)
	}
	resp, err := f.Fetch(crawler.Ask{Header: header, Anonymous: others}.Within(ctx), page)
	if err != nil {
		return err
	}
	c.mu.Lock()
	delete(c.pending, req.URL)
	c.mu.Unlock()
	shown, ok := c.shown(ctx, resp, page)
	if !ok {
		return compared(req.URL)
	}
	if others {
		if s.theirs = shown; resemblance(s.ours, s.theirs) < alike {
			if err := c.ask(ctx, req, asBefore, s); err != nil {
				return err
			}
		} else {
			c.note(urlnorm.Origin(page.URL), func(h *host) { h.same++ })
		}
		return compared(req.URL)
	}
	steady := resemblance(s.ours, shown)
	unlike := steady - max(resemblance(s.ours, s.theirs), resemblance(shown, s.theirs))
	c.note(urlnorm.Origin(page.URL), func(h *host) {
		if unlike >= margin {
			h.cloaked++
		} else {
			h.restless++
		}
	})
	return compared(req.URL)
}

// shown is the text of an answer, and whether it is evidence.
func (c *Check) shown(ctx context.Context, resp *crawler.Response, req frontier.Request) (dedup.Fingerprint, bool) {
	if resp.Request.URL == "" {
		resp.Request = req
	}
	if to := cmp.Or(resp.Location, resp.Header.Get("Location")); to != "" && resp.Status >= 300 && resp.Status <= 399 {
		at, err := urlnorm.URL(req.URL, to)
		return dedup.Fingerprint{}, err == nil && urlnorm.Site(at) != urlnorm.Site(req.URL)
	}
	if resp.Status < 200 || resp.Status > 299 || middleware.Shell(resp) {
		return dedup.Fingerprint{}, false
	}
	page, err := c.Parser.Parse(ctx, resp)
	if err != nil || page == nil {
		return dedup.Fingerprint{}, false
	}
	return dedup.Of(page.Text), true
}

func resemblance(a, b dedup.Fingerprint) float64 {
	if a.Same(b) {
		return 1
	}
	return a.Sketch.Resemblance(b.Sketch)
}

// compared is the error of a visit that was made for a comparison.
type compared string

func (c compared) Error() string { return "cloaking: compared " + string(c) }

// SkipReason makes the visit skipped, not failed.
func (compared) SkipReason() string { return "compared" }
