package wal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/webquarry/quarry/frontier/internal/seen"
	"github.com/webquarry/quarry/frontier/internal/store"
	"github.com/webquarry/quarry/internal/durable"
)

// The folder of a frontier holds
//
//	lock          who has it open
//	state-000007  all that was known when generation 7 began; none at first
//	log-000007    what was decided since
//	run-000012    requests that are not in memory, see package store
//	seen, seen-000003  all URLs ever added, see internal/seen
//	stats         what it holds, for other processes
//
// To open it, the newest state is read and then the logs of its generation and
// later ones in order, all but the last of which are closed. Older files are
// left over from a compaction, as are runs that the state does not name, and names
// that end in .tmp from what was never finished; all these are removed.
const (
	LockFile  = "lock"
	StateName = "state-"
	LogName   = "log-"
)

// FileName is the name of a file of some kind.
func FileName(kind string, generation uint64) string {
	return fmt.Sprintf("%s%06d", kind, generation)
}

// listing is what is in the folder.
type listing struct {
	State uint64   // generation of the newest state; 0: there is none
	Logs  []uint64 // generations of the logs to be read
	Runs  []string // all that are there
	Stale []string
}

// Survey sorts out the files of a folder. Names that are not ours are left alone.
func Survey(dir *durable.Dir) (listing, error) {
	names, err := dir.List()
	if err != nil {
		return listing{}, err
	}
	var l listing
	for _, name := range names {
		l.State = max(l.State, generation(name, StateName))
	}
	for _, name := range names {
		state, log := generation(name, StateName), generation(name, LogName)
		switch {
		case strings.HasSuffix(name, ".tmp") && (strings.HasPrefix(name, StateName) || strings.HasPrefix(name, LogName)):
			l.Stale = append(l.Stale, name)
		case state > 0 && state < l.State, log > 0 && log < l.State:
			l.Stale = append(l.Stale, name)
		case generation(name, store.RunName) > 0:
			l.Runs = append(l.Runs, name)
		case log > 0:
			l.Logs = append(l.Logs, log)
		}
	}
	want := max(l.State, 1)
	if l.State > 0 && len(l.Logs) == 0 {
		return l, missing(dir, want)
	}
	for _, g := range l.Logs {
		if g != want {
			return l, missing(dir, want)
		}
		want++
	}
	return l, nil
}

// StateSize is the size of a state; 0: there is none.
func StateSize(dir *durable.Dir, generation uint64) (int64, error) {
	if generation == 0 {
		return 0, nil
	}
	st, err := os.Stat(filepath.Join(dir.Path(), FileName(StateName, generation)))
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

func missing(dir *durable.Dir, generation uint64) error {
	return &durable.CorruptError{File: filepath.Join(dir.Path(), FileName(LogName, generation)), Err: fs.ErrNotExist}
}

// IsFile says whether a name is that of a file which holds a part of a frontier.
func IsFile(name string) bool {
	for _, kind := range [...]string{StateName, LogName, store.RunName} {
		if generation(name, kind) > 0 {
			return true
		}
	}
	return seen.IsFile(name)
}

// generation is the number in the name of a file of some kind, or 0.
func generation(name, kind string) uint64 {
	digits, ok := strings.CutPrefix(name, kind)
	var g uint64
	if _, err := fmt.Sscanf(digits, "%d", &g); !ok || err != nil || FileName(kind, g) != name {
		return 0
	}
	return g
}

// Discard removes files that are not needed any more.
func Discard(dir *durable.Dir, names []string) error {
	for _, name := range names {
		if err := dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
