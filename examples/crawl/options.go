package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/content"
	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/crawler/monitor"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

const usage = `Crawl sites to a file, one line of JSON a page.

  go run ./examples/crawl                                                 a bundled site, to standard output
  go run ./examples/crawl https://a.example/                              the site of a URL
  go run ./examples/crawl -seeds seeds.txt -out pages.jsonl
  go run ./examples/crawl -seeds seeds.txt -out pages.jsonl -dir crawl    can be killed and run again
  go run ./examples/crawl -seeds seeds.txt -dir crawl -phase collect      which pages are there?
  go run ./examples/crawl -dir crawl -phase fetch -out pages.jsonl        fetch them
  go run ./examples/crawl -job kettles.yaml -dir kettles                  as a file says

A line is {"url", "status", "title", "text", "links", "depth", "fetched"}: text is what
a reader sees, links are the distinct URLs that the page links to without "nofollow".
With -dedup a page that says what an earlier one does has the URL of that one as "group".
With -schema there are "records" too, and "flaws" where something could not be read.
With -phase fetch pages are not read, and a line is {"url", "status", "type", "body", "depth",
"fetched"} with the body in base64.
The last line of standard error is {"pages", "bytes", "errors", "retried", "waiting", "seconds"} of this run.

`

// options are the command line.
type options struct {
	spec                spec
	seedsFile, out, dir string
	seeds               []string
	way                 way
	limit               limit
	pace                pace
	reach
	proxy        *url.URL
	allowPrivate bool
	userAgent    string
	schema       schema
	demo         bool // crawl demo.txt, which is no web at all
}

// reach is how far the crawl goes.
type reach struct {
	scope    string
	sitemaps bool // what they list belongs to it
}

// schema says which records are taken out of pages.
type schema struct {
	file      string
	extractor *extract.Extractor // nil: none
}

// way is how the crawl is done.
type way struct {
	phase   string // one of the phases; empty: all in one go
	monitor string // address to show it at; empty: none
	access  monitor.Access
	look    bool   // nobody may pause
	warc    string // folder of an archive; empty: none
	judge          // what is thought of pages
}

// limit is when the crawl ends.
type limit struct {
	pages, depth int
	size         int64
}

const usualDelay = time.Second

// pace is how much is asked of hosts.
type pace struct {
	perHost, workers int
	delay, wait      time.Duration
}

// parseOptions reads the command line and the seeds. The error is flag.ErrHelp
// when help was asked for and given.
func parseOptions(args []string, help io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("crawl", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.seedsFile, "seeds", "", "`file` with a URL a line; blank lines and those that begin with # are skipped")
	fs.StringVar(&o.out, "out", "", "`file` to write pages to (default: standard output)")
	fs.StringVar(&o.dir, "dir", "", "keep the crawl's state in this `folder`, and go on with what it holds (default: in memory)")
	fs.IntVar(&o.limit.pages, "pages", 0, "stop after this many pages, those of earlier runs included; 0: no limit")
	fs.Int64Var(&o.limit.size, "size", 0, "stop when -out has this many bytes; 0: no limit")
	fs.IntVar(&o.limit.depth, "depth", 0, "follow links this many steps from the seeds; 0: no limit")
	fs.IntVar(&o.pace.perHost, "per-host", 1, "visits of one host at a time")
	fs.IntVar(&o.pace.workers, "workers", 16, "requests at a time, of all hosts together")
	fs.DurationVar(&o.pace.delay, "delay", usualDelay, "time from one visit of a host to the next; 0: none")
	fs.DurationVar(&o.pace.wait, "wait", 26*time.Hour, "how long to wait for a host that cannot be reached; 0: four visits")
	fs.StringVar(&o.scope, "scope", "site", "`scope` of the crawl: follow links to the hosts of the seeds (host), to their registrable domains (site), or to anywhere (any)")
	fs.StringVar(&o.schema.file, "schema", "", "YAML `file` that says which records to take out of pages; see docs/guides/extract.md")
	fs.StringVar(&o.way.phase, "phase", "", "one `phase` of two: collect the links, or fetch the pages that were collected in -dir (default: all in one go)")
	fs.StringVar(&o.way.monitor, "monitor", "", "show the crawl to browsers at this `host:port`, such as 127.0.0.1:8080, where it can be paused too")
	fs.BoolVar(&o.way.look, "read-only", false, "nobody may pause the crawl by -monitor")
	o.way.access.Flags(fs)
	fs.StringVar(&o.way.warc, "warc", "", "keep every exchange in WARC files in this `folder`")
	fs.BoolVar(&o.sitemaps, "sitemaps", false, "visit the pages too that sitemaps and feeds of the hosts list")
	fs.BoolVar(&o.allowPrivate, "allow-private", false, "fetch from private and loopback addresses too")
	fs.StringVar(&o.userAgent, "user-agent", "quarry-crawl/1.0 (+https://github.com/webquarry/quarry)",
		"how to introduce yourself: `product/version (contact)`")
	o.way.flags(fs)
	o.spec.flags(fs)
	fs.Func("proxy", "fetch by the proxy of this `URL`, such as http://127.0.0.1:8080", func(s string) (err error) {
		if o.proxy, err = url.Parse(s); err != nil || o.proxy.Host == "" {
			return errors.New("want a URL such as http://127.0.0.1:8080")
		}
		return nil
	})
	if err := live.ParseFlags(fs, args, "token"); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(help, usage)
		fs.SetOutput(help)
		fs.PrintDefaults()
		return nil, err
	} else if err != nil {
		return nil, err
	}
	if err := o.spec.check(fs, o.dir, fs.Args()); err != nil || o.spec.file != "" {
		return o, err
	}
	o.demo = len(args) == 0
	for _, s := range fs.Args() {
		if _, err := urlnorm.URL("", s); err != nil {
			return nil, fmt.Errorf("%q is not an http or https URL; flags come before URLs", s)
		}
		o.seeds = append(o.seeds, s)
	}
	if o.demo {
		o.seeds, o.pace.delay = []string{demoSeed}, 0
	}
	return o, o.check()
}

// check refuses what makes no sense before anything is opened, and reads the
// seeds.
func (o *options) check() (err error) {
	switch {
	case o.way.phase != "" && o.way.phase != phaseCollect && o.way.phase != phaseFetch:
		return fmt.Errorf("-phase %q: want collect or fetch", o.way.phase)
	case o.way.phase != "" && o.dir == "":
		return errors.New("-phase needs -dir, where the pages are noted")
	case o.way.phase == phaseCollect && (o.out != "" || o.limit.size != 0):
		return errors.New("-phase collect writes no pages: leave out -out and -size")
	case o.way.phase == phaseFetch && len(o.seeds) > 0:
		return errors.New("-phase fetch fetches what was collected: it takes no URLs")
	case o.seedsFile == "" && len(o.seeds) == 0 && o.way.phase != phaseFetch:
		return errors.New("nothing to crawl: give URLs, or -seeds with a file of them")
	case o.out == "" && o.dir != "" && o.way.phase != phaseCollect:
		return errors.New("-dir needs -out: what was written is gone on with, which standard output cannot be")
	case o.limit.pages < 0, o.limit.depth < 0, o.limit.size < 0, o.pace.delay < 0, o.pace.wait < 0:
		return errors.New("-pages, -size, -depth, -delay and -wait cannot be negative")
	case o.pace.perHost < 1, o.pace.workers < 1:
		return errors.New("-per-host and -workers must be at least 1")
	case o.way.dedup && o.way.phase != "":
		return errors.New("-dedup compares pages that are read: not with -phase")
	case o.way.cloaking != "" && o.way.phase == phaseFetch:
		return errors.New("-cloaking compares pages that are read: not with -phase fetch")
	case o.schema.file != "" && o.way.phase != "":
		return errors.New("-schema takes records out of pages that are read: not with -phase")
	case o.sitemaps && o.way.phase == phaseFetch:
		return errors.New("-sitemaps finds pages: not with -phase fetch")
	case o.scope != "host" && o.scope != "site" && o.scope != "any":
		return fmt.Errorf("-scope %q: want host, site or any", o.scope)
	}
	if o.way.phase == phaseFetch {
		return nil
	}
	if o.seedsFile != "" {
		listed, err := readSeeds(o.seedsFile)
		if err != nil {
			return err
		}
		o.seeds = append(o.seeds, listed...)
	}
	if err := o.schema.read(); err != nil || o.out == "" || o.seedsFile == "" {
		return err
	}
	in, err := os.Stat(o.seedsFile)
	if err != nil {
		return fmt.Errorf("-seeds: %w", err)
	}
	if out, err := os.Stat(o.out); err == nil && os.SameFile(in, out) {
		return errors.New("-out would overwrite the file of -seeds")
	}
	return nil
}

// read reads the file, if there is one.
func (s *schema) read() error {
	if s.file == "" {
		return nil
	}
	text, err := os.ReadFile(s.file)
	if err != nil {
		return fmt.Errorf("-schema: %w", err)
	}
	parsed, err := extract.Parse(text)
	if err != nil {
		return fmt.Errorf("-schema: %s: %w", s.file, err)
	}
	s.extractor, err = extract.Compile(parsed)
	return err
}

// readSeeds reads a file with a URL a line.
func readSeeds(name string) (seeds []string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("-seeds: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		s := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if s == "" || strings.HasPrefix(s, "#") {
			continue
		}
		if _, err := urlnorm.URL("", s); err != nil {
			return nil, fmt.Errorf("-seeds: %s:%d: %q is not an http or https URL", name, n, s)
		}
		seeds = append(seeds, s)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("-seeds: %s: %w", name, err)
	}
	if len(seeds) == 0 {
		return nil, fmt.Errorf("-seeds: %s holds no URL", name)
	}
	return seeds, nil
}

// limits is the politeness asked for. Where several visits of a host are
// allowed, as many of its registrable domain and of its address are. Whoever
// sets a pace gets that: only the usual one is slowed down where a host is slow.
func (p pace) limits() frontier.Limits {
	l := frontier.Limits{PerHost: p.perHost, Global: -1, Delay: p.delay, Outage: frontier.WaitFor(p.wait)} // the Crawler keeps to its Workers
	if p.perHost > 1 || p.delay != usualDelay {
		l.Factor = -1
	}
	if p.delay == 0 {
		l.Delay = -1 // to a frontier, zero means the default
	}
	return l
}

// follow is the scope asked for. What sitemaps say goes into the order.
func (o *options) follow() crawler.Follow {
	f := o.inScope()
	if o.sitemaps && f != nil {
		return content.Listed(f)
	}
	return f
}

func (o *options) inScope() crawler.Follow {
	switch {
	case o.scope == "any":
		return crawler.Any
	case o.way.phase == phaseFetch:
		return nil // pages are known, and may at most lead elsewhere on their sites
	case o.scope == "host":
		return crawler.SameHost(o.seeds...)
	}
	return crawler.SameSite(o.seeds...)
}

// parser reads pages, their records if there is a schema, and if asked for the
// lists in which sites name their pages.
func (o *options) parser() crawler.Parser {
	html := &crawler.HTML{Feeds: o.sitemaps}
	if o.schema.extractor != nil {
		html.Refine = o.schema.extractor.Refine
	}
	if !o.sitemaps {
		return html
	}
	none := content.Skip{}
	return &content.ByType{HTML: html, Discover: true, Feed: content.Sitemap{}, PDF: none, XML: none, JSON: none}
}

// pagesLeft is how many pages of -pages are still to be had after those of
// earlier runs, 0 for any number and -1 for none.
func (o *options) pagesLeft(earlier int) int {
	switch {
	case o.limit.pages == 0:
		return 0
	case earlier >= o.limit.pages:
		return -1
	}
	return o.limit.pages - earlier
}

// folders are those that the crawl writes to.
func (o *options) folders() []string {
	if o.dir == "" {
		return nil
	}
	return []string{o.dir}
}
