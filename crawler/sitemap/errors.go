package sitemap

import "fmt"

// Kind says what went wrong with a sitemap. It is an error itself, so that
// errors.Is(err, sitemap.ErrTruncated) asks for it.
type Kind string

// What can go wrong. All but the first may come after entries that were read
// well.
const (
	ErrNotSitemap Kind = "no sitemap"             // something else, such as the page of an error, or empty
	ErrMalformed  Kind = "malformed"              // some of it could not be read, and was passed over
	ErrTruncated  Kind = "truncated"              // it ends too early
	ErrTooLarge   Kind = "too large"              // more bytes unpacked than MaxBytes, what follows is not read
	ErrTooMany    Kind = "too many entries"       // more than MaxEntries, what follows is not read
	ErrEntities   Kind = "entities"               // it declares entities, which are never expanded
	ErrOtherHost  Kind = "entries of other hosts" // were left out, see [Reader.Hosts]
	ErrRead       Kind = "read"                   // its source failed
)

// Error makes k an error.
func (k Kind) Error() string { return string(k) }

// Error says what was wrong with a sitemap, and where for the first time.
type Error struct {
	URL    string // of the sitemap
	Kind   Kind
	Offset int64 // bytes that had been read of it, unpacked
	Count  int   // how often
	Err    error // the cause; may be nil
}

// Error says what and where.
func (e *Error) Error() string {
	s := fmt.Sprintf("sitemap: %s: %s", e.URL, e.Kind)
	if e.Count > 1 {
		s += fmt.Sprintf(" (%d times)", e.Count)
	}
	if e.Offset > 0 {
		s += fmt.Sprintf(" at byte %d", e.Offset)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}
