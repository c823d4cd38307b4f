// Package fault makes errors of what goes wrong below package index: damaged files, files
// that cannot be read any more, and panics.
package fault

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"

	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/store"
)

// The kinds of trouble with files.
var (
	// ErrCorrupt is matched by damage to a file of the index.
	ErrCorrupt = errors.New("index: corrupt")
	// ErrVersion is matched by files that a newer version of this package wrote.
	ErrVersion = errors.New("index: written by a newer version")
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

// Damage makes what package pagefile says of a damaged file an error that names the
// file; other errors stay.
func Damage(file string, err error) error {
	if d, ok := errors.AsType[*pagefile.Damage](err); ok {
		return &CorruptError{file, int64(d.Offset), errors.New(d.Msg)}
	}
	if errors.Is(err, pagefile.ErrVersion) {
		return fmt.Errorf("%w: %s: %w", ErrVersion, file, err)
	}
	return err
}

// Missing makes the absence of a file that a commit names damage.
func Missing(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &CorruptError{file, 0, err}
	}
	return err
}

// Guard calls f and turns a panic into an error, also one of reading a file. It is
// for code that is not ours, such as analyzers, and for goroutines, whose panic would
// end the process.
func Guard(what string, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = Panicked(what, p)
		}
	}()
	return f()
}

// Panicked makes a panic an error.
func Panicked(what string, p any) error {
	if f := store.FaultOf(p); f != nil {
		return unreadable(f)
	}
	return &PanicError{what, p, debug.Stack()}
}

// PanicError is a panic that Guard has met.
type PanicError struct {
	in    string
	Value any
	stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic in %s: %v\n%s", e.in, e.Value, e.stack)
}

// Recover makes a file that cannot be read an error of the function that defers
// it, as in
//
//	defer fault.Recover(&err, debug.SetPanicOnFault(true))
//
// All code that reads mapped files, on whatever goroutine, stands below it or below
// Guard: a fault ends the process elsewhere. Locks that are held there are to be
// given back by a deferred call.
func Recover(err *error, before bool) {
	debug.SetPanicOnFault(before)
	p := recover()
	if p == nil {
		return
	}
	f := store.FaultOf(p)
	if f == nil {
		panic(p)
	}
	*err = unreadable(f)
}

// Reading calls f, and makes a file that cannot be read an error.
func Reading(f func() error) (err error) {
	defer Recover(&err, debug.SetPanicOnFault(true))
	return f()
}

func unreadable(f *store.Fault) error {
	return &CorruptError{f.Name, f.Offset, errors.New("cannot be read: the file was cut, or the disk has failed")}
}
