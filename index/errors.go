package index

import (
	"errors"
	"fmt"

	"github.com/webquarry/quarry/index/internal/fault"
	"github.com/webquarry/quarry/index/internal/schema"
	"github.com/webquarry/quarry/internal/durable"
)

// What kind of trouble it is; match with errors.Is.
var (
	// ErrCorrupt is matched by damage to a file of the index.
	ErrCorrupt = fault.ErrCorrupt
	// ErrVersion is matched by files that a newer version of this package wrote.
	ErrVersion = fault.ErrVersion
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

// CorruptError says which file is damaged, and where: File is its name in the folder of
// the index, Offset the byte at which the damage was found, and Err the cause. It matches
// ErrCorrupt.
type CorruptError = fault.CorruptError

// SchemaError is a field that the schema does not allow: one that a program gives to a
// document, or names in [SearchOptions], and that is not there or of another kind. Its
// Field is the name of the field, its Msg says what is wrong with it. A field that a query
// names is none, since people type queries: it is a warning of the [Results].
type SchemaError = schema.Error

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

// locked makes the error of a lock that is held one of this package.
func locked(dir string, err error) error {
	if l, ok := errors.AsType[*durable.LockedError](err); ok {
		return &LockedError{dir, l.Holder}
	}
	return err
}
