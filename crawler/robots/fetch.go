package robots

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/webquarry/quarry/crawler/urlnorm"
)

// Fetch gets a URL once, without following redirects. It returns an Answer for
// whatever status the server sent, and an error when there was none or the
// body broke off; if it follows some redirects all the same and they never end,
// the redirect it stands at. It need not read more of a body than 500 KiB, decoded. It
// refuses a URL, say for its address, with an error that matches [ErrRefused].
type Fetch func(ctx context.Context, url string) (*Answer, error)

// Answer is what a server answered.
type Answer struct {
	Status     int
	Body       []byte        // content-decoded
	Location   string        // of a redirect, as the server sent it
	RetryAfter time.Duration // zero: not said
	MaxAge     time.Duration // from Cache-Control; zero: not said
}

// ErrRefused is what a [Fetch] that will not visit a URL returns. A redirect
// there is taken for a missing robots.txt, not for an unreachable one.
var ErrRefused = errors.New("robots: refused to fetch")

// UnreachableError says why a robots.txt could not be had.
type UnreachableError struct {
	URL        string
	Status     int           // 5xx or 429; zero when there was no answer
	RetryAfter time.Duration // as the server asked; zero: not said
	Err        error         // what Fetch returned; nil when Status is set
}

func (e *UnreachableError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("robots: %s: status %d", e.URL, e.Status)
	}
	return fmt.Sprintf("robots: %s: %v", e.URL, e.Err)
}

// Unwrap returns e.Err.
func (e *UnreachableError) Unwrap() error { return e.Err }

// maxHops is how many redirects are followed. What lies behind more of them, or
// a loop, counts as missing.
const maxHops = 5

// verbatim resolves redirects and changes nothing else about them.
func verbatim(base, location string) (string, error) {
	p := urlnorm.Profile{KeepEscapes: true, KeepRootDot: true, KeepEmpty: true, KeepDuplicates: true, KeepSessions: true, KeepTracking: true}
	return p.URL(base, location)
}

// denyAll is the robots.txt of a host that forbids everything.
const denyAll = "user-agent: *\ndisallow: /\n"

// fetch gets the robots.txt of an origin, empty where there is none. An error is an
// [*UnreachableError].
func (c *Cache) fetch(ctx context.Context, origin string) (body []byte, maxAge time.Duration, err error) {
	at := origin + robotsPath
	var hops []string
	for {
		answer, err := c.Fetch(ctx, at)
		switch {
		case len(hops) > 0 && errors.Is(err, ErrRefused):
			return nil, 0, nil
		case err != nil:
			return nil, 0, &UnreachableError{URL: at, Err: err}
		case !redirect(answer.Status):
			body, err := c.read(at, answer)
			return body, answer.MaxAge, err
		}
		hops = append(hops, at)
		at, err = verbatim(at, answer.Location)
		if err != nil || answer.Location == "" || len(hops) > maxHops || slices.Contains(hops, at) {
			return nil, 0, nil
		}
	}
}

func redirect(status int) bool {
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308
}

// read returns the robots.txt that an answer stands for that is no redirect. One that is not
// there is empty and forbids nothing; a server that fails forbids everything for now, and
// what it says while it does is not for us.
func (c *Cache) read(at string, answer *Answer) ([]byte, error) {
	switch status := answer.Status; {
	case status >= 200 && status < 300:
		return answer.Body, nil
	case (status == 401 || status == 403) && c.DenyForbidden:
		return []byte(denyAll), nil
	case status >= 300 && status < 500 && status != 429:
		return nil, nil
	default:
		return nil, &UnreachableError{URL: at, Status: status, RetryAfter: answer.RetryAfter}
	}
}
