package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// Phase is how far a visit has come.
type Phase uint8

// The phases of a visit, in their order. Of a URL without a page some are left
// out.
const (
	Waiting  Phase = iota // for the Frontier to give out a URL, or for another's request to end
	Robots                // robots.txt is asked for, if need be
	Fetching              // the Fetcher has it
	Parsing               // the Parser has it, then Follow
	Putting               // the Sink has it
	Settling              // the Frontier is told what became of it
)

// Phases is how many there are.
const Phases = int(Settling) + 1

// String is the phase in a word.
func (p Phase) String() string {
	switch p {
	case Waiting:
		return "waiting"
	case Robots:
		return "robots"
	case Fetching:
		return "fetching"
	case Parsing:
		return "parsing"
	case Putting:
		return "putting"
	case Settling:
		return "settling"
	}
	return "unknown"
}

// MarshalText makes the word of a phase its JSON.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the word of a phase.
func (p *Phase) UnmarshalText(word []byte) error {
	for n := range Phases {
		if Phase(n).String() == string(word) {
			*p = Phase(n)
			return nil
		}
	}
	return fmt.Errorf("live: no phase %q", word)
}

// A Worker is one of those that a run visits URLs with. It is for the run to
// use; its methods do nothing, and Next only that, when the Worker is nil.
type Worker struct {
	control *Control
	mu      sync.Mutex
	now     Activity
	looking bool
}

// Join adds a worker to those that the Control of ctx shows. It returns nil
// where there is none. Leave is to be called in the end.
func Join(ctx context.Context) *Worker {
	c := of(ctx)
	if c == nil {
		return nil
	}
	w := &Worker{control: c, now: Activity{Since: time.Now()}}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.workers = append(c.workers, w)
	return w
}

// Leave removes the worker.
func (w *Worker) Leave() {
	if w == nil {
		return
	}
	c := w.control
	c.mu.Lock()
	defer c.mu.Unlock()
	c.workers = slices.DeleteFunc(c.workers, func(other *Worker) bool { return other == w })
}

// Next is the Next of a Frontier, but gives out nothing during a pause.
func (w *Worker) Next(ctx context.Context, f frontier.Frontier) (frontier.Lease, error) {
	if w == nil {
		return f.Next(ctx)
	}
	for {
		running, err := w.control.wait(ctx, w)
		if err != nil {
			return frontier.Lease{}, err
		}
		within, cancel := context.WithCancelCause(ctx)
		stop := context.AfterFunc(running, func() { cancel(errPaused) })
		l, err := f.Next(within)
		stop()
		cancel(nil)
		if err != nil {
			w.look(false)
		}
		switch {
		case err == nil: // also when a pause began meanwhile: it was leased before
			w.begin(l.URL)
			return l, nil
		case ctx.Err() == nil && running.Err() != nil && (errors.Is(err, errPaused) || errors.Is(err, context.Canceled)):
		default:
			return l, err
		}
	}
}

func (w *Worker) begin(url string) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = Activity{URL: url, Phase: Robots, Since: now, Began: now}
	w.looking = false
}

func (w *Worker) look(looking bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looking = looking
}

// Enter says that the worker has come to a phase.
func (w *Worker) Enter(p Phase) {
	if w == nil {
		return
	}
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if p == Waiting {
		w.now = Activity{}
	}
	w.now.Phase, w.now.Since = p, now
}

// Settled says that a visit is over and what became of it is known, while the
// worker may be at the next one already.
func (w *Worker) Settled(url string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now.Phase == Settling && w.now.URL == url {
		w.now = Activity{Since: time.Now()}
	}
}

func (w *Worker) activity() Activity {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := w.now
	a.Looking = w.looking
	return a
}

type workerKey struct{}

// Within returns the context of the worker's visits, in which [Enter] finds it.
func (w *Worker) Within(ctx context.Context) context.Context {
	if w == nil {
		return ctx
	}
	return context.WithValue(ctx, workerKey{}, w)
}

// Enter says that the visit of a context has come to a phase.
func Enter(ctx context.Context, p Phase) {
	w, _ := ctx.Value(workerKey{}).(*Worker)
	w.Enter(p)
}
