package middleware

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/crawler/internal/purpose"
	"github.com/webquarry/quarry/frontier"
)

// KeepRobots keeps what hosts answer for their robots.txt in a Store, so that a
// crawl that is begun again on the same [Disk] asks none of them anew.
//
//   - Kept is what says what may be fetched: each URL that was asked for as a
//     robots.txt, redirects by themselves, with status 200 to 499 but 429. A server
//     that fails is asked again. Of a body the first 500 KiB are kept, as no more is
//     read; one that broke off before is not.
//   - It answers as long as max-age says, ten minutes at least, and for 23 h 50 min
//     if nothing is said or more: a crawl keeps to what it was told for ten minutes
//     at least, and RFC 9309 has it ask after a day. no-store is not kept, no-cache
//     for ten minutes.
//   - A request with headers of its own, or one that is no plain GET, goes to the
//     server. So this lies outside of what shapes requests; as to [ForbiddenRobots]
//     either may be outside.
//   - It does not tell apart who asks, so a Store is for one UserAgent, where hosts
//     tell others other things.
//
// Answers from the Store have Wire 0, a Cache-Status (RFC 9211) "quarry; hit", and a
// max-age that says how long they are still good. What cannot be read there is as if
// it were absent. To the Frontier it is a visit all the same: the host rests before
// its first page.
type KeepRobots struct {
	Store Store        // may be that of a Cache; nil: NewMemory(64 << 20)
	Log   *slog.Logger // of trouble with the Store, which never is the host's; nil: silent
}

// Wrap is a [crawler.Middleware].
func (k KeepRobots) Wrap(next crawler.Fetcher) crawler.Fetcher {
	return around.Of(next, robotsKeeper{newCache(next, k.Store, k.Log)}.fetch)
}

const (
	robotsBody   = 500 << 10 // of which a robots.txt is read
	robotsMinAge = 10 * time.Minute
	robotsMaxAge = 24*time.Hour - robotsMinAge
)

type robotsKeeper struct{ *cache }

func (k robotsKeeper) fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	ask := crawler.Asked(ctx)
	if ask.Method != "" && ask.Method != http.MethodGet || ask.Body != nil || ask.Anonymous || len(ask.Header) > 0 || !purpose.IsRobots(ctx, req.URL) {
		return k.next.Fetch(ctx, req)
	}
	key := "robots " + req.URL // no URL: apart from the pages of a Cache
	if e := k.get(key, nil); e != nil && isRobotsAnswer(e.Status) {
		if left := e.robotsLeft(time.Now()); left >= time.Second {
			resp := e.response("hit", 0)
			resp.Header.Del("Age")
			resp.Header.Set("Cache-Control", "max-age="+secondsOf(left))
			resp.Request = req
			return resp, nil
		}
	}
	resp, err := k.next.Fetch(ctx, req)
	if err != nil || !isRobotsAnswer(resp.Status) || resp.Truncated && len(resp.Body) < robotsBody || directivesOf(resp.Header).has("no-store") {
		return resp, err
	}
	e := newEntry(resp, nil)
	e.body = e.body[:min(len(e.body), robotsBody)]
	if e.Header == nil {
		e.Header = http.Header{}
	}
	if e.Fetched.IsZero() {
		e.Fetched = time.Now()
	}
	k.put(key, e)
	return resp, nil
}

// isRobotsAnswer reports whether a status says what may be fetched (RFC 9309, 2.3.1).
func isRobotsAnswer(status int) bool {
	return status >= 200 && status < 500 && status != http.StatusTooManyRequests
}

// robotsLeft is how long the answer is still good; not from the future.
func (e *entry) robotsLeft(now time.Time) time.Duration {
	good, d := robotsMaxAge, directivesOf(e.Header)
	if said, ok := d.seconds("max-age"); d.has("no-cache") {
		good = robotsMinAge
	} else if ok {
		good = min(max(said, robotsMinAge), robotsMaxAge)
	}
	age := now.Sub(e.Fetched)
	if age < 0 {
		return 0
	}
	return good - age
}
