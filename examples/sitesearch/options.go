package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/index/serve"
)

const usage = `Crawl a site, index it while crawling, and search it in the browser.

  go run ./examples/sitesearch                            the bundled site
  go run ./examples/sitesearch -seed https://a.example/ -dir a
  go run ./examples/sitesearch -dir a -query "pole star"  ask once, without crawling

`

// options are the command line.
type options struct {
	seeds   []string
	dir     string // of frontier and index; empty: in memory
	resume  bool
	recrawl bool // and visit all pages again
	limits  crawlLimits
	fetch   fetchOptions
	addr    string
	live    string // address of the monitor; empty: none
	access  serve.Access
	open    bool
	query   string
	once    bool // a query was given: answer it and end
	json    bool
	given   map[string]bool // flags by name
}

// crawlLimits say how far and how fast the crawl goes.
type crawlLimits struct {
	pages, depth, workers int
	delay, wait           time.Duration
	sitemaps              bool // what sitemaps and feeds list belongs to it
	traps                 bool // links without end are not followed
}

// fetchOptions say how pages are asked for.
type fetchOptions struct {
	proxy        *url.URL
	allowPrivate bool
	userAgent    string
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

// parseOptions reads the command line. The error is flag.ErrHelp when help was
// asked for and given, or a usageError.
func parseOptions(args []string, out io.Writer) (*options, error) {
	o := &options{}
	var proxy string
	fs := flag.NewFlagSet("sitesearch", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Func("seed", "crawl the site of this `URL`; may be given several times (default: the bundled site)", func(s string) error {
		o.seeds = append(o.seeds, s)
		return nil
	})
	fs.StringVar(&o.dir, "dir", "", "keep index and crawl in this `folder` (default: in memory)")
	fs.BoolVar(&o.resume, "resume", false, "go on with the crawl that -dir holds")
	fs.BoolVar(&o.recrawl, "recrawl", false, "visit all pages again that -dir holds, and bring the index in step: new, changed and gone ones")
	fs.IntVar(&o.limits.pages, "pages", 10_000, "stop after this many pages; 0: no limit")
	fs.IntVar(&o.limits.depth, "depth", 0, "follow links this many steps from the seeds; 0: no limit (bundled site: 4)")
	fs.IntVar(&o.limits.workers, "workers", 16, "pages fetched at a time, of all hosts together")
	fs.DurationVar(&o.limits.delay, "delay", time.Second, "time between visits of one host; 0: none (bundled site: none)")
	fs.DurationVar(&o.limits.wait, "wait", 26*time.Hour, "how long to wait for a host that cannot be reached; 0: four visits")
	fs.BoolVar(&o.limits.sitemaps, "sitemaps", false, "visit the pages too that sitemaps and feeds of the site list")
	fs.BoolVar(&o.limits.traps, "traps", true, "keep out of calendars, session ids and other links without end; -traps=false follows them")
	fs.StringVar(&proxy, "proxy", "", "fetch by the proxy of this `URL`, such as http://127.0.0.1:8080")
	fs.BoolVar(&o.fetch.allowPrivate, "allow-private", false, "fetch from private and loopback addresses too")
	fs.StringVar(&o.fetch.userAgent, "user-agent", "quarry-sitesearch/1.0 (+https://github.com/webquarry/quarry)",
		"how to introduce yourself: `product/version (contact)`")
	fs.StringVar(&o.addr, "addr", "127.0.0.1:8080", "serve the search page on this `host:port`")
	fs.StringVar(&o.live, "monitor", "", "show the crawl itself on this `host:port`, such as 127.0.0.1:8081, where it can be paused too")
	fs.BoolVar(&o.open, "open", false, "let the API show whole documents, and tell where scores come from")
	o.access.Flags(fs)
	fs.StringVar(&o.query, "query", "", "answer this `query` and end")
	fs.BoolVar(&o.json, "json", false, "answer -query with one JSON object")
	if err := live.ParseFlags(fs, args, "token"); errors.Is(err, flag.ErrHelp) {
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
		return nil, usageError{fmt.Errorf("unexpected argument %q: a site to crawl is named with -seed", fs.Arg(0))}
	}
	o.once = o.given["query"]
	o.resume = o.resume || o.recrawl
	return o, o.check(proxy)
}

// bundledDepth lets the bundled calendar, which never ends, end.
const bundledDepth = 4

// forBundledSite sets what fits the bundled site, where nothing else was asked
// for: it is ours and on this machine, so there is nobody to be polite to.
func (o *options) forBundledSite() {
	o.fetch.allowPrivate = true
	if !o.given["delay"] {
		o.limits.delay = 0
	}
	if !o.given["depth"] {
		o.limits.depth = bundledDepth
	}
}

// check refuses what makes no sense before anything is opened.
func (o *options) check(proxy string) error {
	if proxy != "" {
		u, err := url.Parse(proxy)
		if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
			return usageError{fmt.Errorf("-proxy %q: want an http, https or socks5 URL, such as http://127.0.0.1:8080", proxy)}
		}
		o.fetch.proxy = u
	}
	_, _, err := net.SplitHostPort(o.addr)
	switch {
	case err != nil:
		return usageError{fmt.Errorf("-addr %q: want host:port", o.addr)}
	case o.live != "" && o.live == o.addr && !o.once:
		return usageError{fmt.Errorf("-monitor %s: the search page is there; take another port, or move it with -addr", o.live)}
	case o.limits.pages < 0, o.limits.depth < 0, o.limits.delay < 0, o.limits.wait < 0:
		return usageError{errors.New("-pages, -depth, -delay and -wait cannot be negative")}
	case o.limits.workers < 1:
		return usageError{errors.New("-workers must be at least 1")}
	case o.resume && o.dir == "", o.recrawl && o.dir == "":
		return usageError{errors.New("-resume and -recrawl need the -dir of the crawl to go on with")}
	case o.recrawl && len(o.seeds) > 0:
		return usageError{errors.New("-recrawl visits what the crawl in -dir knows: it takes no -seed")}
	case o.json && !o.once:
		return usageError{errors.New("-json goes with -query")}
	}
	for _, s := range o.seeds {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https") {
			return usageError{fmt.Errorf("-seed %q: want an http or https URL", s)}
		}
	}
	return nil
}
