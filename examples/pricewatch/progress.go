package main

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

// progress shows a crawl while it runs: as a bar on a terminal, as a line now
// and then elsewhere, so that a log stays readable.
type progress struct {
	out    io.Writer
	status func() status

	stop context.CancelFunc
	gone sync.WaitGroup
}

const (
	barEvery  = 150 * time.Millisecond
	lineEvery = 5 * time.Second
)

// show begins to show the crawl, until end.
func (p *progress) show(ctx context.Context) {
	ctx, p.stop = context.WithCancel(ctx)
	if f, ok := p.out.(*os.File); ok && isTerminal(f) {
		p.gone.Go(func() { p.bar(ctx) })
		return
	}
	p.gone.Go(func() { p.lines(ctx) })
}

// end stops showing and waits until the last of it is written.
func (p *progress) end() {
	p.stop()
	p.gone.Wait()
}

func (p *progress) lines(ctx context.Context) {
	tick := time.NewTicker(lineEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			fmt.Fprintln(p.out, p.status())
		case <-ctx.Done():
			return
		}
	}
}

// bar draws a bar whose end moves away as long as links are found.
func (p *progress) bar(ctx context.Context) {
	bars := mpb.New(mpb.WithOutput(p.out), mpb.WithWidth(64), mpb.WithRefreshRate(barEvery))
	bar := bars.AddBar(0,
		mpb.PrependDecorators(decor.Name("asking the shops "), decor.CountersNoUnit("%d of %d pages")),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string {
			if s := p.status(); s.Failed > 0 {
				return fmt.Sprintf("%d failed ", s.Failed)
			}
			return ""
		}), decor.Elapsed(decor.ET_STYLE_GO)))
	tick := time.NewTicker(barEvery)
	defer tick.Stop()
	for done := false; !done; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			done = true
		}
		s := p.status()
		bar.SetTotal(int64(s.Pages+s.Waiting), false)
		bar.SetCurrent(int64(s.Pages))
	}
	bar.Abort(false) // Wait waits for ever for a bar that is not full
	bars.Wait()
}

// isTerminal also takes the null device for one, where nobody looks either way.
func isTerminal(f *os.File) bool {
	fi, err := f.Stat()
	return err == nil && fi.Mode()&os.ModeCharDevice != 0
}
