package fetch

import "fmt"

// Kind says what went wrong with a fetch. It is an error, and its text is the name of the
// kind.
type Kind string

// What can go wrong; see the kinds of the same names of the crawler.
const (
	ErrDNS             Kind = "dns"
	ErrConnect         Kind = "connect"
	ErrNoAnswer        Kind = "no answer"
	ErrTLS             Kind = "tls"
	ErrProtocol        Kind = "protocol"
	ErrTimeoutConnect  Kind = "timeout connect"
	ErrTimeoutHeader   Kind = "timeout header"
	ErrTimeoutTotal    Kind = "timeout total"
	ErrSlow            Kind = "slow"
	ErrBroken          Kind = "broken"
	ErrDecode          Kind = "decode"
	ErrBomb            Kind = "bomb"
	ErrTooLarge        Kind = "too large"
	ErrBlockedAddr     Kind = "blocked address"
	ErrRedirect        Kind = "redirect"
	ErrRedirectLoop    Kind = "redirect loop"
	ErrRedirectTooMany Kind = "too many redirects"
	ErrOther           Kind = "other"
)

// Error makes k an error.
func (k Kind) Error() string { return string(k) }

// Error says why there is no answer. It matches its Kind and its cause.
type Error struct {
	Kind Kind
	Hops []string // URLs that redirected here
	Err  error    // may be nil
}

// Error says what and why.
func (e *Error) Error() string {
	if e.Err == nil {
		return string(e.Kind)
	}
	return string(e.Kind) + ": " + e.Err.Error()
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// A SettingError says that a setting cannot be used, as only the network could tell.
type SettingError struct{ What, Value, Why string }

// Error says what and why.
func (e *SettingError) Error() string { return fmt.Sprintf("%s %q: %s", e.What, e.Value, e.Why) }
