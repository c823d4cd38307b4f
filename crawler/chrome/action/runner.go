package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/crawler/urlnorm"
)

const (
	stepTimeout = 30 * time.Second
	loopGrace   = 30 * time.Second // of a loop's deadline over its max-time
	maxReports  = 10_000
	maxFiles    = 1000
	maxRecords  = 100_000
	maxPages    = 10_000
	maxBytes    = 256 << 20 // of pages and files
)

// Runner runs chains. Its zero value is ready; it may be used by many goroutines
// as long as it is not changed.
type Runner struct {
	URL      string                                    // that the first navigate may be relative to; later ones are to the page
	Schema   *extract.Schema                           // of extract steps that have none
	Sessions *Sessions                                 // of login; nil: each chain logs in
	Lookup   func(name string) (value string, ok bool) // of the environment; os.LookupEnv
	Allow    func(url string) error                    // asked before navigate and login open a URL; an error fails the step
	Canon    *urlnorm.Profile                          // of links found; nil: the default profile with hash routes kept
	OnReport func(Report)                              // called when a step begins, with End Begun, and when it ends; not at the same time
}

// run is a chain at work.
type run struct {
	*Runner
	*tab
	result  *Result
	at      string                     // the step at work
	each    []element                  // that the for-each loops around are at
	seen    map[string]map[string]bool // records, by the extract step without its rounds
	waiting []Set                      // for a page
	secrets []string
	bytes   int
	named   map[string]bool // files
}

// element is what a for-each loop is at.
type element struct {
	sel Selector
	nth int // from 1 on
}

// Run runs the chain in the tab of ctx, a chromedp context, and returns what was
// found even if a step fails: the error is then a *[StepError], with the failing
// step's picture among the files. Neither the tab nor the browser is closed,
// whatever happens. What is wrong with a chain made in Go is an error before
// anything is done.
//
// Of dialogs, alert and beforeunload are accepted as they come; confirm and
// prompt are answered with no.
func (r *Runner) Run(ctx context.Context, c *Chain) (*Result, error) {
	if err := checkAll(c); err != nil {
		return nil, fmt.Errorf("action: %w", err)
	}
	limit := c.Limit()
	ctx, stop := context.WithTimeoutCause(ctx, limit, &timeout{whose: "the chain's " + limit.String()})
	defer stop()
	t, ctx, err := open(ctx)
	if err != nil {
		return nil, fmt.Errorf("action: %w", err)
	}
	defer t.close()
	w := &run{Runner: r, tab: t, result: new(Result), seen: map[string]map[string]bool{}, named: map[string]bool{}}
	return w.result, w.steps(ctx, c.Steps, "")
}

func stepPath(prefix string, i int) string {
	if prefix == "" {
		return fmt.Sprint(i + 1)
	}
	return fmt.Sprintf("%s.%d", prefix, i+1)
}

// steps does the steps. The error is a *StepError.
func (r *run) steps(ctx context.Context, steps Steps, prefix string) error {
	for i, s := range steps {
		if err := r.step(ctx, s, stepPath(prefix, i)); err != nil {
			return err
		}
	}
	return nil
}

// round does the steps of a round of the loop at work.
func (r *run) round(ctx context.Context, steps Steps, n int) error {
	at := r.at
	defer func() { r.at = at }()
	return r.steps(ctx, steps, fmt.Sprintf("%s[%d]", at, n))
}

// patient is an action that has a limit of its own for its time.
type patient interface{ patience() time.Duration }

func (s Step) deadline() time.Duration {
	limit := stepTimeout
	if p, ok := s.Do.(patient); ok {
		limit = p.patience() + loopGrace
	}
	return cmp.Or(s.Timeout, limit)
}

func (r *run) step(ctx context.Context, s Step, path string) error {
	limit := s.deadline()
	rep := Report{Step: path, Name: s.Name, Action: s.Do.kind()}
	r.at = path
	r.tell(rep)
	start := time.Now()
	own, stop := context.WithTimeoutCause(ctx, limit, &timeout{whose: "the step's " + limit.String()})
	out, err := s.Do.do(own, r)
	err = deadline(own, err)
	stop()
	rep.Took, rep.End, rep.Note = time.Since(start), out.end, r.redact(out.note)
	if inner, ok := errors.AsType[*StepError](err); ok && !s.Optional {
		rep.End, rep.Err = inner.Report.End, fmt.Errorf("step %s failed", inner.Report.Step)
		r.end(rep)
		return inner // which is where it happened
	}
	if err != nil {
		rep.End, rep.Err = Failed, r.redactError(err)
		if errors.Is(err, ErrTimeout) {
			rep.End = Timeout
		}
	}
	r.end(rep)
	if err == nil || s.Optional && context.Cause(ctx) == nil {
		return nil
	}
	return &StepError{Report: rep, Screenshot: r.picture(ctx, path)}
}

// deadline makes the error of a context that ended say whose deadline it was,
// or why.
func deadline(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*StepError](err); ok {
		return err
	}
	cause := context.Cause(ctx)
	if t, ok := errors.AsType[*timeout](cause); ok {
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			err = nil
		}
		if p, ok := errors.AsType[*pending](err); ok {
			err = p.why
		}
		return &timeout{whose: t.whose, why: err}
	}
	if cause != nil {
		return cause
	}
	return err
}

func (r *run) tell(rep Report) {
	if r.OnReport != nil {
		r.OnReport(rep)
	}
}

// end takes down a report.
func (r *run) end(rep Report) {
	r.tell(rep)
	if len(r.result.Reports) < maxReports || rep.Err != nil || !strings.Contains(rep.Step, "[") {
		r.result.Reports = append(r.result.Reports, rep)
	}
}

// picture takes a picture of a failure, if the page lets it.
func (r *run) picture(ctx context.Context, path string) string {
	cause := context.Cause(ctx)
	if cause != nil && !errors.Is(cause, ErrTimeout) {
		return ""
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	body, err := r.capture(ctx, Screenshot{}, "png")
	if err != nil {
		return ""
	}
	return r.keep(File{Name: "failed-" + path + ".png", Type: "image/png", Body: body})
}

// keep adds a file under a name that no other has.
func (r *run) keep(f File) string {
	name, n := f.Name, 1
	for r.named[f.Name] {
		n++
		dot := strings.LastIndexByte(name, '.')
		f.Name = fmt.Sprintf("%s-%d%s", name[:dot], n, name[dot:])
	}
	r.named[f.Name] = true
	r.result.Files = append(r.result.Files, f)
	return f.Name
}

// room reports whether so many bytes may still be kept.
func (r *run) room(n int) error {
	if r.bytes += n; r.bytes > maxBytes || len(r.result.Files) > maxFiles || len(r.result.Pages) > maxPages {
		return errors.New("more pages and files than a chain may keep")
	}
	return nil
}

// say is the text of a value.
func (r *run) say(v Value) (string, error) {
	if v.Env == "" {
		return v.Text, nil
	}
	lookup := r.Lookup
	if lookup == nil {
		lookup = os.LookupEnv
	}
	s, ok := lookup(v.Env)
	if !ok {
		return "", fmt.Errorf("the environment variable %s is not set", v.Env)
	}
	if len(s) > 1 {
		r.secrets = append(r.secrets, s)
	}
	return s, nil
}

func (r *run) redact(s string) string {
	for _, secret := range r.secrets {
		s = strings.ReplaceAll(s, secret, "***")
	}
	return s
}

// redactError keeps an error as it is unless it gives a secret away.
func (r *run) redactError(err error) error {
	if s := r.redact(err.Error()); s != err.Error() {
		return errors.New(s)
	}
	return err
}
