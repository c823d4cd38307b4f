//go:build !windows

package crawler

import (
	"errors"
	"syscall"
)

// ownErrors are those of a machine that has run out of something.
var ownErrors = []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS, syscall.EADDRNOTAVAIL}

// diskErrors are those of a disk that takes nothing any more.
var diskErrors = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS}

// unreachableNetwork reports whether this machine knows no way to a network.
func unreachableNetwork(err error) bool {
	return errors.Is(err, syscall.ENETUNREACH) || errors.Is(err, syscall.ENETDOWN)
}
