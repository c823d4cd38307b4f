package crawler

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what went wrong with a page. It is an error itself, so that
// errors.Is(err, crawler.ErrSlow) asks for it; its text is a short name fit for
// a table of counts.
type Kind string

// What can go wrong with one page. The comment says whether [Retry] tries again.
const (
	ErrDNS               Kind = "dns"                // there is no such name: retried; it does not resolve: the host rests, the page waits
	ErrConnect           Kind = "connect"            // no connection: the host rests, the page waits
	ErrNoAnswer          Kind = "no answer"          // the connection ended before an answer: retried
	ErrTLS               Kind = "tls"                // no handshake, or a certificate that does not hold: the host rests, the page waits
	ErrProtocol          Kind = "protocol"           // the URL or the answer is not HTTP: once more
	ErrTimeoutConnect    Kind = "timeout connect"    // connecting or the TLS handshake took too long: the host rests, the page waits
	ErrTimeoutHeader     Kind = "timeout header"     // no complete header in time: retried
	ErrTimeoutTotal      Kind = "timeout total"      // the whole took longer than Timeout: as for slow
	ErrSlow              Kind = "slow"               // fewer bytes a second than MinRate: retried, and from the second time on HTTP takes what there is
	ErrBroken            Kind = "broken"             // the body ended before its end: once more, then HTTP takes what there is
	ErrDecode            Kind = "decode"             // the body is not in its Content-Encoding: as for broken
	ErrBomb              Kind = "bomb"               // a small body that unpacks beyond all measure: not retried
	ErrTooLarge          Kind = "too large"          // header, or body of a type that is not text, over the limit: not retried
	ErrBlockedAddr       Kind = "blocked address"    // private, loopback, link-local ...: not retried
	ErrRedirect          Kind = "redirect"           // a redirect to what is no http URL, or refused: not retried
	ErrRedirectLoop      Kind = "redirect loop"      // redirects that lead back to where they began: not retried
	ErrRedirectTooMany   Kind = "too many redirects" // more hops than allowed: not retried
	ErrStatus            Kind = "status"             // an HTTP status other than 2xx: see Retry
	ErrDisallowed        Kind = "disallowed"         // robots.txt forbids it: an event, not an error
	ErrRobotsUnreachable Kind = "robots unreachable" // robots.txt cannot be had: the host rests, the page waits
	ErrParse             Kind = "parse"              // the Parser failed: not retried
	ErrPanic             Kind = "panic"              // a handler of the page panicked: not retried
	ErrOther             Kind = "other"              // an error of a Fetcher or a Transport of another make: retried
)

// Error makes k an error.
func (k Kind) Error() string { return string(k) }

// String returns the short name.
func (k Kind) String() string { return string(k) }

// A FetchError says why a page could not be had. It matches its Kind and its
// cause with errors.Is.
type FetchError struct {
	URL        string
	Kind       Kind
	Status     int           // HTTP status, for ErrStatus
	RetryAfter time.Duration // what the server asked for; zero: nothing
	Hops       []string      // for redirects: the URLs asked for before, first to last
	Err        error         // cause; may be nil
}

// Error says what and why.
func (e *FetchError) Error() string {
	s := "crawler: " + e.URL + ": " + string(e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" %d", e.Status)
	}
	if len(e.Hops) > 0 {
		s += fmt.Sprintf(" after %d hops", len(e.Hops))
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Cause returns what went wrong beneath e and the FetchErrors in it, which are
// about the same URL mostly; the innermost of them if it has no cause.
func (e *FetchError) Cause() error {
	for e.Err != nil {
		inner, ok := errors.AsType[*FetchError](e.Err)
		if !ok {
			return e.Err
		}
		e = inner
	}
	return e
}

// Unwrap returns the kind and the cause.
func (e *FetchError) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// Retryable reports whether another try may go better.
func (e *FetchError) Retryable() bool { return attempts(e.Kind, e.Status) > 1 }

// isA reports whether an error is an E, or one beneath it is.
func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
