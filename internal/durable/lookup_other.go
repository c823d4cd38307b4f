//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package durable

import "os"

// lookup asks a folder for names.
type lookup struct{ root *os.Root }

func newLookup(root *os.Root) (*lookup, error) { return &lookup{root}, nil }

// exists reports whether there is a file of that name.
func (l *lookup) exists(name string) (bool, error) { return lstat(l.root, name) }

func (l *lookup) close() error { return nil }
