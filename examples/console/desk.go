package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/job"
	"github.com/webquarry/quarry/crawler/middleware"
)

// desk has all jobs, and runs them.
type desk struct {
	dir  string
	log  *slog.Logger
	rate *middleware.Rate // of all jobs together

	ctx    context.Context // of all runs
	cancel context.CancelCauseFunc
	runs   sync.WaitGroup

	mu   sync.Mutex // guards what follows
	jobs map[string]*entry

	broken []broken // what could not be opened when the console was started
}

// broken is a job that cannot be opened, and why.
type broken struct{ Name, Why string }

// entry is a job with all that the console has of it.
type entry struct {
	name    string
	job     *job.Job
	catalog *catalog

	mu     sync.Mutex // guards what follows
	failed error      // why it cannot be searched
	latest []document // the last that came
}

// Errors for people.
var (
	errName   = errors.New("a name has letters, digits, dashes and underscores, at most 60")
	errTaken  = errors.New("there is a job of this name")
	errNoJob  = errors.New("there is no job of this name")
	errIsBusy = errors.New("stop it first")
	errClosed = errors.New("the console ends")
)

var nameForm = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}_-]{0,59}$`)

// consoleFolder is where the console keeps its own, in the folder of a job. A job that has
// the file runningFile there is started with the console.
const (
	consoleFolder = "console"
	runningFile   = "running"
)

// openDesk opens the jobs in the folders of a folder, and starts those that were running.
func openDesk(dir string, workers int, log *slog.Logger) (*desk, error) {
	d := &desk{dir: dir, log: log, rate: &middleware.Rate{AtOnce: workers}, jobs: map[string]*entry{}}
	d.ctx, d.cancel = context.WithCancelCause(context.Background())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	folders, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		if !f.IsDir() || !nameForm.MatchString(f.Name()) {
			continue
		}
		e, err := d.open(f.Name())
		switch {
		case errors.Is(err, job.ErrMissing):
			continue
		case err != nil: // the others go on
			d.broken = append(d.broken, broken{f.Name(), err.Error()})
			log.Error("open", "job", f.Name(), "err", err)
			continue
		}
		if _, err := os.Stat(e.path(runningFile)); err == nil {
			d.start(e, false)
		}
	}
	return d, nil
}

func (e *entry) path(name string) string { return filepath.Join(e.job.Dir(), consoleFolder, name) }

// open opens one job.
func (d *desk) open(name string) (*entry, error) {
	e := &entry{name: name}
	j, err := job.Open(filepath.Join(d.dir, name), job.Options{Around: []crawler.Middleware{d.rate.Wrap}})
	if err != nil {
		return nil, err
	}
	e.job = j
	if err := os.MkdirAll(e.path(""), 0o755); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	if e.catalog, err = openCatalog(e); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.jobs[name] = e
	return e, nil
}

// Close stops all runs; they go on when the console is started again.
func (d *desk) Close() (err error) {
	d.cancel(errClosed)
	d.runs.Wait()
	for _, e := range d.list() {
		err = errors.Join(err, e.catalog.Close(), e.job.Close())
	}
	return err
}

// list is all jobs, by name.
func (d *desk) list() []*entry {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]*entry, 0, len(d.jobs))
	for _, e := range d.jobs {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b *entry) int { return strings.Compare(a.name, b.name) })
	return all
}

func (d *desk) find(name string) (*entry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if e := d.jobs[name]; e != nil {
		return e, nil
	}
	return nil, errNoJob
}

// create makes a job.
func (d *desk) create(name string, spec []byte) error {
	if !nameForm.MatchString(name) {
		return errName
	}
	err := job.Create(filepath.Join(d.dir, name), spec)
	if errors.Is(err, job.ErrExists) {
		return errTaken
	}
	if err == nil {
		_, err = d.open(name)
	}
	return err
}

// remove deletes a job with all that it has.
func (d *desk) remove(name string) error {
	e, err := d.find(name)
	if err != nil {
		return err
	}
	if e.running() {
		return errIsBusy
	}
	d.mu.Lock()
	delete(d.jobs, name)
	d.mu.Unlock()
	return errors.Join(e.catalog.Close(), e.job.Close(), os.RemoveAll(filepath.Join(d.dir, name)))
}

func (e *entry) running() bool { return e.job.Status().Run.State == job.Running }

// start has a job run, after all that is known of it was made due if recrawl says so.
func (d *desk) start(e *entry, recrawl bool) {
	if e.running() {
		return
	}
	if err := os.WriteFile(e.path(runningFile), nil, 0o644); err != nil {
		d.log.Error("start", "job", e.name, "err", err)
	}
	d.runs.Go(func() {
		follow, done := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			e.follow(follow)
		}()
		err := e.job.Serve(d.ctx, recrawl)
		if !errors.Is(err, errClosed) && !errors.Is(err, job.ErrRunning) { // else it goes on, now or when the console is started again
			os.Remove(e.path(runningFile))
		}
		done()
		<-ended
	})
}

// followEvery is how often the catalog takes in what has come.
const followEvery = time.Second

// follow has the catalog take in what a run brings, until ctx ends, and what came last.
func (e *entry) follow(ctx context.Context) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			e.takeIn()
			return
		case <-tick.C:
			e.takeIn()
		}
	}
}

func (e *entry) takeIn() {
	latest, err := e.catalog.takeIn(context.Background())
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed = err
	e.latest = append(e.latest, latest...)
	e.latest = e.latest[max(len(e.latest)-mostLatest, 0):]
}

// mostLatest is how many documents are shown as they come.
const mostLatest = 20

// came returns the documents that came last, the newest first, and what went wrong with them.
func (e *entry) came() ([]document, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	latest := slices.Clone(e.latest)
	slices.Reverse(latest)
	return latest, e.failed
}

// exists reports whether there is a file.
func exists(name string) bool {
	_, err := os.Stat(name)
	return !errors.Is(err, fs.ErrNotExist)
}
