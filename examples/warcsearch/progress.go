package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// progress shows how it goes: in one line on a terminal, in a line now and then
// elsewhere.
type progress struct {
	out   io.Writer
	count count
	stop  chan struct{}
	gone  sync.WaitGroup
}

func (p *progress) begin() {
	p.stop = make(chan struct{})
	every, format := 10*time.Second, "warcsearch: %s\n"
	if isTerminal(p.out) {
		every, format = 200*time.Millisecond, "\r\x1b[K%s"
	}
	p.gone.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Fprintf(p.out, format, p)
			case <-p.stop:
				if isTerminal(p.out) {
					fmt.Fprint(p.out, "\r\x1b[K")
				}
				fmt.Fprintf(p.out, "warcsearch: %s\n", p)
				return
			}
		}
	})
}

// end ends the display with a last line.
func (p *progress) end() {
	close(p.stop)
	p.gone.Wait()
	if err := p.count.first.Load(); err != nil {
		fmt.Fprintf(p.out, "warcsearch: the first place that was not readable: %s\n", strings.ReplaceAll((*err).Error(), "\n", "; "))
	}
}

// String is the state in a few words.
func (p *progress) String() string {
	return fmt.Sprintf("%d pages of %d answers indexed, %d places not readable", p.count.pages.Load(), p.count.answers.Load(), p.count.damaged.Load())
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	fi, err := f.Stat()
	return err == nil && fi.Mode()&os.ModeCharDevice != 0
}
