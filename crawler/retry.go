package crawler

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/internal/when"
	"github.com/webquarry/quarry/frontier"
)

const (
	firstRetry    = 10 * time.Second
	longestRetry  = 24 * time.Hour
	visitAttempts = 3
	busyAttempts  = 4
)

// Retry is the Revisit of a Crawler that has none. A page is visited once; what
// failed is tried again like this:
//
//	outcome                                           visits  wait before the next
//	2xx, 3xx, 4xx, 501                                1
//	408, 425, 5xx but 501 and 503                     3       10 s, then twice the last
//	429, 503                                          4       as long as the host rests: Retry-After, else what the Frontier decides
//	dns, no answer, timeouts, slow, broken, other     3       10 s, then twice the last
//	protocol, decode                                  2       10 s
//	all other kinds                                   1
//
// The loop does not ask a Revisit about trouble that is not the page's: a host that is
// not reached (no connection, no TLS, no answer from DNS, robots.txt that cannot be had),
// several pages of a host in a row that get no answer or 429, 502, 503, 504 or 520 to 530,
// or trouble here. Such a page is offered again as it was, as often as need be, while its
// host rests, see [frontier.Outage]. That a name does not exist is the page's trouble unless
// the run has reached that host before.
//
// Waits are up to a fifth longer at random, so that what failed together does
// not come again together, and a day at most. A Revisit that wants fewer visits or
// other waits calls Retry and changes Again; the rest of a host after 429 and 503 is
// the Frontier's, see its Limits.MaxDelay.
func Retry(req frontier.Request, resp *Response, err error) frontier.Outcome {
	kind, status := outcomeOf(resp, err)
	last := req.Attempt+1 >= attempts(kind, status)
	now := time.Now()
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		if last {
			return frontier.Outcome{}
		}
		return frontier.Outcome{Again: now.Add(backOff(firstRetry, req.Attempt))}
	}
	wait, _ := retryAfter(resp.Header, now)
	if last {
		return frontier.Outcome{Delay: wait}
	}
	return frontier.Outcome{Again: now.Add(wait), Delay: wait}
}

// trouble says what a visit that failed tells of the health of its host. A body
// that drips is a page's own: the host had answered in time.
func trouble(resp *Response, err error) frontier.Trouble {
	switch kind, status := outcomeOf(resp, err); kind {
	case ErrTimeoutHeader:
		return frontier.Slow
	case ErrDNS, ErrConnect, ErrTLS, ErrTimeoutConnect:
		return frontier.Unreached
	case ErrNoAnswer, ErrBroken, ErrTimeoutTotal, ErrSlow:
		return frontier.Failed
	case ErrStatus:
		switch {
		case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
			if _, asked := retryAfter(resp.Header, time.Now()); !asked {
				return frontier.Refused
			}
			return frontier.Failed
		case status == http.StatusRequestTimeout:
			return frontier.Slow
		case status >= 500 && status != http.StatusNotImplemented:
			return frontier.Failed
		}
	}
	return frontier.NoTrouble
}

func outcomeOf(resp *Response, err error) (Kind, int) {
	if err == nil {
		return ErrStatus, resp.Status
	}
	if fe, ok := errors.AsType[*FetchError](err); ok {
		return fe.Kind, 0
	}
	return ErrOther, 0
}

// attempts returns how often at most a page with this outcome is visited.
func attempts(kind Kind, status int) int {
	switch kind {
	case ErrDNS, ErrConnect, ErrNoAnswer, ErrTimeoutConnect, ErrTimeoutHeader, ErrTimeoutTotal, ErrSlow, ErrBroken, ErrOther:
		return visitAttempts
	case ErrTLS, ErrProtocol, ErrDecode:
		return 2
	case ErrStatus:
		switch {
		case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
			return busyAttempts
		case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= 500 && status != http.StatusNotImplemented:
			return visitAttempts
		}
	}
	return 1
}

// backOff doubles first with every attempt and adds up to a fifth.
func backOff(first time.Duration, attempt int) time.Duration {
	d := longestRetry
	if attempt < 16 {
		d = min(first<<max(attempt, 0), longestRetry)
	}
	return d + time.Duration(rand.Int64N(int64(d)/5+1))
}

// retryAfter reads the header of that name (RFC 9110, 10.2.3), seconds or a
// date, and reports whether it holds one of them. A date is by the clock of the server,
// which the Date header tells; without one it is taken to be by ours, which says now. What
// follows a number is not read, unless it may be another unit. A date in the past is zero,
// a day the most.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0, false
	}
	rest := strings.TrimLeft(v, "0123456789")
	t, err := http.ParseTime(v)
	isDate := err == nil
	if !isDate && rest != "" {
		t, isDate = when.Parse(v)
	}
	switch {
	case isDate:
		if sent, err := http.ParseTime(h.Get("Date")); err == nil {
			now = sent
		}
		return min(max(t.Sub(now), 0), longestRetry), true
	case rest == v || !isSeconds(rest):
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(v, rest), 10, 64)
	if err != nil || n > int64(longestRetry/time.Second) {
		return longestRetry, true
	}
	if strings.HasPrefix(rest, ".") {
		n++
	}
	return time.Duration(n) * time.Second, true
}

// isSeconds reports whether what follows a number may be the rest of a number of
// seconds, as in "1.5", "120, 240" and "90 seconds", and not of minutes or of a date.
func isSeconds(rest string) bool {
	unit := strings.TrimLeft(rest, ".,; 0123456789")
	return unit == "" || unit[0]|0x20 == 's'
}
