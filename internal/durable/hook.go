package durable

import "errors"

// Op is one operation that is about to touch the disk.
type Op struct {
	Kind string // open, create, read, list, stat, write, sync, truncate, rename, link, remove, syncdir
	Name string // of the file in its folder
	To   string // new name of a rename
	Size int    // bytes of a write; length left by a truncate
}

// Hook is called before every operation of a [Dir], its files and logs. What it
// returns is returned instead of doing the operation, so that tests can make
// any of them fail; see package faultfs.
type Hook func(Op) error

// ShortWrite is what a [Hook] returns to have only the first N bytes written.
type ShortWrite struct {
	N   int
	Err error
}

func (e *ShortWrite) Error() string { return "short write: " + e.Err.Error() }

// Unwrap returns Err.
func (e *ShortWrite) Unwrap() error { return e.Err }

// before asks the hooks whether op may go ahead.
func (d *Dir) before(kind, name string, size int) error {
	return d.beforeOp(Op{Kind: kind, Name: name, Size: size})
}

func (d *Dir) beforeOp(op Op) error {
	for _, h := range d.hooks {
		if err := h(op); err != nil {
			return err
		}
	}
	return nil
}

// allowed is the number of bytes of a write that err lets through.
func allowed(err error, size int) int {
	if s, ok := errors.AsType[*ShortWrite](err); ok {
		return min(max(s.N, 0), size)
	}
	return 0
}
