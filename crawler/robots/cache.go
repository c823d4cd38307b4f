package robots

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// Cache holds what is known of the robots.txt of hosts, one for each scheme,
// name and port. All methods may be called from many goroutines; the fields
// must be set before and left alone after.
//
// Files are kept compressed, each once however many hosts have it, and only those
// in use are kept parsed, so that 64 MiB hold the files of some 50,000 hosts that
// have 3 kB each. Beyond that, large files that were not asked for lately are
// forgotten first. A file that was forgotten has to be loaded again: whoever visits
// pages must not rely on an entry being there twice, see [Cache.Load].
//
// The crawl loop asks [Cache.Peek] before each fetch. When nothing is known it
// calls [Cache.Load], which may take as long as Fetch does, and lets the host
// rest before the page itself is fetched.
type Cache struct {
	Agent string // product token or User-Agent header; required
	Fetch Fetch  // required

	DenyForbidden bool          // 401 and 403 deny everything; the RFC has them allow, as other 4xx do
	MaxAge        time.Duration // how long an answer is good at most; 24 h, which is as long as the RFC allows
	Backoff       time.Duration // rest after a first failure, doubled with each further one up to MaxBackoff; 1 min
	MaxBackoff    time.Duration // MaxAge
	Memory        int64         // bytes that all takes, roughly; 64 MiB. See the type for what is forgotten beyond that

	mu    sync.Mutex
	kept  store
	loads map[string]*load // under way, by origin

	parses atomic.Int64 // of files, for tests
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
// where that must be loaded first: never seen, expired or forgotten. The entry is
// nil then, unless the last load failed and left no copy to go by.
func (c *Cache) Peek(rawurl string) (*Entry, bool) {
	s := c.known(urlnorm.Origin(rawurl))
	switch fresh := s.fresh(); {
	case s == nil, !fresh && s.text != nil:
		return nil, false
	default:
		return c.entry(s), fresh
	}
}

// Load returns what Peek would, and fetches robots.txt where Peek knows
// nothing. The entry is that of this call: by the next one it may have expired or
// been forgotten, so what it allows should be done, and not asked for once more.
// Callers that ask for one host at a time share one fetch. A
// robots.txt that cannot be had is no error but an entry that forbids
// everything; errors are a URL that is not http or https (*urlnorm.Error), and
// the cause of ctx when it ends first.
func (c *Cache) Load(ctx context.Context, rawurl string) (*Entry, error) {
	origin := urlnorm.Origin(rawurl)
	if origin == "" {
		_, err := urlnorm.URL("", rawurl)
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
	if s := c.known(origin); s.fresh() {
		return c.entry(s), nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
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
	old := c.kept.find(origin)
	c.mu.Unlock()

	body, maxAge, err := c.fetch(ctx, origin)
	if ctx.Err() != nil && err != nil {
		return nil, context.Cause(ctx)
	}
	s := c.renew(old, maxAge, err)
	if err == nil {
		s.text = newText(body)
	}
	s.origin = origin
	c.mu.Lock()
	c.kept.put(&s, c.memory())
	c.mu.Unlock()
	l.entry = c.entry(&s)
	return l.entry, nil
}

// renew makes a slot of the outcome of a load. Its text is that of the old one.
func (c *Cache) renew(old *slot, maxAge time.Duration, err error) slot {
	now := time.Now()
	longest := cmp.Or(c.MaxAge, defaultMaxAge)
	if err == nil {
		age := longest
		if maxAge > 0 {
			age = min(max(maxAge, minAge), longest)
		}
		return slot{fetched: now, expires: now.Add(age)}
	}
	s := slot{failures: 1, err: err}
	if old != nil {
		s.failures = old.failures + 1
		if now.Sub(old.fetched) < stale {
			s.text, s.fetched = old.text, old.fetched
		}
	}
	rest := cmp.Or(c.Backoff, defaultBackoff)
	most := min(cmp.Or(c.MaxBackoff, longest), longest)
	for n := 1; n < s.failures && rest < most; n++ {
		rest *= 2
	}
	rest = min(rest, max(most, c.Backoff))
	if u, ok := errors.AsType[*UnreachableError](err); ok {
		rest = max(rest, u.RetryAfter)
	}
	s.expires = now.Add(min(rest, longest))
	return s
}

// known returns the slot of an origin, fresh or not; nil for none.
func (c *Cache) known(origin string) *slot {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.find(origin)
}

// entry parses what a slot holds, unless that was done lately.
func (c *Cache) entry(s *slot) *Entry {
	e := &Entry{Fetched: s.fetched, Expires: s.expires, Failures: s.failures, Err: s.err}
	if s.text == nil {
		return e
	}
	c.mu.Lock()
	e.Rules = c.kept.parsed(s.text)
	c.mu.Unlock()
	if e.Rules == nil {
		c.parses.Add(1)
		e.Rules = Parse(s.text.body(), c.Agent)
		c.mu.Lock()
		c.kept.setParsed(s.text, e.Rules, c.memory())
		c.mu.Unlock()
	}
	return e
}

func (c *Cache) memory() int64 { return cmp.Or(c.Memory, defaultMemory) }
