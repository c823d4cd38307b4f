// Pricewatch is a price-comparison engine: it crawls shops, finds out which of
// them sell the same, lets you search that, cheapest first, and keeps how prices
// went.
//
//	options.go   the command line
//	place.go     what is kept in a folder
//	shops.go     which shops there are: seeds, chains, schema
//	crawl.go     one round of all shops
//	browser.go   which pages come by HTTP and which by Chrome
//	sighting.go  what a page says of a product: JSON-LD, microdata, selectors
//	ledger.go    all that was ever seen, in a file
//	listing.go   which addresses of a shop are one offer
//	product.go   which offers are one product; identity.go: by what they are known
//	history.go   how a price went
//	catalog.go   all of these, at hand
//	document.go  how a product is indexed
//	engine.go    how a query is answered
//	answer.go    what an answer is; money.go: how sums are written
//	watch.go     what a round tells while it runs
//	web.go       the pages; chart.go: prices as pictures; api.go: the same in JSON
//	bundled.go   the bundled shops, which are in mall/
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/examples/pricewatch/mall"
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
		err = pricewatch(ctx, o, stdout, stderr)
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if code, stopped := live.ExitCode(ctx, err); stopped { // before there was an answer
		fmt.Fprintln(stderr, "pricewatch: interrupted")
		return code
	}
	if fe, ok := errors.AsType[*crawler.FetchError](err); ok && errors.Is(err, crawler.ErrBlockedAddr) {
		err = fmt.Errorf("cannot fetch %s: %w; -allow-private fetches from such addresses too", fe.URL, fe.Cause())
	}
	fmt.Fprintln(stderr, "pricewatch:", strings.ReplaceAll(err.Error(), "\n", "; "))
	_, usage := errors.AsType[usageError](err)
	_, config := errors.AsType[*crawler.ConfigError](err)
	if usage || config {
		return 2
	}
	return 1
}

// pricewatch does what the options say.
func pricewatch(ctx context.Context, o *options, out, log io.Writer) (err error) {
	j := &job{options: o, log: log, recheck: make(chan struct{}, 1)}
	if j.place, err = openPlace(o.dir); err != nil {
		return err
	}
	if err := j.plan(); err != nil {
		return err
	}
	within, stop := context.WithCancelCause(ctx)
	defer j.bundled.Wait() // its ports are free for the next run
	defer stop(nil)
	if err := j.open(within, stop); err != nil {
		return err
	}
	defer j.index.Close()
	if err := j.knows(o.ask.Shops); err != nil {
		return err
	}
	if o.once {
		return j.answer(within, out)
	}
	if o.lasts > 0 {
		time.AfterFunc(o.lasts, func() { stop(errDone) })
	}
	err = j.serve(within, stop, out)
	if errors.Is(err, errDone) || ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil // stopped as asked
	}
	return err
}

// errDone ends the program when -for is over.
var errDone = errors.New("the time is over")

// job is one run of the program.
type job struct {
	*options
	sources
	place   *place
	crawls  bool // the shops are to be asked at the beginning
	catalog *catalog
	index   *index.Index
	engine  *engine
	watch   watch
	recheck chan struct{} // somebody wants the shops to be asked
	log     io.Writer
	bundled sync.WaitGroup // runs the servers of the bundled shops
}

// sources are the shops.
type sources struct {
	list      *shopList
	shopsText []byte     // of a file that the folder does not have yet
	left      []string   // shops that are left out for want of a browser
	told      bool       // which these are
	mall      *mall.Mall // nil: the shops are others
}

// open opens what there is.
func (j *job) open(ctx context.Context, stop context.CancelCauseFunc) (err error) {
	if len(j.place.state.Bundled) > 0 {
		if err := j.serveBundled(ctx, stop); err != nil {
			return err
		}
	}
	j.catalog = newCatalog(j.list)
	if j.dir == "" {
		j.index, err = index.New(indexOptions())
	} else {
		if err := j.catalog.load(j.place.path("prices.jsonl")); err != nil {
			return err
		}
		j.catalog.refresh()
		j.index, err = index.Open(j.place.path("index"), indexOptions())
	}
	j.engine = &engine{index: j.index, catalog: j.catalog}
	j.watch.now.Round = j.place.state.Round
	if j.place.known && !j.place.state.Complete && !j.crawls {
		fmt.Fprintln(j.log, "The last round was broken off: -recrawl goes on with it.")
	}
	return err
}

// knows refuses shops that are not in the list, and of which nothing was seen when
// they were.
func (j *job) knows(shops []string) error {
	known := j.catalog.shops()
	for _, s := range shops {
		if !slices.Contains(known, s) {
			return usageError{fmt.Errorf("-shop %q: there is no such shop; there are %s", s, strings.Join(known, ", "))}
		}
	}
	return nil
}

// status is how the watch stands.
func (j *job) status() status {
	s := j.watch.status()
	s.Products, s.Offers, s.Checked = j.catalog.counts()
	return s
}

// answer answers -query, after a round if there is to be one.
func (j *job) answer(ctx context.Context, out io.Writer) error {
	if j.crawls {
		if err := j.round(ctx); err != nil {
			return err
		}
	}
	want := j.ask
	want.page, want.size = 1, defaultSize
	a, err := j.engine.search(ctx, want)
	if err != nil {
		return err
	}
	if a.Total == 0 && len(j.left) > 0 {
		a.Hint = strings.TrimSpace(fmt.Sprintf("%s For want of a browser these shops were left out: %s. -query \"\" lists what the others sell.",
			a.Hint, strings.Join(j.left, ", ")))
	}
	if j.json {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		return enc.Encode(a.api())
	}
	return a.print(out)
}

// serve shows the pages, and asks the shops meanwhile, until the program is
// stopped or something fails. The error says why it ended.
func (j *job) serve(ctx context.Context, stop context.CancelCauseFunc, out io.Writer) error {
	l, err := serve.Listen(ctx, j.addr, j.given["addr"])
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Compare prices at http://%s/ (Ctrl-C ends it)\n", l.Addr())
	var asking sync.WaitGroup
	asking.Go(func() {
		if err := j.rounds(ctx, out); err != nil {
			stop(err)
		}
	})
	page := &web{engine: j.engine, shops: j.list, status: j.status, askShops: j.askAgain, log: slog.New(slog.NewTextHandler(j.log, nil))}
	if err := serve.Run(ctx, l, page.handler()); err != nil {
		stop(err)
	}
	asking.Wait()
	return context.Cause(ctx)
}

// askAgain has the shops asked, and says at once that they are.
func (j *job) askAgain() {
	select {
	case j.recheck <- struct{}{}:
		j.watch.soon()
	default: // somebody was faster
	}
}

// rounds asks the shops at the beginning if there is reason to, every so often,
// and when somebody wants it, until ctx ends. That a later round fails is told
// and no reason to stop: the prices of the one before are there.
func (j *job) rounds(ctx context.Context, out io.Writer) error {
	var tick <-chan time.Time
	if j.again.every > 0 {
		t := time.NewTicker(j.again.every)
		defer t.Stop()
		tick = t.C
	}
	if j.crawls {
		if err := j.round(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		fmt.Fprintln(out, j.status())
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick:
		case <-j.recheck:
		}
		if err := j.round(ctx); err != nil && ctx.Err() == nil {
			fmt.Fprintln(j.log, "pricewatch:", strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		j.watch.end()
		fmt.Fprintln(out, j.status())
	}
}
