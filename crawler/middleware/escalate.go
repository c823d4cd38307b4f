package middleware

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/internal/around"
	"github.com/webquarry/quarry/frontier"
)

// Escalate fetches by HTTP, and by a browser what needs one: a page that is
// [Shell] is shown in To. It learns by host and by the shape of the URL: where
// pages were shells and the browser made more of them, it is asked at once;
// where it did not, no more. To is required; the rest may stay zero. All crawls of
// a process may share one Escalate.
//
// A To with the method
//
//	Render(ctx context.Context, resp *crawler.Response) (*crawler.Response, error)
//
// as chrome.Fetcher has it, shows a document that is here already. Without it the
// document is fetched twice in one visit, with Gap between. Where the browser
// fails on a page it is the error of the page, so that it is tried again; from the
// third visit on the document counts as it came.
type Escalate struct {
	To     crawler.Fetcher
	Shell  func(*crawler.Response) bool // nil: Shell
	Budget time.Duration                // of the browser for one host; what is over counts as it came; 10 min, negative: no limit
	Gap    time.Duration                // 1 s; negative: none

	mu    sync.Mutex
	hosts map[string]*escalated
}

// escalated is what is known of a host.
type escalated struct {
	spent    time.Duration
	patterns map[string]*tries
}

// tries count pages of a pattern.
type tries struct {
	gained   int // the browser made more of them
	idle     int // it did not, in a row
	straight int // that were fetched by it at once
}

const (
	enoughGained = 3       // to ask the browser at once
	enoughIdle   = 3       // to ask it no more
	recheck      = 100     // pages, after which one is looked at again
	maxPatterns  = 200     // of a host; the rest are one
	maxEscalated = 1 << 14 // hosts
	lastResort   = 2       // the Attempt from which on a document counts as it came
)

// Wrap is a [crawler.Middleware].
func (e *Escalate) Wrap(next crawler.Fetcher) crawler.Fetcher {
	return around.Of(next, (&escalation{e, next}).fetch)
}

type escalation struct {
	*Escalate
	next crawler.Fetcher
}

// fetch is that of the one or the other.
func (e *escalation) fetch(ctx context.Context, req frontier.Request) (*crawler.Response, error) {
	if m := crawler.Asked(ctx).Method; m != "" && m != http.MethodGet {
		return e.next.Fetch(ctx, req)
	}
	host, pattern := patternOf(req.URL)
	if e.atOnce(host, pattern) {
		resp, err := e.browse(host, func() (*crawler.Response, error) { return e.To.Fetch(ctx, req) })
		if err == nil || req.Attempt < lastResort || ours(err) || ctx.Err() != nil {
			return resp, err
		}
		return e.next.Fetch(ctx, req)
	}
	resp, err := e.next.Fetch(ctx, req)
	if err != nil || !e.isShell(resp) || !e.may(host, pattern) {
		return resp, err
	}
	return e.show(ctx, resp, host, pattern)
}

// show has the browser make a page of a shell.
func (e *escalation) show(ctx context.Context, resp *crawler.Response, host, pattern string) (*crawler.Response, error) {
	shown, err := e.browse(host, func() (*crawler.Response, error) {
		if r, ok := e.To.(interface {
			Render(ctx context.Context, resp *crawler.Response) (*crawler.Response, error)
		}); ok {
			return r.Render(ctx, resp)
		}
		if err := sleep(ctx, cmp.Or(e.Gap, time.Second)); err != nil {
			return nil, err
		}
		return e.To.Fetch(ctx, resp.Request)
	})
	switch {
	case err == nil:
		e.learn(host, pattern, gained(resp, shown))
		return shown, nil
	case resp.Request.Attempt < lastResort, ours(err), ctx.Err() != nil:
		return nil, err
	}
	return resp, nil
}

func (e *escalation) isShell(resp *crawler.Response) bool {
	if e.Shell != nil {
		return e.Shell(resp)
	}
	return Shell(resp)
}

// browse notes what the browser costs: what it says itself, or how long it took.
func (e *escalation) browse(host string, do func() (*crawler.Response, error)) (*crawler.Response, error) {
	start := time.Now()
	resp, err := do()
	took := time.Since(start)
	if resp != nil {
		if v, ok := resp.Extra.(interface{ BrowserTime() time.Duration }); ok {
			took = v.BrowserTime()
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.host(host).spent += took
	return resp, err
}

// gained reports whether the browser made more of a document: text, links, or
// another place.
func gained(before, after *crawler.Response) bool {
	if after.Status != before.Status || after.Location != before.Location {
		return true
	}
	was, is := signalsOf(before.Body), signalsOf(after.Body)
	return is.text > was.text+was.text/4+20 || is.links > was.links+1
}

func ours(err error) bool {
	var own interface{ Fatal() bool }
	var config *crawler.ConfigError
	return errors.As(err, &own) && own.Fatal() || errors.As(err, &config)
}

// host is what is known of one. The lock is held.
func (e *Escalate) host(name string) *escalated {
	if h := e.hosts[name]; h != nil {
		return h
	}
	if e.hosts == nil {
		e.hosts = make(map[string]*escalated)
	}
	for other := range e.hosts {
		if len(e.hosts) < maxEscalated {
			break
		}
		delete(e.hosts, other)
	}
	h := &escalated{patterns: make(map[string]*tries)}
	e.hosts[name] = h
	return h
}

func (h *escalated) of(pattern string) *tries {
	t := h.patterns[pattern]
	if t == nil && len(h.patterns) >= maxPatterns {
		pattern = ""
		t = h.patterns[pattern]
	}
	if t == nil {
		t = new(tries)
		h.patterns[pattern] = t
	}
	return t
}

func (e *Escalate) within(h *escalated) bool {
	b := cmp.Or(e.Budget, 10*time.Minute)
	return b < 0 || h.spent < b
}

// atOnce reports whether pages of a pattern are for the browser. Now and then
// one is looked at again.
func (e *Escalate) atOnce(host, pattern string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.host(host)
	t := h.of(pattern)
	if t.gained < enoughGained || !e.within(h) {
		return false
	}
	t.straight++
	return t.straight%recheck != 0
}

// may reports whether a shell may be shown.
func (e *Escalate) may(host, pattern string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.host(host)
	t := h.of(pattern)
	if t.idle >= enoughIdle {
		t.idle++
		return t.idle%recheck == 0 && e.within(h)
	}
	return e.within(h)
}

func (e *Escalate) learn(host, pattern string, more bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t := e.host(host).of(pattern)
	if more {
		t.gained, t.idle = t.gained+1, 0
	} else {
		t.gained, t.idle = 0, t.idle+1
	}
}

// patternOf is the host of a URL and what its path and query look like: pages
// that one template makes have one pattern.
func patternOf(rawurl string) (host, pattern string) {
	u, err := url.Parse(rawurl)
	if err != nil {
		return "", ""
	}
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	for i, p := range parts {
		if i > 0 && i == len(parts)-1 || strings.ContainsAny(p, "0123456789") {
			parts[i] = "*" + path.Ext(p)
		}
	}
	keys := make([]string, 0, 4)
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		k, _, _ := strings.Cut(pair, "=")
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return u.Host, strings.Join(parts, "/") + "?" + strings.Join(slices.Compact(keys), "&")
}
