//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package durable

import (
	"errors"
	"os"
)

// tryLock fails: a folder that two processes write to is worse than none.
func tryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }

// unlock has nothing to do: closing the file is enough.
func unlock(*os.File) {}
