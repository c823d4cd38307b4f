package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/monitor"
	"github.com/webquarry/quarry/crawler/progress"
	"github.com/webquarry/quarry/crawler/sink"
	"github.com/webquarry/quarry/frontier"
	"github.com/webquarry/quarry/index"
)

// round asks all shops once: it crawls them, keeps what they say in the ledger,
// and the index up to date meanwhile. A round that was broken off is gone on
// with. At its end, what a shop had and has no more is marked as gone.
func (j *job) round(ctx context.Context) (err error) {
	writer, err := j.index.Writer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, writer.Close()) }()
	book, err := j.openBook()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.close()) }()
	resumed, err := j.place.begin(time.Now())
	if err != nil {
		return err
	}
	j.watch.begin(j.place.state.Round, resumed)
	defer j.watch.end()
	if j.mall != nil {
		j.mall.SetDay(j.place.state.Round - 1)
	}
	keep := &keeper{catalog: j.catalog, index: j.index, writer: writer}
	if err := j.crawl(ctx, book, keep); err != nil && !errors.Is(err, errEnough) {
		return errors.Join(err, keep.refresh(context.WithoutCancel(ctx)))
	}
	state := j.place.state
	for _, s := range j.list.Shops {
		whole, dead := j.watch.outcome(s.Name)
		for _, gone := range j.catalog.missed(s.Name, state.Began, state.Before, whole, dead) {
			if err := book.add(j.catalog.take(gone)); err != nil {
				return err
			}
		}
	}
	if err := book.sync(); err != nil {
		return err
	}
	if err := keep.refresh(ctx); err != nil {
		return err
	}
	silent, err := j.watch.silentShops(j.list.without(j.left))
	for _, line := range silent {
		fmt.Fprintln(j.log, line)
	}
	return errors.Join(err, j.place.end())
}

// openBook opens the ledger for writing, which who has the writer of the index
// may do.
func (j *job) openBook() (*ledger, error) {
	if j.dir == "" {
		return &ledger{}, nil
	}
	if j.shopsText != nil {
		if err := j.place.write("shops.yaml", j.shopsText); err != nil {
			return nil, err
		}
		j.shopsText = nil
	}
	if err := j.catalog.load(j.place.path("prices.jsonl")); err != nil {
		return nil, err
	}
	return openLedger(j.place.path("prices.jsonl"), j.catalog.read)
}

// openFrontier opens the frontier on disk, or makes one in memory. It is one for
// all shops, and for plain HTTP and Chrome alike, and so is its politeness.
func (j *job) openFrontier() (frontier.Frontier, error) {
	opt := frontier.Options{Limits: frontier.Limits{Delay: j.fetch.delay}}
	if j.fetch.delay == 0 {
		opt.Limits = frontier.OwnHost(-1)
	}
	opt.Limits.Outage = frontier.WaitFor(0) // a round is no time to wait for a shop that is away
	if j.dir == "" {
		return frontier.New(opt), nil
	}
	return frontier.Open(j.place.frontier(), opt)
}

// crawl visits the shops until nothing is left.
func (j *job) crawl(ctx context.Context, book *ledger, keep *keeper) (err error) {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	queue, err := j.openFrontier()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, queue.Close()) }()
	fetcher, err := j.openFetcher()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fetcher.Close()) }()
	list := j.list.without(j.left)
	if len(j.left) > 0 && !j.told {
		j.told = true
		fmt.Fprintf(j.log, "Left out for want of a browser: %s. Install chromium-headless-shell to have them too.\n", strings.Join(j.left, ", "))
	}
	if len(list.Shops) == 0 {
		return errors.New("all shops need a browser: install chromium-headless-shell")
	}
	pages := j.pagesInto(book)
	defer pages.Close()
	name, _, _ := strings.Cut(j.fetch.userAgent, "/")
	c := crawler.Crawler{
		Frontier:  queue,
		Fetcher:   fetcher,
		Parser:    &crawler.HTML{Agent: name, Refine: list.refine},
		Sink:      pages,
		Follow:    list.follow,
		UserAgent: j.fetch.userAgent,
		Workers:   j.fetch.workers,
		OnEvent:   func(e crawler.Event) { j.watch.see(e, list, giveUp) },
		Log:       slog.Default(),
	}
	if j.monitor != "" {
		m := monitor.New(&c, monitor.Options{})
		at, err := m.Listen(ctx, j.monitor)
		if err != nil {
			return fmt.Errorf("-monitor: %w", err)
		}
		fmt.Fprintf(j.log, "Watch the crawl at %s\n", at)
		ctx = m.Watch(ctx)
	}
	defer progress.Show(j.log, func() string { return j.status().String() })()
	defer keep.follow(ctx, giveUp)()
	err = c.Run(ctx, list.seeds()...)
	if unfinished, ok := errors.AsType[*crawler.UnfinishedError](err); ok { // the next round asks them again
		fmt.Fprintln(j.log, strings.TrimPrefix(unfinished.Error(), "crawler: "))
		return nil
	}
	return err
}

// refine reads the products of a page into its records.
func (l *shopList) refine(doc *goquery.Document, page *crawler.Page) error {
	s := l.of(page.URL)
	if s == nil {
		return nil
	}
	found, err := s.read(doc, page)
	for _, f := range found {
		page.Records = append(page.Records, f)
	}
	return err
}

// pagesInto is the sink of the crawl: a page counts as put when what it said is
// safe in the ledger. Those of all workers are made safe together.
func (j *job) pagesInto(book *ledger) *sink.Batch {
	add := func(_ context.Context, res *crawler.Result) error {
		page := res.Page
		if page == nil {
			return nil
		}
		for _, r := range page.Records {
			s := r.(sighting)
			s.At = j.place.state.Began
			if err := book.add(j.catalog.take(s)); err != nil {
				return err
			}
		}
		j.watch.found(page)
		return nil
	}
	return &sink.Batch{Add: add, Commit: func(context.Context) error { return book.sync() }, Size: j.fetch.workers}
}

// keeper keeps the index as the catalog is.
type keeper struct {
	catalog *catalog
	index   *index.Index
	writer  *index.Writer
	mu      sync.Mutex
	indexed map[string]bool // keys; nil: not looked up yet
	behind  bool            // the index lacks something of the catalog
}

const refreshEvery = time.Second

// follow refreshes now and then, until the function that it returns is called.
func (k *keeper) follow(ctx context.Context, giveUp context.CancelCauseFunc) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var gone sync.WaitGroup
	gone.Go(func() {
		tick := time.NewTicker(refreshEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if err := k.refresh(ctx); err != nil && ctx.Err() == nil {
					giveUp(err)
				}
			case <-ctx.Done():
				return
			}
		}
	})
	return func() {
		cancel()
		gone.Wait()
	}
}
