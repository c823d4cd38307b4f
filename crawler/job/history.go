package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/internal/durable"
)

// State is how a run stands, or how it ended.
type State string

// The states of a run.
const (
	Running     State = "running"
	Done        State = "done"        // nothing was left to visit, or a budget was met
	Waiting     State = "waiting"     // nothing was left but what waits for hosts that cannot be reached, or that asked for a long rest
	Stopped     State = "stopped"     // by Stop, or because the context ended
	Failed      State = "failed"      // the run could not go on
	Interrupted State = "interrupted" // the program died
)

// Run is one run of a job.
type Run struct {
	Number  int       `json:"number"` // from 1 on
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended,omitzero"`
	State   State     `json:"state"`
	Error   string    `json:"error,omitempty"`
	Recrawl bool      `json:"recrawl,omitempty"` // all pages that were known came again
	Pages   Counts    `json:"pages"`
	Bytes   int64     `json:"bytes"` // of bodies as they came over the wire

	Skipped map[string]int       `json:"skipped,omitempty"` // URLs that are no pages, by reason
	Failed  map[crawler.Kind]int `json:"failed,omitempty"`  // URLs that could not be had, by kind of error
	Retries int                  `json:"retries,omitempty"`
}

// mostRuns is how many runs a history has, the last ones.
const mostRuns = 500

// history is the runs of a job.
type history []Run

// readHistory reads that of the job in a folder, which may be running.
func readHistory(dir string) (h history, err error) {
	text, err := os.ReadFile(filepath.Join(dir, runsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	if err != nil {
		return nil, fmt.Errorf("job: %s: %w", filepath.Join(dir, runsFile), err)
	}
	return h, nil
}

// with is the history with a run, which is new or its last one.
func (h history) with(r Run) history {
	if n := len(h); n > 0 && h[n-1].Number == r.Number {
		h = h[:n-1]
	}
	h = append(slices.Clone(h), r)
	return h[max(len(h)-mostRuns, 0):]
}

func (h history) last() (r Run, ok bool) {
	if len(h) == 0 {
		return Run{}, false
	}
	return h[len(h)-1], true
}

// write puts it on the disk.
func (h history) write(dir *durable.Dir) error {
	text, err := json.MarshalIndent(h, "", " ")
	if err != nil {
		return err
	}
	return dir.Replace(runsFile, append(text, '\n'))
}
