package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/crawler/monitor"
	"github.com/webquarry/quarry/crawler/recrawl"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/internal/durable"
)

// What is in the folder of a job besides its outputs.
const (
	specFile       = "job.yaml"
	runsFile       = "runs.json"
	logFile        = "log.jsonl"
	lockFile       = "lock"
	frontierFolder = "frontier"
	nextFolder     = "frontier.next" // while a recrawl is prepared
	oldFolder      = "frontier.old"
	robotsFolder   = "robots"
	trapFile       = "traps"
	dedupFile      = "dedup"
	cookieFile     = "cookies"
)

var ownFiles = []string{specFile, runsFile, logFile, lockFile, frontierFolder, nextFolder, oldFolder, robotsFolder, trapFile, dedupFile, cookieFile}

// Errors that errors.Is finds.
var (
	ErrExists  = errors.New("job: there is a job in this folder")
	ErrMissing = errors.New("job: there is no job in this folder")
	ErrLocked  = errors.New("job: another program has this job open")
	ErrRunning = errors.New("job: it is running")
	ErrStopped = errors.New("job: it was stopped")
	ErrClosed  = errors.New("job: it is closed")
)

// A Job is a crawl in a folder: its spec (job.yaml), what is known and what waits
// (frontier, robots, traps, dedup, cookies), its log (log.jsonl), the history of its runs
// (runs.json) and what was written. One program at a time has it open. All methods may
// be called from many goroutines.
type Job struct {
	dir  *durable.Dir
	lock *durable.Lock
	opt  Options

	mu      sync.Mutex // guards what follows
	text    []byte
	spec    *Spec
	history history
	now     *running                // nil: no run is under way
	wake    context.CancelCauseFunc // ends the wait for the next run of Serve; nil: nobody waits
	closed  bool
	copying bool // no run can begin, as the folder is copied
}

// running is a run that is under way.
type running struct {
	run     Run
	control *live.Control
	stop    context.CancelCauseFunc
	ended   chan struct{}

	mu      sync.Mutex // guards what follows
	summary crawler.Summary
	counter *counter         // nil before the Crawler is made
	monitor *monitor.Monitor // nil before that
	front   *frontier.Disk   // likewise
}

// Create makes a job in a folder, which it creates if need be. The error is a *[SpecError]
// for a spec that makes no sense, and [ErrExists] where there is a job.
func Create(dir string, spec []byte) error {
	if _, err := Parse(spec); err != nil {
		return err
	}
	d, err := durable.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	there, err := d.Exists(specFile)
	if err != nil {
		return err
	}
	if there {
		return fmt.Errorf("%w: %s", ErrExists, dir)
	}
	return d.Replace(specFile, spec)
}

// Open opens the job in a folder.
func Open(dir string, opt Options) (_ *Job, err error) {
	text, err := os.ReadFile(filepath.Join(dir, specFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrMissing, dir)
	}
	if err != nil {
		return nil, err
	}
	j := &Job{opt: opt, text: text}
	if j.spec, err = Parse(text); err != nil {
		return nil, err
	}
	if j.dir, err = durable.Open(dir); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, j.dir.Close())
		}
	}()
	if j.lock, err = j.dir.Lock(lockFile); err != nil {
		if _, ok := errors.AsType[*durable.LockedError](err); ok {
			err = fmt.Errorf("%w: %w", ErrLocked, err)
		}
		return nil, err
	}
	if j.history, err = readHistory(dir); err == nil {
		err = j.settle()
	}
	if err != nil {
		return nil, errors.Join(err, j.lock.Unlock())
	}
	return j, nil
}

// settle ends what a program was kept from ending by its death.
func (j *Job) settle() error {
	if err := recrawl.Settle(filepath.Join(j.Dir(), frontierFolder)); err != nil {
		return err
	}
	if last, ok := j.history.last(); ok && last.State == Running {
		last.State = Interrupted
		j.history = j.history.with(last)
		return j.history.write(j.dir)
	}
	return nil
}

// Close stops the run that is under way, waits for it, and lets go of the folder.
func (j *Job) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return nil
	}
	j.closed = true
	now := j.now
	if j.wake != nil {
		j.wake(ErrClosed)
	}
	j.mu.Unlock()
	if now != nil {
		now.stop(ErrClosed)
		<-now.ended
	}
	return errors.Join(j.lock.Unlock(), j.dir.Close())
}

// Dir returns the folder.
func (j *Job) Dir() string { return j.dir.Path() }

// Spec returns what is crawled and how, and the text that says so. It is not to be changed.
func (j *Job) Spec() (*Spec, []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.spec, slices.Clone(j.text)
}

// SetSpec gives the job another spec, for the runs to come. What was visited stays so.
func (j *Job) SetSpec(text []byte) error {
	spec, err := Parse(text)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.idle(); err != nil {
		return err
	}
	if err := j.dir.Replace(specFile, text); err != nil {
		return err
	}
	j.text, j.spec = slices.Clone(text), spec
	return nil
}

// idle says why nothing can be changed now. The lock is held.
func (j *Job) idle() error {
	switch {
	case j.closed:
		return ErrClosed
	case j.now != nil:
		return ErrRunning
	case j.copying:
		return ErrBackup
	}
	return nil
}

// Run runs the job to the end of what there is to visit, or of its budget, or until it is
// stopped; what earlier runs have visited is not visited again before its time. It
// returns [ErrStopped] after Stop and the cause when ctx is done. A
// *crawler.UnfinishedError says that hosts rest: a later run goes on with them.
func (j *Job) Run(ctx context.Context) error { return j.run(ctx, kind{}) }

// Recrawl is Run after it has made all pages that are known due: new, changed and gone
// ones are told to the outputs, and counted in the Run.
func (j *Job) Recrawl(ctx context.Context) error { return j.run(ctx, kind{recrawl: true}) }

// Serve runs the job and has pages come again as its spec says, by recrawl.schedule or
// recrawl.every, until ctx is done, Stop is called or a run fails. A job of which neither is said is run once.
// Where recrawl says first, the first run is a Recrawl.
func (j *Job) Serve(ctx context.Context, recrawl bool) error {
	spec, _ := j.Spec()
	err := j.run(ctx, kind{recrawl: recrawl, endless: spec.Recrawl.Every > 0})
	for err == nil || isUnfinished(err) {
		spec, _ = j.Spec()
		at := spec.Recrawl.next(time.Now())
		if at.IsZero() {
			return err
		}
		if err := j.sleep(ctx, time.Until(at)); err != nil {
			return err
		}
		err = j.run(ctx, kind{recrawl: true})
	}
	return err
}

// sleep waits between two runs.
func (j *Job) sleep(ctx context.Context, d time.Duration) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return ErrClosed
	}
	j.wake = stop
	j.mu.Unlock()
	defer func() {
		j.mu.Lock()
		j.wake = nil
		j.mu.Unlock()
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// kind is what a run is for.
type kind struct {
	recrawl bool // all that is known is due
	endless bool // it waits for what is due later
}

func isUnfinished(err error) bool {
	_, ok := errors.AsType[*crawler.UnfinishedError](err)
	return ok
}

// run is a run from its beginning to its end.
func (j *Job) run(ctx context.Context, k kind) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	now, spec, err := j.begin(stop, k)
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	saved := make(chan struct{})
	go func() {
		defer close(saved)
		j.save(now, ended)
	}()
	err = j.crawl(ctx, now, spec, k)
	close(ended)
	<-saved
	return j.end(ctx, now, err)
}

// begin notes that a run begins.
func (j *Job) begin(stop context.CancelCauseFunc, k kind) (*running, *Spec, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.idle(); err != nil {
		return nil, nil, err
	}
	last, _ := j.history.last()
	now := &running{run: Run{Number: last.Number + 1, Began: time.Now().UTC().Truncate(time.Millisecond), State: Running, Recrawl: k.recrawl},
		control: new(live.Control), stop: stop, ended: make(chan struct{})}
	h := j.history.with(now.run)
	if err := h.write(j.dir); err != nil {
		return nil, nil, err
	}
	j.history, j.now = h, now
	return now, j.spec, nil
}

// saveEvery is how much of the figures of a run a crash may lose.
const saveEvery = 5 * time.Second

// save writes the figures of a run down, until it has ended.
func (j *Job) save(now *running, ended <-chan struct{}) {
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			j.mu.Lock()
			h := j.history.with(now.figures())
			j.mu.Unlock()
			_ = h.write(j.dir) // what it cannot write the end of the run will tell
		}
	}
}

// figures is the run as it stands.
func (n *running) figures() Run {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := n.run
	r.Bytes, r.Skipped, r.Failed, r.Retries = n.summary.Bytes, n.summary.Skipped, n.summary.Failed, n.summary.Retries
	if n.counter != nil {
		r.Pages = n.counter.counts()
	}
	return r
}

// end notes how a run ended.
func (j *Job) end(ctx context.Context, now *running, err error) error {
	r := now.figures()
	r.Ended = time.Now().UTC().Truncate(time.Millisecond)
	switch {
	case err == nil:
		r.State = Done
	case isUnfinished(err):
		r.State, r.Error = Waiting, err.Error()
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		r.State = Stopped
	default:
		r.State, r.Error = Failed, err.Error()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.history, j.now = j.history.with(r), nil
	if werr := j.history.write(j.dir); werr != nil {
		err = errors.Join(err, werr)
	}
	close(now.ended)
	return err
}

// crawl is what a run does.
func (j *Job) crawl(ctx context.Context, now *running, spec *Spec, k kind) (err error) {
	log, err := j.openLog(now.run.Number)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	fo := frontier.Options{Limits: spec.Pace.limits(spec.Budget)}
	if k.endless {
		fo.Horizon = -1
	}
	if k.recrawl {
		if _, err := os.Stat(filepath.Join(j.Dir(), frontierFolder)); err == nil {
			if err := recrawl.Renew(ctx, filepath.Join(j.Dir(), frontierFolder), fo); err != nil {
				return err
			}
		}
	}
	front, err := frontier.Open(filepath.Join(j.Dir(), frontierFolder), fo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, front.Close()) }()
	r, err := wire(spec, &j.opt, j.Dir(), front, log.Logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	count := &counter{}
	if count.into, err = r.outputs(ctx, now.run.Number > 1); err != nil {
		return err
	}
	if r.Sink = count; spec.Dedup == "drop" {
		if r.Sink, err = r.dropDuplicates(count); err != nil {
			return err
		}
	}
	r.OnEvent = func(e crawler.Event) {
		now.mu.Lock()
		now.summary = e.Summary
		now.mu.Unlock()
		if j.opt.OnEvent != nil {
			j.opt.OnEvent(e)
		}
	}
	m := monitor.New(&r.Crawler, monitor.Options{Judges: r.judges})
	now.mu.Lock()
	now.counter, now.monitor, now.control, now.front = count, m, m.Control(), front
	now.mu.Unlock()
	return r.Run(m.Watch(ctx), spec.Seeds...)
}

// Stop ends the run that is under way, and Serve, and waits until the run has ended; the next
// one goes on where it was. It returns the cause when ctx is done before that.
func (j *Job) Stop(ctx context.Context) error {
	j.mu.Lock()
	now := j.now
	if j.wake != nil {
		j.wake(ErrStopped)
	}
	j.mu.Unlock()
	if now == nil {
		return nil
	}
	now.stop(ErrStopped)
	select {
	case <-now.ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (j *Job) current() *running {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.now
}

// Pause holds up the run that is under way: visits that have begun end, and no other begins
// before Resume. It reports whether there is a run.
func (j *Job) Pause() bool { return j.control(func(c *live.Control) { c.Pause() }) }

// Resume ends a Pause, and reports whether there is a run.
func (j *Job) Resume() bool { return j.control(func(c *live.Control) { c.Resume() }) }

func (j *Job) control(do func(*live.Control)) bool {
	now := j.current()
	if now == nil {
		return false
	}
	now.mu.Lock()
	defer now.mu.Unlock()
	if now.monitor == nil {
		return false
	}
	do(now.control)
	return true
}

// Status is how a job stands.
type Status struct {
	Run    Run            `json:"run"`            // the one that is under way, or the last one; zero: there was none
	Paused bool           `json:"paused"`         // the run is held up
	Live   *monitor.State `json:"live,omitempty"` // of the run that is under way; nil: there is none, or it is about to begin
	Next   time.Time      `json:"next,omitzero"`  // when the schedule has all pages come again; zero: it has none
}

// Status says how the job stands.
func (j *Job) Status() Status {
	j.mu.Lock()
	now, spec := j.now, j.spec
	var s Status
	s.Run, _ = j.history.last()
	j.mu.Unlock()
	s.Next = spec.Recrawl.next(time.Now())
	if now == nil {
		return s
	}
	s.Run = now.figures()
	if m := now.watch(); m != nil {
		state := m.State(true)
		s.Live, s.Paused = &state, m.Control().Paused()
	}
	return s
}

func (n *running) watch() *monitor.Monitor {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.monitor
}

// Monitor shows the run that is under way; nil: there is none, or it is about to begin.
func (j *Job) Monitor() *monitor.Monitor {
	if now := j.current(); now != nil {
		return now.watch()
	}
	return nil
}

// Runs returns the history, of at most 500 runs, the last one at the end.
func (j *Job) Runs() []Run {
	j.mu.Lock()
	defer j.mu.Unlock()
	h := slices.Clone(j.history)
	if j.now != nil {
		h = h.with(j.now.figures())
	}
	return h
}

// Runs returns the history of the job in a folder, which another program may have open.
func Runs(dir string) ([]Run, error) { return readHistory(dir) }

// logger is the log in the folder.
type logger struct {
	*slog.Logger
	file *os.File
}

// maxLog is the size at which a log is put aside, once.
const maxLog = 64 << 20

// openLog opens the log for a run.
func (j *Job) openLog(run int) (*logger, error) {
	name := filepath.Join(j.Dir(), logFile)
	if info, err := os.Stat(name); err == nil && info.Size() > maxLog {
		if err := os.Rename(name, name+".old"); err != nil {
			return nil, err
		}
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	handlers := []slog.Handler{slog.NewJSONHandler(file, &slog.HandlerOptions{Level: slog.LevelInfo})}
	if j.opt.Log != nil {
		handlers = append(handlers, j.opt.Log.Handler())
	}
	spec, _ := j.Spec()
	log := slog.New(slog.NewMultiHandler(handlers...)).With("job", cmp.Or(spec.Name, filepath.Base(j.Dir())), "run", run)
	return &logger{log, file}, nil
}

// Close closes the file.
func (l *logger) Close() error { return l.file.Close() }
