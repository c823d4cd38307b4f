package live

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// A Control shows and holds up the runs whose context has it, mostly one. The
// zero value is ready. All methods may be called from many goroutines, before,
// during and after a run.
type Control struct {
	mu      sync.Mutex
	workers []*Worker       // in the order in which they came
	running context.Context // ends when a pause begins; nil: none began yet
	pause   context.CancelCauseFunc
	resumed chan struct{} // closed when the pause ends; nil: there is none
	explain func(url, via string) Verdict
}

// errPaused is why a worker no longer waits for a URL.
var errPaused = errors.New("live: paused")

type controlKey struct{}

// With returns a context for a run that c shows and holds up.
func With(ctx context.Context, c *Control) context.Context {
	return context.WithValue(ctx, controlKey{}, c)
}

// of returns the Control of a context; nil: there is none.
func of(ctx context.Context) *Control {
	c, _ := ctx.Value(controlKey{}).(*Control)
	return c
}

// Pause lets no further visit begin. Those under way go on to their end, so
// that in the end nothing is leased and a pause may be as long as it likes. A
// run does not end while it is paused, unless its context or its time does.
func (c *Control) Pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resumed != nil {
		return
	}
	c.resumed = make(chan struct{})
	if c.pause != nil {
		c.pause(errPaused)
	}
	c.running, c.pause = nil, nil
}

// Resume ends a pause.
func (c *Control) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.resumed != nil {
		close(c.resumed)
		c.resumed = nil
	}
}

// Paused reports whether there is a pause.
func (c *Control) Paused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resumed != nil
}

// wait waits while there is a pause, and returns a context that the next one
// ends. From then on w is looking.
func (c *Control) wait(ctx context.Context, w *Worker) (running context.Context, err error) {
	for {
		c.mu.Lock()
		resumed := c.resumed
		if resumed == nil {
			defer c.mu.Unlock()
			if c.running == nil {
				c.running, c.pause = context.WithCancelCause(context.Background())
			}
			w.look(true)
			return c.running, nil
		}
		c.mu.Unlock()
		select {
		case <-resumed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Activity is what a worker is at.
type Activity struct {
	URL     string    // empty while it waits for one
	Looking bool      // it asks the Frontier, and may get a URL even if a pause has begun since
	Phase   Phase     // how far the visit has come
	Since   time.Time // when the phase began
	Began   time.Time // when the visit began; zero while it waits
}

// Workers tells what each worker of the runs under way is at.
func (c *Control) Workers() []Activity {
	c.mu.Lock()
	workers := slices.Clone(c.workers)
	c.mu.Unlock()
	out := make([]Activity, len(workers))
	for i, w := range workers {
		out[i] = w.activity()
	}
	return out
}

// Verdict says what a run makes of a URL, before it asks its Frontier.
type Verdict struct {
	Canonical string        // how the run knows the URL; empty: it is none to crawl
	Follow    bool          // as a link it would be followed
	Priority  float64       // that Follow gives it
	Robots    string        // what is known of robots.txt: one of the Robots constants
	Delay     time.Duration // Crawl-delay of its host
	Problem   string        // why there is no robots.txt, or no canonical URL
}

// What is known of robots.txt.
const (
	RobotsIgnored     = "ignored"       // the run does not ask it
	RobotsUnknown     = "not asked yet" // or the answer has aged
	RobotsAllowed     = "allowed"
	RobotsForbidden   = "forbidden"
	RobotsUnreachable = "unreachable" // which forbids everything until it can be had
)

// Explain asks the run that began last, be it over or not. via is the URL of the
// page that url was found on; empty: it is not known, and url stands for it.
// known is false before the first run.
func (c *Control) Explain(url, via string) (v Verdict, known bool) {
	c.mu.Lock()
	explain := c.explain
	c.mu.Unlock()
	if explain == nil {
		return Verdict{}, false
	}
	return explain(url, via), true
}

// Answer has explain answer [Control.Explain] for the run of a context, if that
// has a Control. It is for the run to call.
func Answer(ctx context.Context, explain func(url, via string) Verdict) {
	if c := of(ctx); c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.explain = explain
	}
}
