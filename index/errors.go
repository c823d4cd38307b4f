package index

import (
	"errors"
	"fmt"
)

// What kind of trouble it is; match with errors.Is.
var (
	// ErrCorrupt is matched by damage to a file of the index.
	ErrCorrupt = errors.New("index: corrupt")
	// ErrVersion is matched by files that a newer version of this package wrote.
	ErrVersion = errors.New("index: written by a newer version")
	// ErrLocked is matched when another writer is at work.
	ErrLocked = errors.New("index: locked by another writer")
	// ErrClosed is matched by calls after Close.
	ErrClosed = errors.New("index: closed")
	// ErrTooLarge is matched by a document that takes too much memory, see
	// [Options.MemoryBudget].
	ErrTooLarge = errors.New("index: too large")
	// ErrWriterFailed is matched by every call of a writer that has met a
	// fault. The last commit is intact: close the writer and open a new one.
	ErrWriterFailed = errors.New("index: the writer has failed")
)

// CorruptError says which file is damaged, and where. It matches ErrCorrupt.
type CorruptError struct {
	File   string // name in the folder of the index
	Offset int64  // byte at which the damage was found
	Err    error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("index: %s: offset %d: %v", e.File, e.Offset, e.Err)
}

// Unwrap returns ErrCorrupt and the cause.
func (e *CorruptError) Unwrap() []error { return []error{ErrCorrupt, e.Err} }

// SchemaError is a field that the schema does not allow: one that a program gives to a
// document, or names in [SearchOptions], and that is not there or of another kind. A
// field that a query names is none, since people type queries: it is a warning of the
// [Results].
type SchemaError struct {
	Field string
	Msg   string
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("index: field %q: %s", e.Field, e.Msg)
}

// DocumentError is a document that could not be taken up, or anchors of one: an
// analyzer panicked over it, or it is too large and matches [ErrTooLarge]. What the
// index has under its key stays as it is, and other documents are not affected.
type DocumentError struct {
	Key string
	Err error
}

func (e *DocumentError) Error() string {
	return fmt.Sprintf("index: document %q: %v", e.Key, e.Err)
}

// Unwrap returns the cause.
func (e *DocumentError) Unwrap() error { return e.Err }

// LockedError says who holds the writer's lock. It matches ErrLocked.
type LockedError struct {
	Dir    string
	Holder string // process, host and since when, as far as known
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("index: %s: locked by %s", e.Dir, e.Holder)
}

// Is reports whether target is ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }
