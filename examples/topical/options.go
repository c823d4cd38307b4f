package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/webquarry/quarry/crawler"
	"github.com/webquarry/quarry/crawler/focus"
	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/crawler/urlnorm"
	"github.com/webquarry/quarry/frontier"
)

// Orders of a crawl.
const (
	byFocus = "focus"
	breadth = "breadth-first"
)

const usage = `Crawl for pages on a topic.

  go run ./examples/topical                                          on a small web of its own
  go run ./examples/topical -query "bees honey hive" URL...
  go run ./examples/topical -like FILE,FILE [-unlike FILE,FILE] URL...

Each page on topic is a line on standard output: its relevance, URL and title.

`

// options are the command line.
type options struct {
	search
	network
	seeds        []string
	demo         bool // on the web of web.go
	pages        int
	order, model string
	svg          string
}

// search is what is looked for, and how.
type search struct {
	query, like, unlike string
	noise               float64
	seed                uint64
	maxOff              int
	fixed               bool
}

// network is how pages are fetched.
type network struct {
	anywhere     bool
	delay        time.Duration
	perHost      int
	workers      int
	proxy        *url.URL
	allowPrivate bool
	userAgent    string
}

func parseOptions(args []string, help io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("topical", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.query, "query", "", "`words` of the topic")
	fs.StringVar(&o.like, "like", "", "text `files` on the topic, separated by commas")
	fs.StringVar(&o.unlike, "unlike", "", "text `files` off the topic; with some of them the topic is learned by naive Bayes")
	fs.IntVar(&o.pages, "pages", 240, "stop after this many pages; 0: no limit")
	fs.StringVar(&o.order, "order", "", "`order` of the crawl: focus, breadth-first, or both to compare them (default: focus, in the demonstration both)")
	fs.StringVar(&o.svg, "svg", "", "draw the harvest into this `file` (default: no picture)")
	fs.StringVar(&o.model, "model", "", "`file` with what was learned of links; read if it is there, and written at the end")
	fs.Float64Var(&o.noise, "noise", 0, "`share` of each priority that is random, 0 to 1")
	fs.Uint64Var(&o.seed, "seed", 1, "`number` that the randomness begins with")
	fs.IntVar(&o.maxOff, "max-off", 0, "go through this many pages off topic in a row; 0: any number")
	fs.BoolVar(&o.fixed, "fixed", false, "learn nothing on the way")
	fs.BoolVar(&o.anywhere, "anywhere", false, "leave the sites of the seeds")
	fs.DurationVar(&o.delay, "delay", time.Second, "time from one visit of a host to the next; 0: none")
	fs.IntVar(&o.perHost, "per-host", 1, "visits of one host at a time")
	fs.IntVar(&o.workers, "workers", 16, "requests at a time")
	fs.BoolVar(&o.allowPrivate, "allow-private", false, "fetch from private and loopback addresses too")
	fs.StringVar(&o.userAgent, "user-agent", "quarry-topical/1.0 (+https://github.com/webquarry/quarry)", "how to introduce yourself: `product/version (contact)`")
	fs.Func("proxy", "fetch by the proxy of this `URL`, such as http://127.0.0.1:8080", func(s string) (err error) {
		o.proxy, err = url.Parse(s)
		if err == nil && o.proxy.Host == "" {
			err = errors.New("want a URL")
		}
		return err
	})
	if err := live.ParseFlags(fs, args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(help, usage)
			fs.SetOutput(help)
			fs.PrintDefaults()
		}
		return nil, err
	}
	o.seeds = fs.Args()
	for _, s := range o.seeds {
		if strings.HasPrefix(s, "-") {
			return nil, fmt.Errorf("%s stands behind a URL: flags come first", s)
		}
	}
	return o, o.check()
}

// check refuses what makes no sense, and sets what the demonstration wants.
func (o *options) check() error {
	if len(o.seeds) == 0 && o.query == "" && o.like == "" {
		o.demo, o.seeds, o.query = true, []string{demoSeed}, demoQuery
		o.delay, o.workers = 0, 1
		if o.order == "" {
			o.order = "both"
		}
	}
	if o.order == "" {
		o.order = byFocus
	}
	switch {
	case o.order != "both" && o.order != byFocus && o.order != breadth:
		return fmt.Errorf("-order %q: want %s, %s or both", o.order, byFocus, breadth)
	case len(o.seeds) == 0:
		return errors.New("give a URL to begin with")
	case (o.query == "") == (o.like == ""):
		return errors.New("say what to look for: -query or -like")
	case o.unlike != "" && o.like == "":
		return errors.New("-unlike goes with -like")
	case o.pages < 0, o.delay < 0, o.maxOff < 0:
		return errors.New("-pages, -delay and -max-off cannot be negative")
	case o.noise < 0 || o.noise > 1:
		return errors.New("-noise is from 0 to 1")
	case o.workers < 1, o.perHost < 1:
		return errors.New("-workers and -per-host must be at least 1")
	}
	for _, s := range o.seeds {
		if _, err := urlnorm.URL("", s); err != nil {
			return fmt.Errorf("%q is not an http or https URL", s)
		}
	}
	_, err := o.topic()
	return err
}

// orders are the crawls to do.
func (o *options) orders() []string {
	if o.order == "both" {
		return []string{byFocus, breadth}
	}
	return []string{o.order}
}

// topic is what is looked for.
func (s *search) topic() (focus.Topic, error) {
	if s.query != "" {
		return focus.Words(s.query), nil
	}
	like, err := texts("-like", s.like)
	if err != nil {
		return nil, err
	}
	unlike, err := texts("-unlike", s.unlike)
	switch {
	case err != nil:
		return nil, err
	case len(unlike) > 0:
		return focus.Train(like, unlike)
	}
	return focus.Like(like, nil), nil
}

func texts(name, files string) (all []string, err error) {
	for file := range strings.SplitSeq(files, ",") {
		if file == "" {
			continue
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, string(b))
	}
	return all, nil
}

func (o *options) scope() crawler.Follow {
	if o.anywhere {
		return crawler.SkipFiles(crawler.Any)
	}
	return crawler.SkipFiles(crawler.SameSite(o.seeds...))
}

func (n *network) limits() frontier.Limits {
	if n.delay == 0 {
		l := frontier.OwnHost(n.perHost)
		l.Outage = frontier.WaitFor(0) // there is no way to go on with such a crawl
		return l
	}
	return frontier.Limits{PerHost: n.perHost, PerDomain: n.perHost, PerIP: n.perHost, Delay: n.delay, Global: -1, Outage: frontier.WaitFor(0)} // the Crawler keeps to its Workers
}

func (o *options) fetcher() (crawler.Fetcher, error) {
	h := &crawler.HTTP{UserAgent: o.userAgent, Proxy: o.proxy, AllowPrivate: o.allowPrivate}
	if o.demo {
		web, err := demoWeb()
		if err != nil {
			return nil, err
		}
		h.Transport = web
	}
	return h, nil
}

// loadModel goes on with what an earlier crawl learned.
func (o *options) loadModel(f *focus.Focus) error {
	if o.model == "" {
		return nil
	}
	file, err := os.Open(o.model)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("-model: %w", err)
	}
	defer file.Close()
	if err := f.Load(file); err != nil {
		return fmt.Errorf("-model: %s: %w", o.model, err)
	}
	return nil
}

// saveModel writes the file anew, and not halfway.
func (o *options) saveModel(f *focus.Focus) error {
	if o.model == "" {
		return nil
	}
	file, err := os.Create(o.model + ".tmp")
	if err != nil {
		return fmt.Errorf("-model: %w", err)
	}
	if err := errors.Join(f.Save(file), file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("-model: %w", err)
	}
	return os.Rename(o.model+".tmp", o.model)
}
