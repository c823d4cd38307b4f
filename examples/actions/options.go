package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"github.com/webquarry/quarry/crawler/chrome/action"
	"github.com/webquarry/quarry/crawler/extract"
	"github.com/webquarry/quarry/crawler/live"
)

//go:embed chains
var chains embed.FS

const usage = `Run a chain of actions in a page, and tell step by step what happened.

  go run ./examples/actions                                               the bundled chains on the bundled site
  go run ./examples/actions -chain lamps.yaml                             a chain that opens its page itself
  go run ./examples/actions -chain lamps.yaml -url https://shop.example/  a chain for any such page

Chains are YAML or JSON; docs/guides/actions.md has all actions. With -url that page is
opened first, unless the chain begins with navigate, set or login: then it is what their
URLs may be relative to.

A line is a step: where it stands in the chain, its action, why it ended, how long it took,
and what happened. Then follow the records, values and links.

`

// options are the command line.
type options struct {
	chains       []chain
	schema       *extract.Schema
	sessions     action.Sessions
	url          string
	proxy        *url.URL
	screenshots  string
	userAgent    string
	json         bool
	headful      bool
	noSandbox    bool
	allowPrivate bool
	verbose      bool
	bundled
}

// bundled is what a run without -chain has.
type bundled struct {
	records int                         // shown of each chain; 0: all
	lookup  func(string) (string, bool) // nil: the environment
	close   func() error                // the site; nil: none
}

type chain struct {
	title string // among several
	value *action.Chain
}

// parseOptions reads the command line and the files that it names. The error is
// flag.ErrHelp when help was asked for and given.
func parseOptions(args []string, help io.Writer) (*options, error) {
	o := &options{}
	var file, schema string
	fs := flag.NewFlagSet("actions", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&file, "chain", "", "YAML or JSON `file` with the chain (default: those that are bundled)")
	fs.StringVar(&schema, "schema", "", "YAML `file` with the schema of extract steps that have none; see docs/guides/extract.md")
	fs.StringVar(&o.url, "url", "", "`URL` of the page that the chain is for")
	fs.BoolVar(&o.json, "json", false, "write the result as JSON, and the steps to standard error")
	fs.StringVar(&o.screenshots, "screenshots", "", "`folder` for pictures and PDF files, those of failures included")
	fs.BoolVar(&o.headful, "headful", false, "show the browser; its requests then go past all guards of this program")
	fs.BoolVar(&o.verbose, "v", false, "show the steps of all rounds of loops, not of the first three only")
	fs.BoolVar(&o.noSandbox, "no-sandbox", false, "run the browser without its sandbox, where the system does not allow for one")
	fs.BoolVar(&o.allowPrivate, "allow-private", false, "open private and loopback addresses too")
	fs.StringVar(&o.userAgent, "user-agent", "quarry-actions/1.0 (+https://github.com/webquarry/quarry)",
		"how to introduce yourself: `product/version (contact)`")
	fs.Func("proxy", "load pages by the proxy of this `URL`, such as http://127.0.0.1:8080", func(s string) (err error) {
		if o.proxy, err = url.Parse(s); err != nil || o.proxy.Host == "" {
			return errors.New("want a URL such as http://127.0.0.1:8080")
		}
		return nil
	})
	if err := live.ParseFlags(fs, args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(help, usage)
		fs.SetOutput(help)
		fs.PrintDefaults()
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%w; -help lists the flags", err)
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("what is %q for? A chain is given by -chain; -help lists the flags", fs.Arg(0))
	}
	return o, o.read(file, schema)
}

// read reads the chain and the schema.
func (o *options) read(file, schema string) (err error) {
	if o.url != "" {
		if u, err := url.Parse(o.url); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("-url: %q is no URL of http or https", o.url)
		}
	}
	if schema != "" {
		text, err := os.ReadFile(schema)
		if err != nil {
			return fmt.Errorf("-schema: %w", err)
		}
		if o.schema, err = extract.Parse(text); err != nil {
			return fmt.Errorf("%s: %w", schema, err)
		}
	}
	if file == "" {
		if o.url != "" || schema != "" {
			return errors.New("-url and -schema are for a chain of yours: -chain is missing")
		}
		return o.bundle()
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("-chain: %w", err)
	}
	c, err := parseChain(file, text)
	if err != nil {
		return err
	}
	o.chains = []chain{{value: o.beginning(c)}}
	return nil
}

func parseChain(file string, text []byte) (*action.Chain, error) {
	c, err := action.Parse(text)
	if bad, ok := errors.AsType[*action.DecodeError](err); ok {
		what := bad.Err.Error()
		if bad.Path != "" {
			what = bad.Path + ": " + what
		}
		if bad.Line == 0 {
			return nil, fmt.Errorf("%s: %s", file, what)
		}
		return nil, fmt.Errorf("%s:%d:%d: %s", file, bad.Line, bad.Column, what)
	}
	return c, err
}

// beginning has a chain open -url, unless it begins with what opens a page.
func (o *options) beginning(c *action.Chain) *action.Chain {
	if o.url == "" {
		return c
	}
	for _, s := range c.Steps {
		switch s.Do.(type) {
		case action.Set:
			continue
		case action.Navigate, action.Login:
			return c
		}
		break
	}
	own := *c
	own.Steps = append(action.Steps{{Do: action.Navigate{URL: o.url}}}, c.Steps...)
	return &own
}

// bundle takes the bundled chains, and the bundled site for them.
func (o *options) bundle() error {
	names, err := fs.Glob(chains, "chains/*.yaml")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := chains.ReadFile(name)
		if err != nil {
			return err
		}
		c, err := parseChain(name, text)
		if err != nil {
			return err
		}
		o.chains = append(o.chains, chain{strings.TrimPrefix(name, "chains/"), c})
	}
	o.records, o.allowPrivate = 3, true
	o.lookup = func(name string) (string, bool) {
		if name == "DEMO_PASSWORD" {
			return "demo", true
		}
		return os.LookupEnv(name)
	}
	o.url, o.close, err = serveSite()
	return err
}
