package frontier

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/webquarry/quarry/frontier/internal/store"
	"github.com/webquarry/quarry/internal/durable"
)

// The folder of a [Disk] holds
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
	lockFile  = "lock"
	stateName = "state-"
	logName   = "log-"
)

func fileName(kind string, generation uint64) string {
	return fmt.Sprintf("%s%06d", kind, generation)
}

// listing is what is in the folder.
type listing struct {
	state uint64   // generation of the newest state; 0: there is none
	logs  []uint64 // generations of the logs to be read
	runs  []string // all that are there
	stale []string
}

// survey sorts out the files of a folder. Names that are not ours are left alone.
func survey(dir *durable.Dir) (listing, error) {
	names, err := dir.List()
	if err != nil {
		return listing{}, err
	}
	var l listing
	for _, name := range names {
		l.state = max(l.state, generation(name, stateName))
	}
	for _, name := range names {
		state, log := generation(name, stateName), generation(name, logName)
		switch {
		case strings.HasSuffix(name, ".tmp") && (strings.HasPrefix(name, stateName) || strings.HasPrefix(name, logName)):
			l.stale = append(l.stale, name)
		case state > 0 && state < l.state, log > 0 && log < l.state:
			l.stale = append(l.stale, name)
		case generation(name, store.RunName) > 0:
			l.runs = append(l.runs, name)
		case log > 0:
			l.logs = append(l.logs, log)
		}
	}
	want := max(l.state, 1)
	if l.state > 0 && len(l.logs) == 0 {
		return l, missing(dir, want)
	}
	for _, g := range l.logs {
		if g != want {
			return l, missing(dir, want)
		}
		want++
	}
	return l, nil
}

// stateSize is the size of a state; 0: there is none.
func stateSize(dir *durable.Dir, generation uint64) (int64, error) {
	if generation == 0 {
		return 0, nil
	}
	st, err := os.Stat(filepath.Join(dir.Path(), fileName(stateName, generation)))
	if err != nil {
		return 0, err
	}
	return st.Size(), nil
}

func missing(dir *durable.Dir, generation uint64) error {
	return &durable.CorruptError{File: filepath.Join(dir.Path(), fileName(logName, generation)), Err: fs.ErrNotExist}
}

// generation is the number in the name of a file of some kind, or 0.
func generation(name, kind string) uint64 {
	digits, ok := strings.CutPrefix(name, kind)
	var g uint64
	if _, err := fmt.Sscanf(digits, "%d", &g); !ok || err != nil || fileName(kind, g) != name {
		return 0
	}
	return g
}

// discard removes files that are not needed any more.
func discard(dir *durable.Dir, names []string) error {
	for _, name := range names {
		if err := dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
