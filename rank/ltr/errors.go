package ltr

import (
	"errors"
	"fmt"
)

// FormatError says what is wrong with a model or with a file of features.
type FormatError struct {
	Format string // "LightGBM", "XGBoost" or "SVMlight"
	Line   int    // from 1 up; 0: not known
	Msg    string
	// Unsupported: nothing is wrong with the file, but this package cannot work with it, such as a model
	// of several classes. errors.Is tells this as errors.ErrUnsupported.
	Unsupported bool
}

// Error implements error.
func (e *FormatError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("ltr: %s: line %d: %s", e.Format, e.Line, e.Msg)
	}
	return fmt.Sprintf("ltr: %s: %s", e.Format, e.Msg)
}

// Is reports whether target is errors.ErrUnsupported, for what is not supported.
func (e *FormatError) Is(target error) bool { return e.Unsupported && target == errors.ErrUnsupported }
