package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
)

// count is how far the reading has come.
type count struct {
	answers, pages, damaged atomic.Int64
	first                   atomic.Pointer[error] // of what could not be read
}

func (n *count) damage(err error) {
	n.damaged.Add(1)
	n.first.CompareAndSwap(nil, &err)
}

// String is the state in a few words.
func (n *count) String() string {
	return fmt.Sprintf("warcsearch: %d pages of %d answers indexed, %d places not readable", n.pages.Load(), n.answers.Load(), n.damaged.Load())
}

// inVain is an error where there was something to read and nothing could be read.
func (n *count) inVain() error {
	if n.answers.Load() > 0 || n.damaged.Load() == 0 {
		return nil
	}
	return errors.New("nothing could be read")
}

// print writes how it ended.
func (n *count) print(w io.Writer) {
	fmt.Fprintln(w, n)
	if err := n.first.Load(); err != nil {
		fmt.Fprintf(w, "warcsearch: the first place that was not readable: %s\n", strings.ReplaceAll((*err).Error(), "\n", "; "))
	}
}
