package recrawl

import (
	"encoding/binary"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/keys"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/frontier/refresh"
)

// Policy decides when pages are visited again, by how often they changed so
// far. The Frontier should have a long Horizon, as what is due in a month is
// else not part of a run.
type Policy struct {
	Scheduler *refresh.Scheduler // required

	// Digest stands for what of a page matters: the page has changed when it has
	// another. Nil: that of the whole body, by which pages with a clock change
	// all the time.
	Digest func(resp *crawler.Response) uint64

	// Split shares a budget of visits between new pages and known ones: the Scheduler
	// is told now and then what new pages leave. Nil: the Scheduler's budget is for
	// known pages alone, and new ones come on top.
	Split *refresh.Split

	// Priority is that of pages that come again; 0: what they had. Where it is
	// greater than that of new pages, what is due does not wait for them; and as the
	// Scheduler has pages come only as often as its budget has room for, known pages
	// get their share then, and no more, however much there is to discover.
	Priority float64

	// Weight is what it is worth that a page is fresh, see [refresh.Visit]. Nil: 1.
	Weight func(req frontier.Request, resp *crawler.Response) float64

	visits atomic.Int64
}

// Install makes Revisit that of a Crawler, which must have none: two cannot decide when a
// page comes again.
func (p *Policy) Install(c *crawler.Crawler) error {
	if c.Revisit != nil {
		return &crawler.ConfigError{What: "recrawl policy", Value: "of a crawler", Why: "there is a Revisit already; have that call Policy.Revisit"}
	}
	if p.Scheduler == nil {
		return &crawler.ConfigError{What: "recrawl policy", Value: "of a crawler", Why: "has no Scheduler"}
	}
	c.Revisit = p.Revisit
	return nil
}

var _ crawler.Plugin = (*Policy)(nil)

// Revisit is the Revisit of a Crawler. Pages that arrived, and those that a
// server says have not changed (304), come again when the Scheduler says; all
// else is [crawler.Retry]'s. A page that was there once and then fails for good
// is tried again after as long a time as it was not there for, also when it is gone
// (404, 410): each time after twice as long, from an hour on. So the Sink is told that a
// page is gone ([crawler.Gone]) when it was missing twice in a row.
func (p *Policy) Revisit(req frontier.Request, resp *crawler.Response, err error) frontier.Outcome {
	out := crawler.Retry(req, resp, err)
	digest, history, known := read(req.Meta.Get(keys.Recrawl))
	p.count(known)
	switch {
	case err == nil && resp.Status >= 200 && resp.Status <= 299:
	case err == nil && resp.Status == http.StatusNotModified && known:
	case out.Again.IsZero() && known:
		now := time.Now()
		out.Again = now.Add(max(now.Sub(history.Last), tryAgain))
		return out
	default:
		return out
	}
	v := refresh.Visit{At: resp.Fetched, Modified: modified(resp)}
	if v.At.IsZero() {
		v.At = time.Now()
	}
	if resp.Status != http.StatusNotModified {
		before := digest
		digest = p.digest(resp)
		v.Changed = known && digest != before
	}
	if p.Weight != nil {
		v.Weight = p.Weight(req, resp)
	}
	history, out.Again = p.Scheduler.Visit(history, v)
	out.Meta = out.Meta.With(keys.Recrawl, write(digest, history))
	if p.Priority != 0 {
		out.Priority = new(p.Priority)
	}
	return out
}

// tryAgain is the least time after which a page that was there is tried again.
const tryAgain = time.Hour

// settleEvery is after how many visits the Scheduler is told its budget again.
const settleEvery = 100

// count tells the Split of a visit.
func (p *Policy) count(known bool) {
	if p.Split == nil {
		return
	}
	turn := refresh.Discover
	if known {
		turn = refresh.Revisit
	}
	p.Split.Made(turn)
	if p.visits.Add(1)%settleEvery == 1 {
		p.Scheduler.Budget(p.Split.Left())
	}
}

func (p *Policy) digest(resp *crawler.Response) uint64 {
	if p.Digest != nil {
		return p.Digest(resp)
	}
	return xxh3.Hash(resp.Body)
}

// modified is the Last-Modified of a response by our clock; zero: it does not
// tell.
func modified(resp *crawler.Response) time.Time {
	at, err := http.ParseTime(resp.Header.Get("Last-Modified"))
	if err != nil {
		return time.Time{}
	}
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil && !resp.Fetched.IsZero() {
		at = at.Add(resp.Fetched.Sub(date))
	}
	return at
}

// write makes the value that is kept with a URL: the digest [8], little-endian, then the history as
// [refresh.History.AppendBinary] has it.
func write(digest uint64, h refresh.History) string {
	value, err := h.AppendBinary(binary.LittleEndian.AppendUint64(nil, digest))
	if err != nil {
		return "" // which it never says
	}
	return string(value)
}

// read undoes write. What cannot be read, and nothing, is that of a page never visited.
func read(value string) (digest uint64, h refresh.History, known bool) {
	if len(value) < 8 || h.UnmarshalBinary([]byte(value[8:])) != nil || h.Last.IsZero() {
		return 0, refresh.History{}, false
	}
	return binary.LittleEndian.Uint64([]byte(value)), h, true
}
