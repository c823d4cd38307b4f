package robots

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler/canon"
)

// Cache holds what is known of the robots.txt of hosts, one for each scheme,
// name and port. All methods may be called from many goroutines; the fields
// must be set before and left alone after.
//
// The crawl loop asks [Cache.Peek] before each fetch. When nothing is known it
// calls [Cache.Load], which may take as long as Fetch does, and lets the host
// rest before the page itself is fetched.
type Cache struct {
	Agent string // product token or User-Agent header; required
	Fetch Fetch  // required

	DenyForbidden bool          // 401 and 403 deny everything; the RFC has them allow, as other 4xx do
	MaxAge        time.Duration // how long an answer is good at most; 24 h, which is as long as the RFC allows
	Backoff       time.Duration // rest after a first failure, doubled with each further one up to MaxAge; 1 min
	Memory        int64         // bytes of rules, roughly; those not asked for longest are forgotten; 64 MiB

	mu      sync.Mutex
	used    int64
	entries map[string]*list.Element // of *slot, by origin
	recent  list.List                // the latest used first
	loads   map[string]*load         // under way, by origin
}

// Entry is what is known of one robots.txt. Its fields are not to be changed.
type Entry struct {
	Rules   *Rules    // nil: unreachable and no copy to go by, so all is forbidden
	Fetched time.Time // when Rules were; zero for none
	Expires time.Time // when it must be loaded anew; after a failure, not to be tried before

	Failures int   // loads in a row that failed; then Rules are an old copy or nil
	Err      error // why the last one failed: an *UnreachableError
}

// Allowed reports whether a URL of the host may be fetched.
func (e *Entry) Allowed(rawurl string) bool {
	if e.Rules == nil {
		return target(rawurl) == robotsPath
	}
	return e.Rules.Allowed(rawurl)
}

// Delay returns the gap between visits that the host asks for, zero for none.
func (e *Entry) Delay() time.Duration {
	if e.Rules == nil {
		return 0
	}
	return e.Rules.Delay
}

type slot struct {
	origin string
	entry  *Entry
	cost   int64
}

type load struct {
	done  chan struct{}
	entry *Entry // nil when it was given up
}

const (
	defaultMaxAge  = 24 * time.Hour
	defaultBackoff = time.Minute
	defaultMemory  = 64 << 20

	minAge = 10 * time.Minute    // below that a Cache-Control is not followed
	stale  = 30 * 24 * time.Hour // an old copy serves so long
)

// Peek returns what is known of the robots.txt that governs a URL. It is false
// where that must be loaded first: never seen, expired or forgotten.
func (c *Cache) Peek(rawurl string) (*Entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.find(canon.Origin(rawurl))
	return e, e != nil && time.Now().Before(e.Expires)
}

// Load returns what Peek would, and fetches robots.txt where Peek knows
// nothing. Callers that ask for one host at a time share one fetch. A
// robots.txt that cannot be had is no error but an entry that forbids
// everything; errors are a URL that is not http or https (*canon.Error), and
// the cause of ctx when it ends first.
func (c *Cache) Load(ctx context.Context, rawurl string) (*Entry, error) {
	origin := canon.Origin(rawurl)
	if origin == "" {
		_, err := canon.URL("", rawurl)
		return nil, err
	}
	for {
		e, l, mine := c.begin(origin)
		if e != nil {
			return e, nil
		}
		if mine {
			return c.finish(ctx, origin, l)
		}
		select {
		case <-l.done:
			if l.entry != nil {
				return l.entry, nil
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// begin returns a fresh entry, or else the load to wait for, or to do when it
// is mine.
func (c *Cache) begin(origin string) (e *Entry, l *load, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.find(origin); e != nil && time.Now().Before(e.Expires) {
		return e, nil, false
	}
	if l := c.loads[origin]; l != nil {
		return nil, l, false
	}
	if c.loads == nil {
		c.loads = make(map[string]*load)
	}
	l = &load{done: make(chan struct{})}
	c.loads[origin] = l
	return nil, l, true
}

// finish does a load and wakes those who wait for it, whatever happens.
func (c *Cache) finish(ctx context.Context, origin string, l *load) (*Entry, error) {
	defer func() {
		c.mu.Lock()
		delete(c.loads, origin)
		c.mu.Unlock()
		close(l.done)
	}()
	c.mu.Lock()
	old := c.find(origin)
	c.mu.Unlock()

	rules, maxAge, err := c.fetch(ctx, origin)
	if ctx.Err() != nil && err != nil {
		return nil, context.Cause(ctx)
	}
	e := c.renew(old, rules, maxAge, err)
	c.mu.Lock()
	c.store(origin, e)
	c.mu.Unlock()
	l.entry = e
	return e, nil
}

// renew makes an entry of the outcome of a load.
func (c *Cache) renew(old *Entry, rules *Rules, maxAge time.Duration, err error) *Entry {
	now := time.Now()
	longest := cmp.Or(c.MaxAge, defaultMaxAge)
	if err == nil {
		age := longest
		if maxAge > 0 {
			age = min(max(maxAge, minAge), longest)
		}
		return &Entry{Rules: rules, Fetched: now, Expires: now.Add(age)}
	}
	e := &Entry{Failures: 1, Err: err}
	if old != nil {
		e.Failures = old.Failures + 1
		if now.Sub(old.Fetched) < stale {
			e.Rules, e.Fetched = old.Rules, old.Fetched
		}
	}
	rest := cmp.Or(c.Backoff, defaultBackoff)
	for n := 1; n < e.Failures && rest < longest; n++ {
		rest *= 2
	}
	if u, ok := errors.AsType[*UnreachableError](err); ok {
		rest = max(rest, u.RetryAfter)
	}
	e.Expires = now.Add(min(rest, longest))
	return e
}

// find returns the entry of an origin, fresh or not, and marks it used. The
// lock must be held, as for store.
func (c *Cache) find(origin string) *Entry {
	at := c.entries[origin]
	if at == nil {
		return nil
	}
	c.recent.MoveToFront(at)
	return at.Value.(*slot).entry
}

// store keeps an entry and forgets others where memory runs out.
func (c *Cache) store(origin string, e *Entry) {
	if c.entries == nil {
		c.entries = make(map[string]*list.Element)
	}
	if at := c.entries[origin]; at != nil {
		c.forget(at)
	}
	s := &slot{origin, e, int64(len(origin)) + 512}
	if e.Rules != nil {
		s.cost += int64(e.Rules.memory())
	}
	c.entries[origin] = c.recent.PushFront(s)
	c.used += s.cost
	for c.used > cmp.Or(c.Memory, defaultMemory) && c.recent.Len() > 1 {
		c.forget(c.recent.Back())
	}
}

func (c *Cache) forget(at *list.Element) {
	s := c.recent.Remove(at).(*slot)
	delete(c.entries, s.origin)
	c.used -= s.cost
}
