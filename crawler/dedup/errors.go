package dedup

import (
	"errors"
	"fmt"

	"github.com/webquarry/quarry/internal/durable"
)

// What the errors of an [Index] match with errors.Is.
var (
	ErrCorrupt = errors.New("dedup: corrupt")
	ErrLocked  = errors.New("dedup: locked")
	ErrClosed  = errors.New("dedup: closed")
)

// CorruptError says where a file of an [Index] is damaged. It matches
// [ErrCorrupt] and Err.
type CorruptError struct {
	File   string
	Offset int64
	Err    error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("dedup: %s: offset %d: %v", e.File, e.Offset, e.Err)
}

// Unwrap returns ErrCorrupt and the reason.
func (e *CorruptError) Unwrap() []error { return []error{ErrCorrupt, e.Err} }

// ours puts an error of the disk in the words of this package.
func ours(err error) error {
	if err == nil {
		return nil
	}
	if ce, ok := errors.AsType[*durable.CorruptError](err); ok {
		return &CorruptError{ce.File, ce.Offset, ce.Err}
	}
	if le, ok := errors.AsType[*durable.LockedError](err); ok {
		return fmt.Errorf("%w: %s by %s", ErrLocked, le.Path, le.Holder)
	}
	return fmt.Errorf("dedup: %w", err)
}
