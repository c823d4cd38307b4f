package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// What the errors of this package match with errors.Is.
var (
	ErrCorrupt = errors.New("durable: corrupt")
	ErrLocked  = errors.New("durable: locked")
)

// CorruptError says where a file is damaged. It matches [ErrCorrupt] and Err.
type CorruptError struct {
	File   string // path of the file
	Offset int64  // of the first byte that cannot be trusted
	Err    error  // what is wrong there
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("durable: %s: offset %d: %v", e.File, e.Offset, e.Err)
}

// Unwrap returns ErrCorrupt and the reason.
func (e *CorruptError) Unwrap() []error { return []error{ErrCorrupt, e.Err} }

// LockedError names the holder of a lock. It matches [ErrLocked].
type LockedError struct {
	Path   string // of the lock file
	Holder string // such as "pid 123 on crawler7 since 2026-05-01T12:00:00Z"
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("durable: %s: locked by %s", e.Path, e.Holder)
}

// Unwrap returns ErrLocked.
func (e *LockedError) Unwrap() error { return ErrLocked }

// opError says which operation on which file failed. The causes of package os
// name the operation and the bare name once more, so those are taken off.
func opError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	} else if le, ok := errors.AsType[*os.LinkError](err); ok {
		err = le.Err
	}
	return fmt.Errorf("durable: %s %s: %w", op, path, err)
}
