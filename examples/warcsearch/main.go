// Warcsearch indexes web archives and answers queries: WARC, WET and ARC files of
// any make, plain or compressed, damaged ones as far as they can be read. Nothing
// is fetched.
//
//	options.go   the command line, and which files it names
//	pages.go     which answers in an archive are pages to index
//	document.go  how a page becomes a document
//	answer.go    what a query finds, on a terminal and in JSON
//	count.go     how far it has come
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/webquarry/quarry/crawler/live"
	"github.com/webquarry/quarry/crawler/progress"
	"github.com/webquarry/quarry/crawler/warc"
	"github.com/webquarry/quarry/index"
)

func main() {
	os.Exit(live.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdout, os.Stderr) }))
}

// run is main with everything passed in; it returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stdout)
	if err == nil {
		err = warcsearch(ctx, o, stdout, stderr)
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if code, stopped := live.ExitCode(ctx, err); stopped {
		fmt.Fprintln(stderr, "warcsearch: interrupted")
		return code
	}
	fmt.Fprintln(stderr, "warcsearch:", strings.ReplaceAll(err.Error(), "\n", "; "))
	if _, usage := errors.AsType[usageError](err); usage {
		return 2
	}
	return 1
}

// warcsearch indexes the files, if any are named, and answers the query, if there
// is one.
func warcsearch(ctx context.Context, o *options, stdout, stderr io.Writer) (err error) {
	ix, err := openIndex(o.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	files, done, err := o.archives()
	if err != nil {
		return err
	}
	defer done()
	if len(files) > 0 {
		archive, err := warc.OpenArchive(files...)
		if err != nil {
			return err
		}
		n := new(count)
		end := progress.Show(stderr, n.String)
		err = fill(ctx, ix, archive, n)
		end()
		n.print(stderr)
		if err == nil {
			err = n.inVain()
		}
		if err != nil {
			return err
		}
	}
	if o.query == "" {
		return nil
	}
	a, err := search(ctx, ix, o.query, o.hits)
	if err != nil {
		return err
	}
	if o.json {
		return a.writeJSON(stdout)
	}
	return a.print(stdout)
}

func openIndex(dir string) (*index.Index, error) {
	if dir == "" {
		return index.New(index.Options{Schema: schema()})
	}
	return index.Open(dir, index.Options{Schema: schema()})
}

// fill indexes the pages of an archive. There is no Frontier that could forget
// one, so it is enough to commit now and then: what was not committed when the
// program died is indexed when it is started again.
func fill(ctx context.Context, ix *index.Index, archive *warc.Archive, count *count) (err error) {
	w, err := ix.Writer()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	const group = 500
	n := 0
	for page := range pages(ctx, archive, count) {
		if err := w.Add(ctx, document(page)); err != nil {
			return err
		}
		if n++; n%group == 0 {
			if err := w.Commit(ctx); err != nil {
				return err
			}
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return w.Commit(ctx)
}
