package index

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"strconv"

	"github.com/webquarry/quarry/index/internal/pagefile"
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

// guarded calls f and turns a panic into an error. It is for code that is not
// ours, such as analyzers, and for the goroutine of merges, whose panic would
// end the process.
func guarded(what string, f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicked(what, p)
		}
	}()
	return f()
}

// panicked makes a panic an error.
func panicked(what string, p any) error {
	return fmt.Errorf("panic in %s: %v\n%s", what, p, debug.Stack())
}

func quoted(s string) string { return strconv.Quote(s) }
