package faultfs

import (
	"errors"
	"fmt"
	"iter"
	"sync"
	"syscall"

	"github.com/webquarry/quarry/internal/durable"
)

// ErrInjected is matched by the errors of [Fail] and [Crash].
var ErrInjected = errors.New("faultfs: injected fault")

// Fault decides which operations fail. It may be used from many goroutines.
type Fault struct {
	first, last int // operations that fail, from 1
	room        int // bytes that can be written; negative: any number

	mu    sync.Mutex
	ops   int
	fired bool
}

// Fail makes the n-th operation fail, from 1, and no other. Zero makes none
// fail, which counts them. A write that fails writes nothing.
func Fail(n int) *Fault { return &Fault{first: n, last: n, room: -1} }

// Crash makes the n-th operation and all after it fail, as if the process had
// died there: if the n-th is a write, its first half is written.
func Crash(n int) *Fault { return &Fault{first: n, last: int(^uint(0) >> 1), room: -1} }

// Full is a disk with room for so many bytes. The write that finds no room
// writes what fits and fails with ENOSPC, as do later ones; all else works.
func Full(bytes int) *Fault { return &Fault{room: bytes} }

// Fails yields Fail(1), Fail(2), ... as long as the last one has fired.
func Fails() iter.Seq[*Fault] { return each(Fail) }

// Crashes yields Crash(1), Crash(2), ... as long as the last one has fired.
func Crashes() iter.Seq[*Fault] { return each(Crash) }

func each(make func(int) *Fault) iter.Seq[*Fault] {
	return func(yield func(*Fault) bool) {
		for n := 1; ; n++ {
			if f := make(n); !yield(f) || !f.Fired() {
				return
			}
		}
	}
}

// Hook is a [durable.Hook].
func (f *Fault) Hook(op durable.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ops++
	if f.room >= 0 {
		return f.write(op)
	}
	if f.first == 0 || f.ops < f.first || f.ops > f.last {
		return nil
	}
	f.fired = true
	err := fmt.Errorf("%w at operation %d, %s %s", ErrInjected, f.ops, op.Kind, op.Name)
	if op.Kind == "write" && f.ops == f.first && f.last > f.first {
		return &durable.ShortWrite{N: op.Size / 2, Err: err}
	}
	return err
}

// write takes room for a write.
func (f *Fault) write(op durable.Op) error {
	if op.Kind != "write" {
		return nil
	}
	if op.Size <= f.room {
		f.room -= op.Size
		return nil
	}
	f.fired = true
	n := f.room
	f.room = 0
	return &durable.ShortWrite{N: n, Err: syscall.ENOSPC}
}

// Stop makes all operations fail from now on.
func (f *Fault) Stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.first, f.last = f.ops+1, int(^uint(0)>>1)
}

// Ops returns how many operations there were.
func (f *Fault) Ops() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ops
}

// Fired says whether an operation has failed.
func (f *Fault) Fired() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fired
}
