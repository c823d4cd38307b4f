package frontier

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/webquarry/quarry/frontier/internal/wal"
	"github.com/webquarry/quarry/internal/durable"
)

// What a Frontier's errors match with errors.Is.
var (
	ErrDrained      = errors.New("frontier: drained: nothing left to visit")
	ErrClosed       = errors.New("frontier: closed")
	ErrLocked       = errors.New("frontier: locked by another process")
	ErrLeaseExpired = errors.New("frontier: the lease is over: it expired or was ended before")
	ErrCorrupt      = errors.New("frontier: corrupt")
	ErrVersion      = wal.ErrVersion
)

// URLError refuses a request that cannot be queued, as its URL cannot be visited or its
// Meta is beyond its bounds.
type URLError struct {
	URL     string // as it was given
	Variant string // of the request
	Msg     string // what is wrong with it
	Err     error  // a [*MetaError], or nil
}

// Unwrap returns Err.
func (e *URLError) Unwrap() error { return e.Err }

func (e *URLError) Error() string {
	url := e.URL
	if len(url) > 200 {
		url = url[:200] + "..."
	}
	return fmt.Sprintf("frontier: url %q: %s", url, e.Msg)
}

// Refusals parts what Add and Done return into the refusals of single URLs, which end
// nothing, and the rest, which is nil if there was nothing else. It looks into joined
// and wrapped errors.
func Refusals(err error) (refused []*URLError, rest error) {
	switch e := err.(type) {
	case nil:
		return nil, nil
	case *URLError:
		return []*URLError{e}, nil
	case interface{ Unwrap() []error }:
		var others []error
		for _, one := range e.Unwrap() {
			bad, other := Refusals(one)
			refused, others = append(refused, bad...), append(others, other)
		}
		if len(refused) == 0 {
			return nil, err
		}
		return refused, errors.Join(others...)
	case interface{ Unwrap() error }:
		if refused, rest := Refusals(e.Unwrap()); rest == nil && refused != nil {
			return refused, nil
		}
	}
	return nil, err
}

// CorruptError says where the state on disk is damaged. It matches
// [ErrCorrupt] and Err.
type CorruptError struct {
	File   string // path of the file
	Offset int64  // of the record that cannot be trusted
	Err    error  // what is wrong with it
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("frontier: %s: offset %d: %v", e.File, e.Offset, e.Err)
}

// Unwrap returns ErrCorrupt and the reason.
func (e *CorruptError) Unwrap() []error { return []error{ErrCorrupt, e.Err} }

// LockedError names the process that has the state open. It matches [ErrLocked].
type LockedError struct {
	Dir    string // folder of the state
	Holder string // such as "pid 123 on crawler7 since 2026-05-01T12:00:00Z"
}

func (e *LockedError) Error() string {
	return fmt.Sprintf("frontier: %s: locked by %s", e.Dir, e.Holder)
}

// Unwrap returns ErrLocked.
func (e *LockedError) Unwrap() error { return ErrLocked }

// diskError turns an error of package durable into one of this package.
func diskError(err error) error {
	if err == nil {
		return nil
	}
	if le, ok := errors.AsType[*durable.LockedError](err); ok {
		return &LockedError{Dir: filepath.Dir(le.Path), Holder: le.Holder}
	}
	if ce, ok := errors.AsType[*durable.CorruptError](err); ok {
		if errors.Is(ce.Err, ErrVersion) {
			return fmt.Errorf("%w: %s", ErrVersion, ce.File)
		}
		return &CorruptError{File: ce.File, Offset: ce.Offset, Err: ce.Err}
	}
	return fmt.Errorf("frontier: %w", err)
}
