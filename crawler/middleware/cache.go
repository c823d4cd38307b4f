package middleware

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/frontier"
)

// Store keeps what a [Cache] gives it. It may be called from many goroutines,
// and may forget whatever it likes.
type Store interface {
	Get(key string) ([]byte, error) // nil: not there
	Put(key string, value []byte) error
}

// Cache answers from a Store what is fresh there, and asks the server whether it
// has changed what is not: a private cache by RFC 9111, as far as that serves a
// crawl.
//
//   - GET only. What says no-store, a body that was cut, and Vary: * are not kept;
//     kept are 200, 203, 204, 300, 301, 308, 404, 410, 414, 501, and 302 and 307 if
//     they say for how long. One answer is kept for a URL; a POST or the like that
//     succeeds takes it out.
//   - Fresh is what max-age, or else Expires, says; if neither does, a tenth of the
//     time since Last-Modified, a day at most, unless the URL has a query. no-cache
//     and Vary: Cookie make it stale at once. s-maxage is for shared caches.
//   - What is stale is asked for with If-None-Match and If-Modified-Since; a 304
//     gives the page from the Store, with the status it had.
//   - stale-if-error (RFC 5861) gives a stale page for a 5xx or no answer.
//   - Vary is heeded for the headers of an [crawler.Ask], and their Authorization
//     without it; all others are the same in all requests of a crawl.
//   - A request that comes with If-None-Match or the like, as for a revisit, goes
//     to the server unless what is fresh answers it: by 304 where that has its ETag.
//
// Answers from the Store have Wire 0 and a Cache-Status (RFC 9211): "quarry;
// hit", or "fwd=stale" with a 304 or an error. The Frontier's pace is kept all the
// same, for a Fetcher cannot tell it that its host was not asked.
type Cache struct {
	Store Store        // nil: NewMemory(64 << 20)
	Log   *slog.Logger // of trouble with the Store, which never is the page's; nil: silent
}

// Wrap is a [crawler.Middleware].
func (c *Cache) Wrap(next crawler.Fetcher) crawler.Fetcher {
	return around.Of(next, newCache(next, c.Store, c.Log).fetch)
}

// newCache makes a cache; store and log may be nil.
func newCache(next crawler.Fetcher, store Store, log *slog.Logger) *cache {
	if store == nil {
		store = NewMemory(64 << 20)
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &cache{next, store, log}
}

type cache struct {
	next  crawler.Fetcher
	store Store
	log   *slog.Logger
}

// fetch answers from the Store or asks.
func (c *cache) fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	ask := crawler.Asked(ctx)
	if ask.Method != "" && ask.Method != http.MethodGet || ask.Body != nil || directivesOf(ask.Header).has("no-store") {
		resp, err := c.next.Fetch(ctx, req)
		if err == nil && !safe(ask.Method) && resp.Status < 400 {
			c.drop(keyOf(req.URL, false))
			c.drop(keyOf(req.URL, true))
		}
		return resp, err
	}
	key := keyOf(req.URL, ask.Anonymous)
	e := c.get(key, ask.Header)
	now := time.Now()
	if e != nil && e.age(now) < e.lifetime() && !directivesOf(ask.Header).has("no-cache") {
		if resp, ok := e.answer(ask.Header, e.age(now)); ok {
			resp.Request = req
			return resp, nil
		}
	}
	if e == nil || conditional(ask.Header) || !e.hasValidator() {
		resp, err := c.next.Fetch(ctx, req)
		return c.after(ctx, req, key, e, resp, err)
	}
	resp, err := c.next.Fetch(crawler.Ask{Header: e.validators()}.Within(ctx), req)
	if err == nil && resp.Status == http.StatusNotModified {
		e.refresh(resp)
		c.put(key, e)
		same := e.response("fwd=stale; fwd-status=304", 0)
		same.Request, same.Wire = req, resp.Wire
		return same, nil
	}
	return c.after(ctx, req, key, e, resp, err)
}

// keyOf tells apart what is kept of a URL for whom the site knows, and for nobody in
// particular (crawler.Ask.Anonymous).
func keyOf(url string, anonymous bool) string {
	if anonymous {
		return "anonymous " + url
	}
	return url
}

// safe reports whether a method changes nothing at the server (RFC 9110, 9.2.1).
func safe(method string) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

// after keeps an answer, or gives what is stale instead of an error.
func (c *cache) after(ctx context.Context, req frontier.Request, key string, e *entry, resp *crawler.Response, err error) (*crawler.Response, error) {
	switch {
	case ctx.Err() != nil:
	case err != nil || resp.Status >= 500:
		if age, ok := e.forErrors(time.Now()); ok {
			stale := e.response("fwd=stale", age)
			stale.Request = req
			return stale, nil
		}
	case resp.Status == http.StatusNotModified:
	default:
		asked := crawler.Asked(ctx).Header
		if d := directivesOf(resp.Header); mayKeep(resp, d) {
			c.put(key, newEntry(resp, asked))
		} else if e != nil {
			c.drop(key)
		}
	}
	return resp, err
}

// answer is what is fresh, as an answer to these headers, if it is one.
func (e *entry) answer(asked http.Header, age time.Duration) (*crawler.Response, bool) {
	if !conditional(asked) {
		return e.response("hit", age), true
	}
	tag := e.Header.Get("Etag")
	if v := asked.Values("If-None-Match"); tag == "" || !slices.Contains(v, tag) {
		return nil, false
	}
	resp := e.response("hit", age)
	resp.Status, resp.Body = http.StatusNotModified, nil
	return resp, true
}

func conditional(h http.Header) bool {
	for _, k := range []string{"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range", "Range"} {
		if h.Get(k) != "" {
			return true
		}
	}
	return false
}

func (e *entry) validators() http.Header {
	h := http.Header{}
	if tag := e.Header.Get("Etag"); tag != "" {
		h.Set("If-None-Match", tag)
	}
	if at := e.Header.Get("Last-Modified"); at != "" {
		h.Set("If-Modified-Since", at)
	}
	return h
}

// forErrors returns the age of an entry that may be given for an error.
func (e *entry) forErrors(now time.Time) (time.Duration, bool) {
	if e == nil {
		return 0, false
	}
	d := directivesOf(e.Header)
	more, ok := d.seconds("stale-if-error")
	age := e.age(now)
	return age, ok && !d.has("must-revalidate") && !d.has("no-cache") && age < e.lifetime()+more
}

// get returns the entry of a URL that was asked for with such headers.
func (c *cache) get(url string, asked http.Header) *entry {
	b, err := c.store.Get(url)
	if err != nil {
		c.log.Warn("cache", "url", url, "err", err)
	}
	if len(b) == 0 {
		return nil
	}
	e, err := decodeEntry(b)
	if err != nil {
		c.log.Warn("cache", "url", url, "err", err)
		return nil
	}
	if !e.answers(asked) {
		return nil
	}
	return e
}

func (c *cache) put(url string, e *entry) {
	e.Header = maps.Clone(e.Header)
	e.Header.Del("Set-Cookie") // the jar has it
	b, err := e.encode()
	if err == nil {
		err = c.store.Put(url, b)
	}
	if err != nil {
		c.log.Warn("cache", "url", url, "err", err)
	}
}

// drop takes out what no longer holds.
func (c *cache) drop(url string) {
	if err := c.store.Put(url, nil); err != nil {
		c.log.Warn("cache", "url", url, "err", err)
	}
}
