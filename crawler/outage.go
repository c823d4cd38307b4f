package crawler

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/webquarry/quarry/crawler/internal/fetch"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// Trouble of a whole host, or of ours, is no trouble of the page that met with it: the
// page is offered again as if it had not been visited.
//
//   - A host that is not reached at all (see hostAway) rests and is probed, see
//     [frontier.Outage].
//   - A host that is reached but gives no usable answer (see hostUnwell) to one page
//     after the other is taken for one that is away from the second page on, and the
//     first is not charged either. That holds for unwellVisits visits; then the host goes
//     on resting, but its pages are charged, so that a crawl ends whose last pages never
//     work. A page that has failed among others that did not is charged at once.
//   - Trouble of ours (see ownTrouble) pauses the run, as does the network when it is
//     gone: when lostHosts hosts in a row that were reached before are not any more.

const (
	unwellVisits  = 7 // in a row: an hour of rests
	lostHosts     = 5
	firstStall    = time.Second
	longestStall  = time.Minute
	shortPatience = 10 * time.Minute // for descriptors and memory
	longPatience  = 26 * time.Hour   // for the network and proxies, as for a host
	maxHealth     = 1 << 16          // hosts of which health is known
)

// hostAway reports whether an error says that the host was not reached: no connection,
// no TLS, or no answer from DNS. That there is no such name is an answer.
func hostAway(err error) bool {
	if err == nil {
		return false
	}
	switch kind, _ := outcomeOf(nil, err); kind {
	case ErrConnect, ErrTLS, ErrTimeoutConnect:
		return true
	case ErrDNS:
		return !noSuchName(err)
	case ErrOther: // of a Fetcher of another make
		op, ok := errors.AsType[*net.OpError](err)
		dns, isDNS := errors.AsType[*net.DNSError](err)
		return isDNS && !dns.IsNotFound || ok && op.Op == "dial" || errors.Is(err, syscall.ECONNREFUSED)
	}
	return false
}

func noSuchName(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && dns.IsNotFound && !fetch.ByProxy(err)
}

// hostUnwell reports whether what a visit met with may be trouble of the whole host,
// though the host was reached.
func hostUnwell(resp *Response, err error) bool {
	switch kind, status := outcomeOf(resp, err); kind {
	case ErrNoAnswer, ErrTimeoutHeader:
		return true
	case ErrStatus:
		switch status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return status >= 520 && status <= 530 // of networks that deliver content, about the server behind
	}
	return false
}

// ownTrouble returns how long is waited for what is wrong here and not with the host,
// and what that is.
func ownTrouble(err error) (patience time.Duration, cause error) {
	for _, e := range ownErrors {
		if errors.Is(err, e) {
			return shortPatience, e
		}
		if dns, ok := errors.AsType[*net.DNSError](err); ok && strings.Contains(dns.Err, e.Error()) {
			return shortPatience, e // it does not say in any other way
		}
	}
	if answer, ok := errors.AsType[fetch.ProxyError](err); ok && answer.Refuses {
		return longPatience, err
	}
	op, ok := errors.AsType[*net.OpError](err)
	if ok && op.Op == "proxyconnect" && !isA[fetch.ProxyError](err) || ok && op.Op == "socks connect" && isDial(op.Err) {
		return longPatience, err
	}
	return 0, nil
}

func isDial(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// diskTrouble reports whether an error of a handler is about a disk of ours.
func diskTrouble(err error) bool {
	for _, e := range diskErrors {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// health is what a run knows of how its hosts and its own network fare.
type health struct {
	mu    sync.Mutex
	hosts map[string]*hostHealth // by origin
	lost  map[string]struct{}    // hosts in a row that were not reached
	stall stall
}

type hostHealth struct {
	reached bool                // ever
	first   string              // URL of the first visit in a row without a usable answer, if that was charged
	last    string              // URL of the last of them
	spared  int                 // how many of them were not charged
	charged map[string]struct{} // URLs of those that were, the first aside
	err     error               // why it was not reached the last time
	closed  bool                // its robots.txt forbids everything, and that was told
}

// stall is a pause of the whole run.
type stall struct {
	cause    error // nil: there is none
	patience time.Duration
	since    time.Time
	pause    time.Duration
	until    time.Time
	over     chan struct{} // closed when something was reached
}

func newHealth() *health {
	return &health{hosts: make(map[string]*hostHealth), lost: make(map[string]struct{})}
}

// of returns the health of the host of a URL; the lock must be held.
func (h *health) of(url string) *hostHealth {
	origin := urlnorm.Origin(url)
	x := h.hosts[origin]
	if x == nil {
		if len(h.hosts) >= maxHealth {
			for other := range h.hosts { // any will do
				delete(h.hosts, other)
				break
			}
		}
		x = new(hostHealth)
		h.hosts[origin] = x
	}
	return x
}

// reached notes that a host answered, and so that all is well here.
func (h *health) reached(url string, usable bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	x := h.of(url)
	x.reached, x.err = true, nil
	if usable {
		x.first, x.last, x.spared, x.charged = "", "", 0, nil
	}
	clear(h.lost)
	if h.stall.cause != nil {
		close(h.stall.over)
		h.stall = stall{}
	}
}

// closes notes that a host is closed, and reports whether that was not known.
func (h *health) closes(url string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	x := h.of(url)
	known := x.closed
	x.closed = true
	return !known
}

// knows reports whether a host was ever reached.
func (h *health) knows(url string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.of(url).reached
}

// unwell notes a visit without a usable answer of a page that was charged for so many
// before. It reports for how many it is to be charged now, whether for this visit as well,
// and whether the host is to rest as one that is away.
func (h *health) unwell(url string, attempt int) (before int, charged, away bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	x := h.of(url)
	last := x.last
	x.last = url
	if last == "" {
		x.first = url
		return attempt, true, false
	}
	if last == url {
		return attempt, true, x.spared > 0
	}
	if x.first == url {
		x.first = ""
		attempt = max(attempt-1, 0)
	}
	switch _, inRow := x.charged[url]; {
	case attempt > 0 && !inRow: // it failed when others did not
		return attempt, true, false
	case x.spared < unwellVisits:
		x.spared++
		return attempt, false, true
	}
	if x.charged == nil {
		x.charged = make(map[string]struct{})
	}
	x.charged[url] = struct{}{} // a host that is away has few visits
	return attempt, true, true
}

// missed notes that a host was not reached, and reports whether that is trouble of
// ours rather than the host's. The error ends the run.
func (h *health) missed(url string, err error) (own bool, fatal error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if patience, cause := ownTrouble(err); cause != nil {
		return true, h.stop(cause, patience)
	}
	x := h.of(url)
	x.err = err
	local := unreachableNetwork(err)
	if !local && (!x.reached || errors.Is(err, syscall.ECONNREFUSED)) {
		return false, nil // it may never have been there, or something said that it is not
	}
	h.lost[urlnorm.Origin(url)] = struct{}{}
	if h.stall.cause == nil && len(h.lost) < lostHosts {
		return false, nil
	}
	return true, h.stop(fmt.Errorf("the network cannot be reached: %w", err), longPatience)
}

// stop makes the run pause, for longer if it has just done so in vain. The lock must be
// held.
func (h *health) stop(cause error, patience time.Duration) error {
	now := time.Now()
	s := &h.stall
	switch {
	case s.cause == nil:
		*s = stall{cause: cause, patience: patience, since: now, pause: firstStall, until: now.Add(firstStall), over: make(chan struct{})}
	case now.After(s.until):
		s.cause, s.patience = cause, min(s.patience, patience)
		s.pause = min(2*s.pause, longestStall)
		s.until = now.Add(s.pause)
	}
	if tried := now.Sub(s.since); tried >= s.patience {
		return fmt.Errorf("crawler: nothing could be fetched for %v: %w", tried.Round(time.Second), cause)
	}
	return nil
}

// wait waits until a pause is over.
func (h *health) wait(ctx context.Context) error {
	h.mu.Lock()
	s := h.stall
	h.mu.Unlock()
	left := time.Until(s.until)
	if s.cause == nil || left <= 0 {
		return nil
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-s.over:
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// why is why a host was not reached the last time.
func (h *health) why(origin string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if x := h.hosts[origin]; x != nil {
		return x.err
	}
	return nil
}

// troubled is the verdict on a visit that failed: either that of a page that has to
// answer for it, or, for trouble of its host or of ours, that the page is offered again as
// it was. The error ends the run.
func (r *run) troubled(req frontier.Request, resp *Response, err error) (verdict, error) {
	_, cause := ownTrouble(err)
	switch {
	case cause != nil, hostAway(err), noSuchName(err) && r.knows(req.URL):
		own, fail := r.health.missed(req.URL, err)
		if fail != nil {
			return verdict{}, fatal{fail}
		}
		return spared(req, resp, err, !own), nil
	case !hostUnwell(resp, err):
		return r.failed(req, resp, err), nil
	}
	before, charged, away := r.health.unwell(req.URL, req.Attempt)
	req.Attempt = before
	if !charged {
		return spared(req, resp, err, true), nil
	}
	v := r.failed(req, resp, err)
	if away {
		v.out.Trouble = frontier.Unreached
	}
	return v, nil
}

// spared is the verdict on a visit that the page is not charged for. away says that its
// host is to rest.
func spared(req frontier.Request, resp *Response, err error, away bool) verdict {
	v := verdict{Event: Event{Kind: Retrying, URL: req.URL, Err: err, reply: answered(resp)}, attempt: req.Attempt, bytes: wireBytes(resp)}
	v.Again = time.Now().Add(firstRetry)
	v.out.Again = v.Again
	if away {
		v.out.Trouble = frontier.Unreached
	}
	if err == nil {
		v.out.Delay, _ = retryAfter(resp.Header, time.Now())
		v.Err = &FetchError{URL: req.URL, Kind: ErrStatus, Status: resp.Status, RetryAfter: v.out.Delay}
	}
	return v
}

// knows reports whether a host was ever reached, in this run or as far as the Frontier
// remembers, to which a name with dots too many at its end is that without them.
func (r *run) knows(url string) bool {
	if strings.Contains(urlnorm.Origin(url), "..") {
		return false
	}
	if r.health.knows(url) {
		return true
	}
	f, ok := frontier.As[frontier.Inspector](r.Frontier)
	if !ok {
		return false
	}
	h, err := f.Host(r.telling, url)
	return err == nil && h.Reached
}

// UnfinishedError says that a run ended although URLs wait to be visited, because their
// hosts rest for longer than the run wants to wait: they could not be reached for long, or
// asked for so much time. Nothing is lost: a run with the same Frontier goes on with them.
type UnfinishedError struct {
	URLs  int           // that wait
	Hosts int           // of which they are
	Rest  []WaitingHost // some of these hosts, those with the most URLs first
}

// WaitingHost is a host that holds up what waits of it.
type WaitingHost struct {
	Name string    // scheme, name and port
	URLs int       // that wait
	Next time.Time // no visit before
	Err  error     // why it was not reached the last time; nil: it asked for the rest, or that was not in this run
}

func (e *UnfinishedError) Error() string {
	s := fmt.Sprintf("crawler: not finished: %d URLs of %d hosts wait, as their hosts cannot be reached or rest:", e.URLs, e.Hosts)
	for i, h := range e.Rest {
		if i == 3 {
			s += " ..."
			break
		}
		s += fmt.Sprintf(" %s until %s", h.Name, h.Next.Format("2006-01-02 15:04"))
		if fe, ok := errors.AsType[*FetchError](h.Err); ok {
			s += fmt.Sprintf(" (%v)", fe.Cause())
		} else if h.Err != nil {
			s += fmt.Sprintf(" (%v)", h.Err)
		}
		if i < min(len(e.Rest), 3)-1 {
			s += ","
		}
	}
	return s
}

// unfinished says what a run that has nothing left to do leaves behind, if the Frontier
// can tell.
func (r *run) unfinished(ctx context.Context) error {
	f, ok := frontier.As[frontier.Inspector](r.Frontier)
	if !ok {
		return nil
	}
	hosts, all, urls, err := f.Resting(ctx, 100)
	if err != nil || urls == 0 {
		return err
	}
	e := &UnfinishedError{URLs: urls, Hosts: all}
	for _, h := range hosts {
		e.Rest = append(e.Rest, WaitingHost{Name: h.Name, URLs: h.Queued, Next: h.Next, Err: r.health.why(urlnorm.Origin(h.Name + "/"))})
	}
	return e
}
