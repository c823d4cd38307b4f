// Sitesearch crawls a site, indexes it while crawling, and lets you search it in
// the browser. It is the tour of the SDK: read this file from top to bottom, and
// then what interests you.
//
//	options.go   the command line
//	place.go     what is kept in a folder, and what there is to crawl
//	menus.go     what of a page is not its text
//	document.go  how a page becomes a document: fields and their weights
//	search.go    how it is searched: package index/serve answers
//	judges.go    which pages say the same, and which links have no end
//	watch.go     what the crawl tells while it runs
//	site.go      the bundled site
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/content"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/crawler/middleware"
	"github.com/webquarry/quarry/crawler/monitor"
	"github.com/webquarry/quarry/crawler/progress"
	"github.com/webquarry/quarry/crawler/recrawl"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/index"
	"github.com/webquarry/quarry/index/serve"
)

func main() {
	os.Exit(live.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) }))
}

// run is main with everything passed in; it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stdout)
	if err == nil {
		err = sitesearch(ctx, o, stdout, stderr)
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if code, stopped := live.ExitCode(ctx, err); stopped { // before there was an answer
		fmt.Fprintln(stderr, "sitesearch: interrupted")
		return code
	}
	if fe, ok := errors.AsType[*crawler.FetchError](err); ok && errors.Is(err, crawler.ErrBlockedAddr) {
		err = fmt.Errorf("cannot fetch %s: %w; -allow-private fetches from such addresses too", fe.URL, fe.Cause())
	}
	fmt.Fprintln(stderr, "sitesearch:", strings.ReplaceAll(err.Error(), "\n", "; "))
	_, usage := errors.AsType[usageError](err)
	_, config := errors.AsType[*crawler.ConfigError](err)
	_, waiting := errors.AsType[*crawler.UnfinishedError](err)
	switch {
	case usage || config:
		return 2
	case waiting:
		return 3
	}
	return 1
}

// sitesearch does what the options say.
func sitesearch(ctx context.Context, o *options, out, log io.Writer) error {
	j, err := prepare(o, log)
	if err != nil {
		return err
	}
	defer j.index.Close()
	within, stop := context.WithCancelCause(ctx)
	defer j.bundled.Wait() // its port is free for the next run
	defer stop(nil)
	if j.place.crawl.Bundled != "" && (j.crawls || !o.once) {
		if err := j.serveBundled(within, stop); err != nil {
			return err
		}
	}
	if o.once {
		err := j.ask(within, out)
		if err == nil && j.unfinished != nil {
			err = j.unfinished
		}
		return err
	}
	err = j.serve(within, stop, out)
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil // stopped as asked
	}
	return err
}

// prepare decides what there is to do, and opens the index.
func prepare(o *options, log io.Writer) (*job, error) {
	j := &job{options: o, log: log, metrics: metrics.NewSet()}
	var err error
	if j.place, err = openPlace(o.dir); err != nil {
		return nil, err
	}
	if err := j.plan(); err != nil {
		return nil, err
	}
	if j.index, err = j.openIndex(); err != nil {
		return nil, err
	}
	j.watch.now.Running = j.crawls
	return j, nil
}

// job is one run of the program.
type job struct {
	*options
	place   *place
	crawls  bool // there is something to crawl
	index   *index.Index
	watch   watch
	metrics *metrics.Set // of the crawl and of searches
	log     io.Writer

	unfinished *crawler.UnfinishedError // what the crawl left, once it has ended; nil: nothing
	bundled    sync.WaitGroup           // runs the server of the bundled site
}

// openIndex opens the index on disk, or makes one in memory. Pages are found as
// soon as they are put, by the texts of links to them a little later.
func (j *job) openIndex() (*index.Index, error) {
	opt := index.Options{Schema: schema(), AnchorsWithin: 10 * time.Second}
	if j.dir == "" {
		return index.New(opt)
	}
	return index.Open(j.place.index(), opt)
}

// openFrontier opens the frontier on disk, or makes one in memory. A host is
// visited once at a time, and no sooner than -delay after the last visit; with
// no delay at all as many visits as there are workers go on at the same time.
func (j *job) openFrontier() (frontier.Frontier, error) {
	opt := frontier.Options{Limits: frontier.Limits{Delay: j.limits.delay}}
	if j.limits.delay == 0 {
		opt.Limits = frontier.OwnHost(-1)
	}
	opt.Limits.Outage = frontier.WaitFor(j.limits.wait)
	if j.dir == "" {
		return frontier.New(opt), nil
	}
	if err := recrawl.Settle(j.place.frontier()); err != nil {
		return nil, err
	}
	if j.recrawl {
		if err := recrawl.Renew(context.Background(), j.place.frontier(), opt); err != nil {
			return nil, err
		}
	}
	return frontier.Open(j.place.frontier(), opt)
}

// crawl fetches pages, indexes them and follows their links, until nothing is
// left or a limit is met. What it did not come to, -resume goes on with.
func (j *job) crawl(program context.Context) (err error) {
	ctx, giveUp := context.WithCancelCause(program)
	defer giveUp(nil)
	queue, err := j.openFrontier()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, queue.Close()) }()
	writer, err := j.index.Writer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writer.Close()) }()
	pages := pagesInto(writer, j.limits.workers)
	defer pages.Close()
	judges, err := j.openJudges()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, judges.Close()) }()
	fetcher, robots, err := j.openFetcher()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, robots.Close()) }()
	if err := j.place.save(); err != nil {
		return err
	}
	name, _, _ := strings.Cut(j.fetch.userAgent, "/")
	var parser crawler.Parser = &crawler.HTML{Agent: name, Refine: dropMenus}
	follow := crawler.SameSite(j.place.crawl.Seeds...)
	if j.limits.sitemaps {
		none := content.Skip{}
		parser = &content.ByType{HTML: &crawler.HTML{Agent: name, Refine: dropMenus, Feeds: true},
			Discover: true, Feed: content.Sitemap{}, PDF: none, XML: none, JSON: none}
		follow = content.Listed(follow)
	}
	c := crawler.Crawler{
		Frontier:  queue,
		Fetcher:   fetcher,
		Parser:    parser,
		Sink:      j.watch.counting(pages),
		Follow:    follow,
		UserAgent: j.fetch.userAgent,
		Workers:   j.limits.workers,
		Budget:    crawler.Budget{Pages: j.limits.pages, Depth: j.limits.depth},
		OnEvent:   func(e crawler.Event) { j.watch.see(e, giveUp) },
		Log:       slog.Default(),
	}
	held, err := queue.Stats(ctx)
	if err != nil {
		return err
	}
	c.Revisit = j.watch.rounds(held.Queued - held.Due)
	asked := judges.wrap(&c)
	if j.live != "" {
		m := monitor.New(&c, monitor.Options{Judges: asked, Access: j.access, Metrics: j.metrics, Folders: j.folders()})
		at, err := m.Listen(program, j.live) // as long as the page leads there
		if err != nil {
			return fmt.Errorf("-monitor: %w", err)
		}
		fmt.Fprintf(j.log, "Watch the crawl at %s\n", at)
		ctx = m.Watch(ctx)
	}
	defer progress.Show(j.log, func() string { return j.status().String() })()
	err = c.Run(ctx, j.place.crawl.Seeds...)
	if unfinished, ok := errors.AsType[*crawler.UnfinishedError](err); ok {
		j.unfinished = unfinished
		fmt.Fprintln(j.log, strings.TrimPrefix(err.Error(), "crawler: ")+"; "+j.goOn())
	} else if err != nil {
		return err
	}
	s := j.status()
	if j.place.known && s.Pages == 0 && s.Waiting == 0 && s.Failed == 0 {
		fmt.Fprintf(j.log, "The crawl in %s is finished: its pages are shown as they were when they were fetched, and nothing was fetched again. "+
			"-recrawl visits them again.\n", j.dir)
	}
	return j.watch.verdict(s)
}

// goOn says how to go on with what waits.
func (j *job) goOn() string {
	if j.dir == "" {
		return "with -dir, -resume would go on with them later"
	}
	return "-resume goes on with them"
}

// openFetcher makes the fetcher. What a robots.txt says is kept in the folder, if
// there is one, so that a crawl that is gone on with does not ask for it again.
func (j *job) openFetcher() (crawler.Fetcher, io.Closer, error) {
	fetcher := &crawler.HTTP{UserAgent: j.fetch.userAgent, Proxy: j.fetch.proxy, AllowPrivate: j.fetch.allowPrivate}
	if j.dir == "" {
		return fetcher, io.NopCloser(nil), nil
	}
	store, err := middleware.OpenDisk(j.place.robots(), 64<<20)
	if err != nil {
		return nil, nil, err
	}
	return middleware.KeepRobots{Store: store}.Wrap(fetcher), store, nil
}

// status is how the crawl stands, for the search page and the progress bar.
func (j *job) status() status {
	s := j.watch.status()
	if snap, err := j.index.Snapshot(); err == nil {
		s.Indexed = snap.Docs()
		snap.Close()
	}
	return s
}

// ask answers -query, after the crawl if there is one.
func (j *job) ask(ctx context.Context, out io.Writer) error {
	if j.crawls {
		if err := j.crawl(ctx); err != nil {
			return err
		}
	}
	a, err := j.search().Search(ctx, serve.Request{Text: j.query})
	if err != nil {
		return err
	}
	if j.json {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		return enc.Encode(a)
	}
	return print(out, a)
}

// serve shows the search page, and crawls meanwhile, until the program is
// stopped or something fails. The error says why it ended.
func (j *job) serve(ctx context.Context, stop context.CancelCauseFunc, out io.Writer) error {
	l, err := serve.Listen(ctx, j.addr, j.given["addr"])
	if err != nil {
		return err
	}
	if l, err = j.access.Secure(l); err != nil {
		return err
	}
	scheme := "http"
	if j.access.CertFile != "" {
		scheme = "https"
	}
	fmt.Fprintf(out, "Search at %s://%s/ (Ctrl-C ends it)\n", scheme, l.Addr())
	var crawling sync.WaitGroup
	crawling.Go(func() {
		if err := j.crawlAndTell(ctx, out); err != nil {
			stop(err)
		}
	})
	if err := serve.Run(ctx, l, j.search()); err != nil {
		stop(err)
	}
	crawling.Wait()
	return context.Cause(ctx)
}

// crawlAndTell crawls, if there is something to crawl, and says how it ended.
func (j *job) crawlAndTell(ctx context.Context, out io.Writer) error {
	if !j.crawls {
		return nil
	}
	err := j.crawl(ctx)
	if err == nil || ctx.Err() != nil {
		fmt.Fprintln(out, j.status())
	}
	if ctx.Err() != nil && j.dir != "" {
		fmt.Fprintf(out, "Go on with -dir %s -resume.\n", j.dir)
	}
	return err
}

// serveBundled serves the bundled site until ctx ends.
func (j *job) serveBundled(ctx context.Context, stop context.CancelCauseFunc) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", j.place.crawl.Bundled)
	if err != nil {
		return fmt.Errorf("the bundled site: %w", err)
	}
	// The port is free to choose the first time. After that it is part of the
	// addresses in the index.
	j.place.crawl.Bundled = l.Addr().String()
	j.place.crawl.Seeds = []string{"http://" + l.Addr().String() + "/"}
	j.bundled.Go(func() {
		if err := serve.Run(ctx, l, bundledSite()); err != nil {
			stop(err)
		}
	})
	return nil
}

// folders are those that the program writes to.
func (j *job) folders() []string {
	if j.dir == "" {
		return nil
	}
	return []string{j.dir}
}
