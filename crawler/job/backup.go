package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
)

// ErrBackup says that a run cannot begin while the job is backed up.
var ErrBackup = errors.New("job: it is being backed up")

// A Copier copies what another room keeps in the folder of a job, as it is at one moment.
type Copier func(ctx context.Context, from, to string) error

// Backup copies the job to a folder, which must not exist or be empty, as it is at one
// moment: opened there, also on another machine, it goes on from that moment. A run that
// is under way is held up meanwhile, as by Pause: the visits under way end first. copiers
// says how folders within that of the job are copied that other rooms write to whatever
// the run does, such as an index, by their path below it; everything else is copied file by file.
//
// The backup has no job.yaml before it is whole, so half of one is no job. It takes as
// long as its bytes take to be copied.
func (j *Job) Backup(ctx context.Context, to string, copiers map[string]Copier) (err error) {
	if there, err := os.ReadDir(to); err == nil && len(there) > 0 {
		return fmt.Errorf("job: backup: %s is not empty", to)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("job: backup: %w", err)
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("job: backup: %w", err)
	}
	now, goOn, err := j.hold(ctx)
	if err != nil {
		return err
	}
	defer goOn()
	spec, text := j.Spec()
	skip := []string{specFile, lockFile, nextFolder, oldFolder}
	if now != nil {
		if err := moveFrontier(ctx, now.front, filepath.Join(to, frontierFolder)); err != nil {
			return fmt.Errorf("job: backup: %w", err)
		}
		skip = append(skip, frontierFolder)
	}
	if err := copyTree(ctx, j.Dir(), to, ".", skip, copiers); err != nil {
		return fmt.Errorf("job: backup: %s: %w", cmp.Or(spec.Name, j.Dir()), err)
	}
	if now != nil {
		select {
		case <-now.ended:
			return fmt.Errorf("job: backup: the run ended meanwhile: %w", ErrStopped)
		default:
		}
	}
	return writeSynced(filepath.Join(to, specFile), func(w io.Writer) error { _, err := w.Write(text); return err })
}

// hold sees to it that nothing is written by a run until goOn is called. now is the run that
// is held up; nil: there is none, and none can begin.
func (j *Job) hold(ctx context.Context) (now *running, goOn func(), err error) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	var paused *live.Control // by this call
	undo := func() {
		if paused != nil {
			paused.Resume()
		}
	}
	for {
		j.mu.Lock()
		now := j.now
		switch {
		case j.closed:
			err = ErrClosed
		case j.copying:
			err = ErrBackup
		case now == nil:
			j.copying = true
		}
		j.mu.Unlock()
		if err != nil || now == nil {
			undo() // of a run that ended
			return nil, func() {
				j.mu.Lock()
				j.copying = false
				j.mu.Unlock()
			}, err
		}
		if m := now.watch(); m != nil {
			c := m.Control()
			if !c.Paused() {
				c.Pause()
				paused = c
			}
			if now.still(ctx) {
				return now, undo, nil
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			undo()
			return nil, nil, context.Cause(ctx)
		}
	}
}

// still reports whether nothing of a paused run is under way.
func (n *running) still(ctx context.Context) bool {
	n.mu.Lock()
	front, control := n.front, n.control
	n.mu.Unlock()
	for _, w := range control.Workers() {
		if w.URL != "" || w.Looking {
			return false
		}
	}
	if front == nil {
		return false
	}
	s, err := front.Stats(ctx)
	return err == nil && s.Leased == 0
}

// moveFrontier makes a folder of a frontier that is open.
func moveFrontier(ctx context.Context, from *frontier.Disk, to string) error {
	r, w := io.Pipe()
	go func() { w.CloseWithError(from.Export(ctx, w)) }()
	err := frontier.Import(to, r, nil)
	r.CloseWithError(err) // so that Export ends
	return err
}

// copyTree copies a folder below a root, but for the names that are skipped at its top.
func copyTree(ctx context.Context, from, to, at string, skip []string, copiers map[string]Copier) error {
	entries, err := os.ReadDir(filepath.Join(from, at))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name := filepath.Join(at, e.Name())
		if at == "." && slices.Contains(skip, name) {
			continue
		}
		switch own := copiers[filepath.ToSlash(name)]; {
		case own != nil:
			err = own(ctx, filepath.Join(from, name), filepath.Join(to, name))
		case e.IsDir():
			if err = os.Mkdir(filepath.Join(to, name), 0o755); err == nil {
				err = copyTree(ctx, from, to, name, nil, copiers)
			}
		case e.Type().IsRegular():
			err = copyFile(filepath.Join(from, name), filepath.Join(to, name))
		}
		if errors.Is(err, fs.ErrNotExist) { // a temporary file that is gone
			if _, there := os.Lstat(filepath.Join(from, name)); errors.Is(there, fs.ErrNotExist) {
				err = nil
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeSynced(to, func(w io.Writer) error { _, err := io.Copy(w, in); return err })
}

// writeSynced writes a new file to the disk.
func writeSynced(name string, write func(io.Writer) error) error {
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	err = write(out)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}
