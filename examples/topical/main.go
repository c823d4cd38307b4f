// Command topical crawls for pages on a topic: it goes first where links
// promise some, and learns on the way which do. Without arguments it shows so on
// a small web of its own, and draws how much it finds beside a crawl in the
// order of distance:
//
//	go run ./examples/topical
//	go run ./examples/topical -query "bees beekeeping honey hive" -pages 500 https://example.com/
//	go run ./examples/topical -like a.txt,b.txt -svg harvest.svg https://example.com/
//
// docs/guides/focus.md tells more.
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

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/focus"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/frontier"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitWaiting     = 3   // URLs were left whose hosts cannot be reached
	exitInterrupted = 130 // by a person; SIGTERM and SIGHUP end it in order, which is 0
)

func main() {
	os.Exit(live.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) }))
}

// run is the program.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opt, err := parseOptions(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	if err != nil {
		return complain(stderr, exitUsage, err)
	}
	err = opt.crawls(ctx, stdout, stderr)
	switch {
	case err != nil:
		if code, stopped := live.ExitCode(ctx, err); stopped {
			return complain(stderr, code, errors.New("interrupted"))
		}
		if _, ok := errors.AsType[*crawler.ConfigError](err); ok {
			return complain(stderr, exitUsage, err)
		}
		if _, ok := errors.AsType[*crawler.UnfinishedError](err); ok {
			return complain(stderr, exitWaiting, err)
		}
		return complain(stderr, exitFailed, err)
	}
	return exitDone
}

func complain(stderr io.Writer, code int, err error) int {
	fmt.Fprintf(stderr, "topical: %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
	return code
}

// crawls does one crawl for each order that is asked for, and draws them.
func (o *options) crawls(ctx context.Context, stdout, stderr io.Writer) error {
	var curves []curve
	var unfinished error
	for _, order := range o.orders() {
		c, err := o.crawl(ctx, order, stdout, stderr)
		curves = append(curves, c)
		if _, ok := errors.AsType[*crawler.UnfinishedError](err); ok {
			unfinished = err
		} else if err != nil {
			return err
		}
		fmt.Fprintf(stderr, "%s: %s\n", order, c)
	}
	if len(curves[0].harvest) == 0 {
		return errors.New("no page could be had")
	}
	if o.svg == "" {
		return unfinished
	}
	if err := os.WriteFile(o.svg, []byte(draw(curves)), 0o644); err != nil {
		return fmt.Errorf("-svg: %w", err)
	}
	fmt.Fprintf(stderr, "the curve is in %s\n", o.svg)
	return unfinished
}

// watch gives up when as many visits as there are seeds went wrong and no page
// was had: to try again later will mend no error in the seeds.
func (o *options) watch(giveUp context.CancelCauseFunc) func(crawler.Event) {
	wrong := 0
	return func(e crawler.Event) {
		if e.Kind != crawler.Retrying && e.Kind != crawler.Failed || e.Summary.Pages > 0 {
			return
		}
		if wrong++; wrong == len(o.seeds) {
			giveUp(inVain(e))
		}
	}
}

// inVain says in one line why no page could be had.
func inVain(e crawler.Event) error {
	err := e.Err
	if fe, ok := errors.AsType[*crawler.FetchError](err); ok {
		err = fe.Cause() // is enough: it is the same address all the way down
	}
	hint := ""
	if errors.Is(e.Err, crawler.ErrBlockedAddr) {
		hint = "; -allow-private fetches from such addresses too"
	}
	return fmt.Errorf("no page could be had: cannot fetch %s: %w%s", e.URL, err, hint)
}

// crawl visits pages in an order and notes which are on topic. In a crawl by
// focus these are printed.
func (o *options) crawl(ctx context.Context, order string, stdout, stderr io.Writer) (curve, error) {
	topic, err := o.topic()
	if err != nil {
		return curve{}, err
	}
	front := frontier.New(frontier.Options{Limits: o.limits()})
	defer front.Close()
	f := focus.New(focus.Options{
		Topic: topic, Scope: o.scope(), Frontier: front,
		Noise: o.noise, Seed: o.seed, MaxOff: o.maxOff, Fixed: o.fixed,
	})
	if err := o.loadModel(f); err != nil {
		return curve{}, err
	}
	c := curve{name: order, limit: o.pages}
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	steer := crawler.Crawler{
		Frontier: front, Parser: f.Parser(nil), Follow: f.Follow,
		UserAgent: o.userAgent, IgnoreRobots: o.demo, Workers: o.workers,
		Budget: crawler.Budget{Pages: o.pages}, OnEvent: o.watch(giveUp), Log: slog.Default(),
	}
	if steer.Fetcher, err = o.fetcher(); err != nil {
		return c, err
	}
	if order == breadth {
		steer.Follow = func(from *crawler.Page, link crawler.Link) (float64, bool) {
			_, ok := o.scope()(from, link)
			return frontier.BreadthFirst(from.Response.Request.Depth + 1), ok
		}
	}
	for page, err := range steer.Pages(ctx, o.seeds...) {
		if _, ok := errors.AsType[*crawler.UnfinishedError](err); ok && order == byFocus {
			return c, errors.Join(err, o.saveModel(f))
		}
		if err != nil {
			return c, err
		}
		score, _ := focus.ScoreOf(page)
		c.add(score.OnTopic(), stderr)
		if order == byFocus && score.OnTopic() {
			fmt.Fprintf(stdout, "%.2f\t%s\t%s\n", score.Relevance, page.URL, page.Title)
		}
	}
	if order == byFocus {
		err = o.saveModel(f)
	}
	return c, err
}
