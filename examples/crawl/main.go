// Command crawl crawls sites to a file: one line of JSON a page.
//
//	go run ./examples/crawl                                      a bundled site
//	go run ./examples/crawl https://a.example/                   to standard output
//	go run ./examples/crawl -seeds seeds.txt -out pages.jsonl
//
// It is polite by default (robots.txt, one visit of a host at a time and a
// second between two), ends by itself, and with -dir survives being killed: the
// same command line goes on where it was. docs/guides/crawling.md tells more.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler"
	quarryjob "github.com/webquarry/quarry/crawler/job"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/crawler/monitor"
	"github.com/webquarry/quarry/crawler/progress"
)

// Exit codes.
const (
	exitDone        = 0   // nothing was left to visit, or a limit was met
	exitFailed      = 1   // the crawl could not go on, or no page could be had
	exitUsage       = 2   // the command line or the seeds make no sense
	exitWaiting     = 3   // nothing is left but what waits for hosts that cannot be reached, or asked for a long rest
	exitInterrupted = 130 // by a person; SIGTERM and SIGHUP end it in order, which is 0
)

func main() {
	os.Exit(live.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) }))
}

// run is the program: it crawls as args say, to a file or stdout, and tells on
// stderr how it goes.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opt, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		return complain(stderr, exitUsage, err)
	}
	var sum *summary
	if opt.spec.file != "" {
		err = opt.spec.run(ctx, opt.dir, stderr)
	} else {
		sum, err = crawl(ctx, opt, stdout, stderr)
	}
	if sum != nil {
		defer sum.write(stderr)
	}
	switch {
	case err != nil:
		if code, stopped := live.ExitCode(ctx, err); stopped {
			err = errors.New("interrupted")
			if opt.dir != "" {
				err = errors.New("interrupted; the same command line goes on from here")
			}
			return complain(stderr, code, err)
		}
		if _, ok := errors.AsType[*crawler.ConfigError](err); ok {
			return complain(stderr, exitUsage, err)
		}
		if _, ok := errors.AsType[*quarryjob.SpecError](err); ok {
			fmt.Fprintf(stderr, "crawl: %v\n", err) // a line for each mistake
			return exitUsage
		}
		if _, ok := errors.AsType[*crawler.UnfinishedError](err); ok {
			return complain(stderr, exitWaiting, fmt.Errorf("%w; %s", err, goOn(opt.dir)))
		}
		return complain(stderr, exitFailed, err)
	case sum != nil && sum.nothing() != nil:
		return complain(stderr, exitFailed, inVain(sum.nothing()))
	}
	return exitDone
}

// goOn says how to go on with what waits.
func goOn(dir string) string {
	if dir == "" {
		return "with -dir, the same command line would go on with them later"
	}
	return "the same command line goes on with them"
}

// inVain says in one line why no page could be had.
func inVain(first error) error {
	hint := ""
	if errors.Is(first, crawler.ErrBlockedAddr) {
		hint = "; -allow-private fetches from such addresses too"
	}
	fe, _ := errors.AsType[*crawler.FetchError](first)
	if fe == nil {
		return fmt.Errorf("no page could be had: %w", first)
	}
	return fmt.Errorf("no page could be had: cannot fetch %s: %w%s", fe.URL, fe.Cause(), hint) // the cause is enough: it is the same address all the way down
}

func complain(stderr io.Writer, code int, err error) int {
	fmt.Fprintf(stderr, "crawl: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	return code
}

// crawl runs the crawl. The summary is nil when it could not begin.
func crawl(ctx context.Context, opt *options, stdout, stderr io.Writer) (sum *summary, err error) {
	job, err := open(opt, stdout)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, job.Close()) }()

	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	sum = newSummary(opt.seeds, giveUp)
	if job.visited > 0 { // it is known that they can be reached
		sum.waiting = nil
	}
	left := opt.pagesLeft(job.earlier)
	if left < 0 {
		return sum, nil
	}
	fetcher, err := job.fetcher(opt)
	if err != nil {
		return nil, err
	}
	c := crawler.Crawler{
		Frontier:  job.front,
		Fetcher:   fetcher,
		Parser:    job.parser,
		Sink:      job.sink,
		Follow:    opt.follow(),
		UserAgent: opt.userAgent,
		Workers:   opt.pace.workers,
		Budget:    crawler.Budget{Pages: left, Output: opt.limit.size, Depth: opt.limit.depth},
		OnEvent:   sum.note,
		Log:       slog.With("run", time.Now().UTC().Format(time.RFC3339)),
	}
	judges, err := opt.way.wrap(&c, opt, job)
	if err != nil {
		return nil, err
	}
	if opt.way.monitor != "" {
		m := monitor.New(&c, monitor.Options{Judges: judges, ReadOnly: opt.way.look, Access: opt.way.access, Folders: opt.folders()})
		at, err := m.Listen(ctx, opt.way.monitor)
		if err != nil {
			return nil, fmt.Errorf("-monitor: %w", err)
		}
		fmt.Fprintf(stderr, "crawl: watch it at %s\n", at)
		ctx = m.Watch(ctx)
	}
	end := progress.Show(stderr, func() string { return "crawl: " + sum.String() })
	defer end()
	err = c.Run(ctx, opt.seeds...)
	if errors.Is(err, crawler.ErrNothingFetched) && sum.nothing() != nil {
		err = nil // the summary says so, and what may be done about it
	}
	return sum, err
}
