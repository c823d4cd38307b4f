// Package progress tells people how long work stands: on a terminal in one line that
// is written over, elsewhere in a line now and then, so that a log stays readable.
package progress

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

const (
	onTerminal = 200 * time.Millisecond
	elsewhere  = 5 * time.Second
)

// Show writes to w what state returns, every 200 ms on a terminal and every 5
// seconds elsewhere. end ends that and returns when nothing more is written; a
// terminal's line is gone then. It must be called.
func Show(w io.Writer, state func() string) (end func()) {
	ctx, stop := context.WithCancel(context.Background())
	write := lines
	if isTerminal(w) {
		write = line
	}
	var gone sync.WaitGroup
	gone.Go(func() { write(ctx, w, state) })
	return func() { stop(); gone.Wait() }
}

func lines(ctx context.Context, w io.Writer, state func() string) {
	tick := time.NewTicker(elsewhere)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			fmt.Fprintln(w, state())
		case <-ctx.Done():
			return
		}
	}
}

func line(ctx context.Context, w io.Writer, state func() string) {
	all := mpb.New(mpb.WithOutput(w), mpb.WithRefreshRate(onTerminal))
	bar := all.New(0, mpb.NopStyle(), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return state() })))
	<-ctx.Done()
	bar.Abort(true) // Wait waits for ever for a bar that is not full
	all.Wait()
}

// isTerminal also takes the null device for one, where nobody looks either way.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	fi, err := f.Stat()
	return err == nil && fi.Mode()&os.ModeCharDevice != 0
}
