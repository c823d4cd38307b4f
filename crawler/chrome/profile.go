package chrome

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/webquarry/quarry/internal/durable"
)

const (
	profilePrefix = "quarry-chrome-"
	profileLock   = "lock"
	profileData   = "profile"
)

// profile is the folder of one browser. It is locked as long as we live, so that
// the next to start can tell those of the dead, and removes them.
type profile struct {
	path string
	lock *durable.Lock
}

// newProfile makes a folder under temp, and removes what was left there by
// programs that were killed.
func newProfile(temp string) (*profile, error) {
	sweep(temp)
	for {
		path, err := os.MkdirTemp(temp, profilePrefix)
		if err != nil {
			return nil, err
		}
		lock, err := lockIn(path)
		if err == nil {
			return &profile{path, lock}, nil
		}
		os.RemoveAll(path)
		if !errors.Is(err, durable.ErrLocked) { // by one who sweeps and was quicker
			return nil, err
		}
	}
}

func lockIn(path string) (*durable.Lock, error) {
	d, err := durable.Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Lock(profileLock)
}

// data is the folder that the browser is given.
func (p *profile) data() string { return filepath.Join(p.path, profileData) }

// remove ends what still uses the folder and removes it. A process that is being
// killed may write there until it is gone.
func (p *profile) remove() error {
	for end := time.Now().Add(2 * time.Second); killUsers(p.data()) > 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	p.lock.Unlock()
	return removeAll(p.path)
}

func removeAll(path string) (err error) {
	for end := time.Now().Add(2 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if err = os.RemoveAll(path); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// sweep removes the folders of programs that are dead, and kills the browsers
// that use them.
func sweep(temp string) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return
	}
	for _, e := range entries {
		path := filepath.Join(temp, e.Name())
		if !strings.HasPrefix(e.Name(), profilePrefix) || isNew(path) {
			continue
		}
		if lock, err := lockIn(path); err == nil {
			(&profile{path, lock}).remove()
		}
	}
}

// isNew reports whether a folder was made in this moment and is not locked yet.
func isNew(path string) bool {
	if _, err := os.Stat(filepath.Join(path, profileLock)); err == nil {
		return false
	}
	info, err := os.Stat(path)
	return err != nil || time.Since(info.ModTime()) < time.Minute
}
