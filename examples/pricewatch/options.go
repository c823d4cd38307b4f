package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/live"
)

const usage = `Watch the prices of shops: crawl them, find out who sells the same, and search it.

  go run ./examples/pricewatch                                four bundled shops
  go run ./examples/pricewatch -query "kettle" -sort cheapest
  go run ./examples/pricewatch -shops mine.yaml -dir prices   shops of your own, kept in a folder
  go run ./examples/pricewatch -dir prices -recrawl           see what has changed since

`

// options are the command line.
type options struct {
	shops   string // file; empty: those of -dir, or else the bundled ones
	dir     string // of ledger, index and crawl; empty: in memory
	again   rounds
	fetch   fetchOptions
	addr    string
	lasts   time.Duration // how long to serve; 0: until stopped
	once    bool          // a query was given: answer it and end
	ask     ask
	json    bool
	given   map[string]bool // flags by name
	monitor string
}

// rounds say when the shops are asked again.
type rounds struct {
	now   bool          // once, at the beginning
	every time.Duration // while serving; 0: when somebody presses the button
}

// fetchOptions say how pages are asked for.
type fetchOptions struct {
	allowPrivate bool
	userAgent    string
	delay        time.Duration
	browser      string // path of Chrome; "none": do without; empty: look for one
	noSandbox    bool
	workers      int
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

// parseOptions reads the command line. The error is flag.ErrHelp when help was
// asked for and given, or a usageError.
func parseOptions(args []string, out io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("pricewatch", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.shops, "shops", "", "watch the shops of this YAML `file` (default: those that -dir holds, or else four bundled ones)")
	fs.StringVar(&o.dir, "dir", "", "keep prices, index and crawl in this `folder` (default: in memory)")
	fs.BoolVar(&o.again.now, "recrawl", false, "ask the shops of -dir again; a round that was broken off is gone on with")
	fs.DurationVar(&o.again.every, "every", 0, "ask the shops again so often while serving; 0: when the button is pressed")
	fs.StringVar(&o.addr, "addr", "127.0.0.1:8080", "serve the search page on this `host:port`")
	fs.DurationVar(&o.lasts, "for", 0, "stop serving after so long; 0: when Ctrl-C is pressed")
	fs.StringVar(&o.ask.Text, "query", "", "answer this `query` and end; \"\" lists everything")
	fs.StringVar(&o.ask.Sort, "sort", "", "`order` of answers: "+strings.Join(orders[:], ", ")+" (default: relevance)")
	fs.Func("shop", "only what this `shop` sells; may be given several times", func(s string) error {
		o.ask.Shops = append(o.ask.Shops, s)
		return nil
	})
	fs.Float64Var(&o.ask.Min, "min", 0, "only what costs so much at least")
	fs.Float64Var(&o.ask.Max, "max", 0, "only what costs so much at most; 0: no limit")
	fs.BoolVar(&o.ask.InStock, "in-stock", false, "only what somebody has in stock")
	fs.BoolVar(&o.json, "json", false, "answer -query with one JSON object")
	fs.DurationVar(&o.fetch.delay, "delay", time.Second, "time between visits of one host; 0: none (bundled shops: none)")
	fs.IntVar(&o.fetch.workers, "workers", 16, "pages fetched at a time, of all shops together")
	fs.StringVar(&o.fetch.browser, "chrome", "", "`path` of the browser, or none to do without (default: look for one)")
	fs.BoolVar(&o.fetch.noSandbox, "no-sandbox", false, "run the browser without its sandbox, where the system does not allow for one")
	fs.BoolVar(&o.fetch.allowPrivate, "allow-private", false, "fetch from private and loopback addresses too")
	fs.StringVar(&o.fetch.userAgent, "user-agent", "quarry-pricewatch/1.0 (+https://github.com/webquarry/quarry)",
		"how to introduce yourself: `product/version (contact)`")
	fs.StringVar(&o.monitor, "monitor", "", "show the crawl itself on this `host:port`, where it can be paused too")
	if err := live.ParseFlags(fs, args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(out, usage)
		fs.SetOutput(out)
		fs.PrintDefaults()
		return nil, err
	} else if err != nil {
		return nil, usageError{err}
	}
	o.given = map[string]bool{}
	fs.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
	if fs.NArg() > 0 {
		return nil, usageError{fmt.Errorf("unexpected argument %q: shops are named in a file, with -shops", fs.Arg(0))}
	}
	o.once = o.given["query"]
	return o, o.check()
}

// check refuses what makes no sense before anything is opened.
func (o *options) check() error {
	for _, only := range []string{"json", "sort", "shop", "min", "max", "in-stock"} {
		if o.given[only] && !o.once {
			return usageError{fmt.Errorf("-%s goes with -query", only)}
		}
	}
	for _, never := range []string{"addr", "for", "every"} {
		if o.given[never] && o.once {
			return usageError{fmt.Errorf("-%s does not go with -query, which answers once and ends", never)}
		}
	}
	_, _, err := net.SplitHostPort(o.addr)
	switch {
	case err != nil:
		return usageError{fmt.Errorf("-addr %q: want host:port", o.addr)}
	case o.ask.Sort != "" && !slices.Contains(orders[:], o.ask.Sort):
		return usageError{fmt.Errorf("-sort %q: want one of %s", o.ask.Sort, strings.Join(orders[:], ", "))}
	case o.fetch.delay < 0, o.lasts < 0, o.again.every < 0:
		return usageError{errors.New("-delay, -for and -every cannot be negative")}
	case !(o.ask.Min >= 0) || !(o.ask.Max >= 0) || math.IsInf(o.ask.Min+o.ask.Max, 0):
		return usageError{errors.New("-min and -max are prices: they cannot be negative")}
	case o.fetch.workers < 1:
		return usageError{errors.New("-workers must be at least 1")}
	case o.again.now && o.dir == "":
		return usageError{errors.New("-recrawl needs the -dir of the prices to compare with")}
	}
	return nil
}

// forBundledShops sets what fits them, where nothing else was asked for: they
// are ours and on this machine, so there is nobody to be polite to.
func (o *options) forBundledShops() {
	o.fetch.allowPrivate = true
	if !o.given["delay"] {
		o.fetch.delay = 0
	}
}
