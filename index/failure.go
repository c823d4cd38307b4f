package index

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"strconv"

	"github.com/webquarry/quarry/index/internal/pagefile"
	"github.com/webquarry/quarry/index/internal/store"
	"github.com/webquarry/quarry/internal/durable"
)

// damage makes what the packages below say of a damaged file an error of this
// one; other errors stay.
func damage(file string, err error) error {
	if d, ok := errors.AsType[*pagefile.Damage](err); ok {
		return &CorruptError{file, int64(d.Offset), errors.New(d.Msg)}
	}
	if errors.Is(err, pagefile.ErrVersion) {
		return fmt.Errorf("%w: %s: %w", ErrVersion, file, err)
	}
	return err
}

// missing makes the absence of a file that a commit names damage.
func missing(file string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &CorruptError{file, 0, err}
	}
	return err
}

// locked makes the error of a lock that is held one of this package.
func locked(dir string, err error) error {
	if l, ok := errors.AsType[*durable.LockedError](err); ok {
		return &LockedError{dir, l.Holder}
	}
	return err
}

// guarded calls f and turns a panic into an error, also one of reading a file. It is
// for code that is not ours, such as analyzers, and for goroutines, whose panic would
// end the process.
func guarded(what string, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = panicked(what, p)
		}
	}()
	return f()
}

// panicked makes a panic an error.
func panicked(what string, p any) error {
	if f := store.FaultOf(p); f != nil {
		return unreadable(f)
	}
	return &panicError{what, p, debug.Stack()}
}

// panicError is a panic that guarded has met.
type panicError struct {
	in    string
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("panic in %s: %v\n%s", e.in, e.value, e.stack)
}

// recoverFault makes a file that cannot be read an error of the function that defers
// it, as in
//
//	defer recoverFault(&err, debug.SetPanicOnFault(true))
//
// All code that reads mapped files, on whatever goroutine, stands below it or below
// guarded: a fault ends the process elsewhere. Locks that are held there are to be
// given back by a deferred call.
func recoverFault(err *error, before bool) {
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

// reading calls f, and makes a file that cannot be read an error.
func reading(f func() error) (err error) {
	defer recoverFault(&err, debug.SetPanicOnFault(true))
	return f()
}

func unreadable(f *store.Fault) error {
	return &CorruptError{f.Name, f.Offset, errors.New("cannot be read: the file was cut, or the disk has failed")}
}

func quoted(s string) string { return strconv.Quote(s) }
