package crawler

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/webquarry/quarry/frontier"
)

// sized is a Sink that tells how large its output is.
type sized interface{ Size() int64 }

// checkOutput refuses a limit of the output that nobody can tell the size of.
func (r *run) checkOutput() error {
	sink := r.Sink
	if h, ok := sink.(*handOver); ok {
		sink = h.before
	}
	if r.output, _ = sink.(sized); r.output == nil && r.Budget.Output > 0 {
		return &ConfigError{"limit of output", strconv.FormatInt(r.Budget.Output, 10), "needs a Sink with a method Size() int64"}
	}
	return nil
}

// stopIfFull ends the run when the output is as large as wanted.
func (r *run) stopIfFull() {
	if r.Budget.Output > 0 && r.output.Size() >= r.Budget.Output {
		r.stop(errBudget)
	}
}

// laterOn is the rest of a slow host that no worker is free for.
const laterOn = 30 * time.Second

// tookLong reports whether a worker had to wait until a timeout.
func tookLong(err error) bool {
	for _, k := range []Kind{ErrTimeoutConnect, ErrTimeoutHeader, ErrTimeoutTotal, ErrSlow} {
		if errors.Is(err, k) {
			return true
		}
	}
	return errors.Is(err, context.DeadlineExceeded)
}

// notNow is the verdict of a visit that was not made. It makes no event.
func notNow(req frontier.Request, known note) verdict {
	out := frontier.Outcome{Again: time.Now(), Delay: max(laterOn, known.clear.delay)}
	return verdict{Event: Event{Kind: resting}, out: out, attempt: req.Attempt, clear: known.clear}
}
