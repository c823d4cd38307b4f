//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package durable

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks an open file; closing it gives the lock back.
func tryLock(f *os.File) (bool, error) {
	c, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	var flockErr error
	err = c.Control(func(fd uintptr) {
		flockErr = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB)
		for errors.Is(flockErr, syscall.EINTR) {
			flockErr = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB)
		}
	})
	if errors.Is(flockErr, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil && flockErr == nil, errors.Join(err, flockErr)
}

// unlock gives the lock back at once. To close the file may not be enough: a
// child process that is being started has it open too, until it runs its program.
func unlock(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		c.Control(func(fd uintptr) { syscall.Flock(int(fd), syscall.LOCK_UN) })
	}
}
