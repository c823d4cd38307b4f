//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package durable

import (
	"syscall"
	"testing"
)

// TestUnlockAmidFork: a lock that was given back is free, even if a child
// process that is just being started still has its file open.
func TestUnlockAmidFork(t *testing.T) {
	t.Parallel()
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l, err := d.Lock("lock")
	if err != nil {
		t.Fatal(err)
	}
	child := -1
	c, err := l.f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Control(func(fd uintptr) { child, err = syscall.Dup(int(fd)) }); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	if err := l.Unlock(); err != nil {
		t.Fatal(err)
	}
	again, err := d.Lock("lock")
	if err != nil {
		t.Fatal(err)
	}
	again.Unlock()
}
