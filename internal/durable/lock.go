package durable

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// How long a second opener waits for the holder to write down who it is.
const (
	nameTries = 10
	nameWait  = 5 * time.Millisecond
)

// Lock is held by one opener of a folder at a time. The system takes it back
// when the process ends, however that happens.
type Lock struct {
	f    *os.File
	once sync.Once
	err  error
}

// Lock takes the lock of that name in the folder. When it is held, by another
// process or by this one, Lock does not wait for it but returns a
// *[LockedError] within 100 ms.
func (d *Dir) Lock(name string) (*Lock, error) {
	if err := d.before("open", name, 0); err != nil {
		return nil, d.fail("lock", name, err)
	}
	f, err := d.root.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, d.fail("lock", name, err)
	}
	for try := 1; ; try++ {
		ok, err := tryLock(f)
		switch {
		case err != nil:
			f.Close()
			return nil, d.fail("lock", name, err)
		case ok:
			return d.locked(name, f)
		}
		holder, full := readHolder(f)
		if full || try == nameTries {
			f.Close()
			return nil, &LockedError{Path: filepath.Join(d.path, name), Holder: cmp.Or(holder, "another process")}
		}
		time.Sleep(nameWait)
	}
}

// locked writes down who holds the lock, in one line.
func (d *Dir) locked(name string, f *os.File) (*Lock, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "this host"
	}
	line := fmt.Sprintf("pid %d on %s since %s\n", os.Getpid(), host, time.Now().UTC().Format(time.RFC3339))
	if err = d.before("write", name, len(line)); err == nil {
		if err = f.Truncate(0); err == nil {
			_, err = f.WriteAt([]byte(line), 0)
		}
	}
	if err != nil {
		f.Close()
		return nil, d.fail("lock", name, err)
	}
	return &Lock{f: f}, nil
}

// Unlock gives the lock back. The file stays: to remove it would let two
// openers lock two files of the same name.
func (l *Lock) Unlock() error {
	l.once.Do(func() {
		// So that nobody reads of a holder that is gone; the next one writes
		// its own line, so it does not matter if this fails.
		l.f.Truncate(0)
		unlock(l.f)
		l.err = l.f.Close()
	})
	return l.err
}

// readHolder returns the line of the holder, and whether it is all there.
func readHolder(f *os.File) (string, bool) {
	b := make([]byte, 512)
	n, _ := f.ReadAt(b, 0)
	return strings.CutSuffix(string(b[:n]), "\n")
}
