package extract

import "errors"

// ErrMissing is the error of a required field for which no rule finds a value.
var ErrMissing = errors.New("required, but nothing was found")

var (
	errTooLong = errors.New("too long")
	errTooMany = errors.New("more values than are taken from a page; the rest is left out")
)

// FieldError is what went wrong with one field of one record.
type FieldError struct {
	Path string // "title", "reviews[2].stars", and with Each "[0].title"
	Err  error
}

func (e *FieldError) Error() string { return "extract: " + e.Path + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FieldError) Unwrap() error { return e.Err }
