package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/webquarry/quarry/crawler/live"
)

const usage = `Index web archives and search them.

  go run ./examples/warcsearch -query "pole star"                    the bundled archive
  go run ./examples/warcsearch -dir idx 'crawl/*.warc.gz' a.arc      index files or folders
  go run ./examples/warcsearch -dir idx -query "pole star" -json     ask the index

`

// options are the command line.
type options struct {
	files []string // named, globs resolved
	dir   string   // of the index; empty: in memory
	query string
	hits  int
	json  bool
}

// usageError is a command line that makes no sense.
type usageError struct{ error }

func parseOptions(args []string, out io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("warcsearch", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.dir, "dir", "", "keep the index in this `folder` (default: in memory)")
	fs.StringVar(&o.query, "query", "", "answer this `query`")
	fs.IntVar(&o.hits, "hits", 10, "show this `number` of hits")
	fs.BoolVar(&o.json, "json", false, "answer -query with one JSON object")
	if err := live.ParseFlags(fs, args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(out, usage)
		fs.SetOutput(out)
		fs.PrintDefaults()
		return nil, err
	} else if err != nil {
		return nil, usageError{err}
	}
	switch {
	case o.hits < 1:
		return nil, usageError{errors.New("-hits must be at least 1")}
	case o.json && o.query == "":
		return nil, usageError{errors.New("-json goes with -query")}
	}
	if fs.NArg() == 0 && o.dir == "" && o.query == "" {
		o.query = "star"
	}
	if fs.NArg() == 0 && o.dir != "" {
		if o.query == "" {
			return nil, usageError{errors.New("-dir wants files to index, or a -query to answer")}
		}
		if commits, _ := iofs.Glob(os.DirFS(o.dir), "commit-*"); commits == nil {
			return nil, fmt.Errorf("%s holds no index: name the files that are to be in it", o.dir)
		}
	}
	return o, o.resolve(fs.Args())
}

// resolve finds the files that the arguments name.
func (o *options) resolve(args []string) error {
	for _, arg := range args {
		names, err := filepath.Glob(arg)
		if err != nil {
			return usageError{fmt.Errorf("%q: %w", arg, err)}
		}
		switch {
		case len(names) == 0 && strings.HasPrefix(arg, "-"):
			return usageError{fmt.Errorf("%s stands behind a file: flags come first", arg)}
		case len(names) == 0:
			return usageError{fmt.Errorf("%q names no file", arg)}
		}
		o.files = append(o.files, names...)
	}
	return nil
}

//go:embed testdata/stars.warc.gz
var bundled []byte

// archives are the files to index: those named; else, where no index is named
// either, the bundled one, which done takes away again.
func (o *options) archives() (files []string, done func(), err error) {
	done = func() {}
	if len(o.files) > 0 || o.dir != "" {
		return o.files, done, nil
	}
	dir, err := os.MkdirTemp("", "warcsearch-*")
	if err != nil {
		return nil, done, err
	}
	done = func() { os.RemoveAll(dir) }
	name := filepath.Join(dir, "stars.warc.gz")
	return []string{name}, done, os.WriteFile(name, bundled, 0o644)
}
